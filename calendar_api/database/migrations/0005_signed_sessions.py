"""Sign sessions and links instead of storing them, and note which user owns the events of visitors."""

import secrets

from peewee import AutoField, CharField, Database, FixedCharField, ForeignKeyField, IntegerField, Model
from playhouse.migrate import SchemaMigrator

#: An application password of this name marked the user who owns the events of visitors.
_MARK = "signs forms"


class Table(Model):
    class Meta:
        legacy_table_names = False


class User(Table):
    id = AutoField()
    login = CharField(60)
    role = CharField(20)
    password = CharField(200, null=True)


class ApplicationPassword(Table):
    user = ForeignKeyField(User, lazy_load=False)
    name = CharField(100)


class EditingState(Table):
    id = IntegerField(primary_key=True)
    key = FixedCharField(64)
    submitter = ForeignKeyField(User, null=True, on_delete="SET NULL", lazy_load=False)


def up(migrator: SchemaMigrator, db: Database) -> None:
    """Can be run again after an interruption."""
    table, column = ("user".join(db.quote), "session_epoch".join(db.quote))
    db.execute_sql(f"ALTER TABLE {table} ADD COLUMN {column} INTEGER NOT NULL DEFAULT '0'")
    with db.bind_ctx((User, ApplicationPassword, EditingState), bind_refs=False, bind_backrefs=False):
        db.create_tables((EditingState,))
        marked = ApplicationPassword.select(ApplicationPassword.user).where(ApplicationPassword.name == _MARK)
        owners = User.select(User.id).where(User.id.in_(marked), User.role == "contributor")
        owners = owners.where(User.login.startswith("submissions"), User.password.is_null())
        owner = owners.order_by(User.id).first()
        if owner is not None:
            row = {"id": 1, "key": secrets.token_hex(32), "submitter": owner.id}
            EditingState.insert(row).on_conflict_ignore().execute()
            mark = (ApplicationPassword.user == owner.id) & (ApplicationPassword.name == _MARK)
            ApplicationPassword.delete().where(mark).execute()
    for name in ("session", "invitation"):
        db.execute_sql(f"DROP TABLE IF EXISTS {name.join(db.quote)}")
