"""Which schema of a PostgreSQL database holds the journal, and what is wrong with its tables.

Tables are found along a search path, and a role or a database can change that path. So a session
finds the journal's schema once and looks nowhere else. A schema that stands before it, or holds a
second journal, would be taken for it on another day: such a database is not opened.
"""

from jackpot.store.journal import StoreError
from jackpot.store.postgres_wire import Session, texts

# The tables with their columns. `WITH` and defaults make no difference to what is read.
_TABLES = {
    "jackpot_migrations": "name text, applied_at timestamp with time zone",
    "streams": "site text, sequence bigint, hash bytea, version integer",
    "events": "site text, sequence bigint, time_micros bigint, kind text, version integer, "
    "body text, hash bytea",
    "snapshots": "site text, sequence bigint, version integer, state bytea",
}
_MARK = "jackpot_migrations"  # the table that shows that a schema holds a journal
_ON_PATH = """
    SELECT path.name, class.relname::text
    FROM unnest(current_schemas(true)) WITH ORDINALITY AS path(name, place)
    JOIN pg_namespace AS schema ON schema.nspname = path.name
    JOIN pg_class AS class ON class.relnamespace = schema.oid
    WHERE class.relname = ANY($1::text[]) ORDER BY path.place
"""
_PIN = "SELECT set_config('search_path', quote_ident($1) || ', pg_temp', false)"
_RELATIONS = """
    SELECT class.relname::text, class.relkind::text, class.relrowsecurity,
        (SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum)
         FROM pg_attribute WHERE attrelid = class.oid AND attnum > 0 AND NOT attisdropped),
        EXISTS (SELECT FROM pg_trigger WHERE tgrelid = class.oid AND NOT tgisinternal),
        EXISTS (SELECT FROM pg_rewrite WHERE ev_class = class.oid),
        EXISTS (SELECT FROM pg_inherits WHERE class.oid IN (inhparent, inhrelid)),
        EXISTS (SELECT FROM pg_index WHERE indrelid = class.oid AND indisprimary)
    FROM pg_class AS class JOIN pg_namespace AS schema ON schema.oid = class.relnamespace
    WHERE schema.nspname = current_schema() AND class.relname = ANY($1::text[])
"""
# Sites with events that no head speaks of; one look into the index a site.
_STRAY_EVENTS = """
    WITH RECURSIVE found AS (
        (SELECT site FROM events ORDER BY site LIMIT 1)
        UNION ALL
        SELECT (SELECT e.site FROM events e WHERE e.site > found.site ORDER BY e.site LIMIT 1)
        FROM found WHERE found.site IS NOT NULL
    )
    SELECT found.site FROM found LEFT JOIN streams USING (site)
    WHERE found.site IS NOT NULL AND EXISTS (
        SELECT 1 FROM events e WHERE e.site = found.site
        AND (e.sequence > coalesce(streams.sequence, 0) OR e.sequence < 1))
    LIMIT 1
"""
_STRAY_SNAPSHOTS = """
    SELECT site FROM snapshots LEFT JOIN streams USING (site)
    WHERE snapshots.sequence NOT BETWEEN 1 AND coalesce(streams.sequence, 0) LIMIT 1
"""


def pin_schema(session: Session) -> None:
    """Let the session see the journal's schema only, or the one in which it will be made."""
    found = session.execute(_ON_PATH, texts(list(_TABLES)))
    schema = next((name for name, table in found if table == _MARK), None)
    if schema is None:
        (schema,) = session.one("SELECT current_schema()")
        if schema is None:
            raise StoreError("the search path has no schema; create one, or name one that exists")
    before = True
    for name, table in found:
        before = before and name != schema
        if name != schema and (before or table == _MARK):
            raise StoreError(
                f"the schemas {schema!r} and {name!r} both have a table {table!r}: one hides the "
                "other; find out who made it, or name the journal's own in the address: "
                "?options=-csearch_path%3DSCHEMA"
            )
    session.execute(_PIN, schema)


def damage(session: Session) -> str:
    """What is wrong beyond any one stream, or nothing."""
    relations = {name: rest for name, *rest in session.execute(_RELATIONS, texts(list(_TABLES)))}
    for table, columns in _TABLES.items():
        if problem := _problem(relations.get(table), columns):
            return f"its tables are not as controllers make them: {table!r} {problem}"
    for what, query in (("events", _STRAY_EVENTS), ("snapshots", _STRAY_SNAPSHOTS)):
        if row := session.one(query):
            return f"there are {what} of {row[0]} that its head does not speak of"
    return ""


def _problem(relation: "list[object] | None", columns: str) -> str:
    if relation is None:
        return "is missing"
    kind, guarded, found, triggers, rules, family, keyed = relation
    wrong = {
        "is not a table": kind != "r",
        "has other columns": found != columns,
        "has a trigger": triggers,
        "has a rewrite rule": rules,
        "has row security": guarded,
        "inherits, or is inherited from": family,
        "has no primary key": not keyed,
    }
    return next((problem for problem, holds in wrong.items() if holds), "")
