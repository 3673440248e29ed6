import falcon

from calendar_api import database
from calendar_api.database.migrate import unavailable_reason


class RequireMigrated:
    """Answer 503 with the command to run while the database is missing or not migrated.

    A database that replaces the one that was checked, as after a restore, is checked again.
    """

    def __init__(self) -> None:
        self.checked: object = None

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        identity = database.identity()
        if self.checked is not None and identity in (self.checked, None):
            return
        error = unavailable_reason()
        if error is not None:
            raise error
        self.checked = identity
