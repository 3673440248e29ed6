"""Tables, connections, transactions, and both dialects: the only package that knows which database it is.

`connection` has transactions, `state` all other questions to the database; `sqlite` and `mysql` are engines.
"""

from calendar_api.database.connection import (
    bind,
    bound,
    bulk_load,
    close_connection,
    connected,
    db,
    describe,
    engine,
    open_connection,
    read,
    run_autocommit,
    run_read,
    run_write,
    schema_change,
    translate,
    translating,
    try_read,
    using,
    write,
)
from calendar_api.database.state import (
    columns,
    contains,
    create,
    diagnose,
    exists,
    identity,
    indexes,
    reindex,
    revision,
    software,
    texts_holding,
)

__all__ = [
    "bind", "bound", "bulk_load", "close_connection", "columns", "connected", "contains", "create", "db",
    "describe", "diagnose", "engine", "exists", "identity", "indexes",
    "open_connection", "read", "reindex", "revision", "run_autocommit", "run_read", "run_write",
    "schema_change", "software", "texts_holding", "translate", "translating", "try_read",
    "using", "write",
]  # fmt: skip
