"""All tables of the database, each after those that it refers to."""

from calendar_api.database.editing_models import EditingState, Review, Submission
from calendar_api.database.import_models import ImportItem, ImportSource
from calendar_api.database.models import (
    ApplicationPassword,
    CommitToken,
    Event,
    EventOrganizer,
    EventTerm,
    EventVenue,
    FailedAttempt,
    FormerSlug,
    IdempotentResponse,
    Image,
    Organizer,
    Record,
    Revision,
    SearchText,
    Table,
    Term,
    User,
    Venue,
)

TABLES: tuple[type[Table], ...] = (
    User, ApplicationPassword, Record, SearchText, FormerSlug, Image, Term,
    Venue, Organizer, Event, EventVenue, EventOrganizer, EventTerm, IdempotentResponse, Revision,
    CommitToken, FailedAttempt, ImportSource, ImportItem, EditingState, Submission, Review,
)  # fmt: skip
