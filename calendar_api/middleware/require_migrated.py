import falcon

from calendar_api import database
from calendar_api.database.migrate import unavailable_reason


class RequireMigrated:
    """Answers 503 with the command to run until the database can be served; never makes or changes one.

    Another file in the place of the database, as after a restore, is looked at like the first one.
    """

    def __init__(self) -> None:
        self.served: object = None

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        place = database.place()
        if self.served is not None and place in (self.served, None):
            return
        found = unavailable_reason()
        if found is not None:
            raise found
        self.served = place
