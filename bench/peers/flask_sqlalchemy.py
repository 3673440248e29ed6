"""The list by Flask and SQLAlchemy's ORM, with one query per kind of linked record."""

import os
from datetime import UTC, datetime
from typing import Any

from flask import Flask, jsonify, request
from sqlalchemy import create_engine, func, select
from sqlalchemy.ext.declarative import DeferredReflection
from sqlalchemy.orm import DeclarativeBase, relationship, scoped_session, selectinload, sessionmaker

from bench.peers import rendering

engine = create_engine(f"sqlite:///{os.environ['BENCH_DATABASE']}")
session = scoped_session(sessionmaker(bind=engine))


class Base(DeferredReflection, DeclarativeBase):
    __abstract__ = True
    # Stored responses of the service, which are of no use here.
    __mapper_args__ = {"exclude_properties": ["document"]}  # noqa: RUF012


class Image(Base):
    __tablename__ = "image"


class Term(Base):
    __tablename__ = "term"


class Venue(Base):
    __tablename__ = "venue"


class Organizer(Base):
    __tablename__ = "organizer"


class Event(Base):
    __tablename__ = "event"

    image = relationship(Image, viewonly=True)
    venues = relationship(Venue, secondary="event_venue", order_by="event_venue.c.position", viewonly=True)
    organizers = relationship(
        Organizer, secondary="event_organizer", order_by="event_organizer.c.position", viewonly=True
    )
    terms = relationship(Term, secondary="event_term", order_by="Term.name_folded", viewonly=True)


with engine.connect() as connection:
    # Link tables, known by name only.
    for name in ("event_venue", "event_organizer"):
        Base.metadata.reflect(connection, only=[name], extend_existing=True, resolve_fks=False)
Base.prepare(engine)

application = Flask(__name__)


@application.get("/calendar/events/v1/events")
def events() -> Any:
    size, number = int(request.args.get("per_page", 10)), int(request.args.get("page", 1))
    now, start, end = rendering.window(datetime.now(UTC))
    where = (
        Event.hide_from_listings == 0, Event.status == "publish", Event.published_utc <= now,
        Event.utc_start_date >= start, Event.utc_end_date <= end,
    )  # fmt: skip
    total = session.scalar(select(func.count()).select_from(Event).where(*where))
    found = select(Event).where(*where).order_by(Event.utc_start_date, Event.id)
    nested = map(selectinload, (Event.image, Event.venues, Event.organizers, Event.terms))
    page = session.scalars(found.limit(size).offset((number - 1) * size).options(*nested)).all()
    return jsonify(rendering.page(list(map(_event, page)), number, size, total))


def _event(event: Any) -> dict[str, Any]:
    return rendering.event(
        vars(event), vars(event.image) if event.image else None,
        [rendering.venue(vars(one)) for one in event.venues],
        [rendering.organizer(vars(one)) for one in event.organizers],
        [rendering.term(vars(one), one.counted) for one in event.terms],
    )  # fmt: skip


@application.teardown_appcontext
def _done(error: BaseException | None) -> None:
    session.remove()
