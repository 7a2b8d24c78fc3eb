"""The texts of records as the database searches them: our tables and triggers beside Argilla's.

`gates_texts` has one row for each field of a record that holds text: a text field, the contents of
a chat's messages, every text and number in a custom field; an image has none. Triggers keep it
current in the transaction that changes the record, whatever program made it, and a cascade that
deletes a record deletes its rows. What the rows hold is searched

- in SQLite by the full-text table `gates_words`, whose rowid is `gates_texts.id`;
- in PostgreSQL by `words`, the text as lower-case words with one space around each, which `lexemes`
  (null for more than a megabyte of words) finds fast. It needs PostgreSQL with ICU, as is usual.

A word is a run of letters and digits. Case is ignored, `ß` is `ss`, accents count. The texts of one
field are apart: no phrase goes from one into the next.
"""

from string import Template

BREAK = "\ue000"
"""Stands between two texts of a field in SQLite: a word that nobody writes."""

_QUEUE = "CREATE INDEX IF NOT EXISTS gates_queue ON records (dataset_id, status, id)"
"""A page of the queue is found without reading the records, whose rows are long."""

_SQLITE_TABLES = [
    """CREATE TABLE IF NOT EXISTS gates_texts (
    id INTEGER PRIMARY KEY,
    record_id CHAR(32) NOT NULL REFERENCES records (id) ON DELETE CASCADE,
    field VARCHAR NOT NULL,
    UNIQUE (record_id, field))""",
    """CREATE VIRTUAL TABLE IF NOT EXISTS gates_words USING fts5(
    words, tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'")""",
]

_SQLITE_FIELDS = """INSERT INTO gates_texts (record_id, field)
    SELECT $record.id, f.name FROM $source fields f
    WHERE f.dataset_id = $record.dataset_id AND json_extract(f.settings, '$$.type') <> 'image'
    AND json_type($record.fields, '$$."' || f.name || '"') IN ('text', 'array', 'object')"""

# A list at the top is a chat: of its messages only the contents are text.
_SQLITE_WORDS = Template(
    """INSERT INTO gates_words (rowid, words)
    SELECT t.id, coalesce((
        SELECT group_concat(replace(replace(j.atom, 'ß', 'ss'), 'ẞ', 'ss'), ' $between ')
        FROM json_tree($record.fields, '$$."' || t.field || '"') j
        WHERE j.type IN ('text', 'integer', 'real') AND (j.key = 'content'
            OR json_type($record.fields, '$$."' || t.field || '"') <> 'array')), '')
    FROM gates_texts t $join WHERE $where"""
)

_SQLITE_TRIGGERS = {
    "gates_texts_insert": "AFTER INSERT ON records BEGIN $index END",
    "gates_texts_update": """AFTER UPDATE OF fields ON records BEGIN
    DELETE FROM gates_texts WHERE record_id = new.id; $index END""",
    "gates_texts_delete": """AFTER DELETE ON gates_texts BEGIN
    DELETE FROM gates_words WHERE rowid = old.id; END""",
}

_POSTGRESQL = [
    """CREATE TABLE IF NOT EXISTS gates_texts (
    record_id UUID NOT NULL REFERENCES records (id) ON DELETE CASCADE,
    field VARCHAR NOT NULL,
    words TEXT NOT NULL,
    lexemes TSVECTOR,
    PRIMARY KEY (record_id, field))""",
    # A search reads what is not yet sorted in from end to end: let it be little.
    """CREATE INDEX IF NOT EXISTS gates_texts_lexemes
    ON gates_texts USING gin (lexemes) WITH (gin_pending_list_limit = 512)""",
    """CREATE INDEX IF NOT EXISTS gates_texts_long
    ON gates_texts (record_id) WHERE lexemes IS NULL""",
    """CREATE OR REPLACE FUNCTION gates_words(said TEXT) RETURNS TEXT
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT regexp_replace(
        ' ' || translate(replace(lower(said COLLATE "und-x-icu"), 'ß', 'ss'), 'ς', 'σ') || ' ',
        '[^[:alnum:]\\u0300-\\u036f]+', ' ', 'g') $$""",
    """CREATE OR REPLACE FUNCTION gates_lexemes(words TEXT) RETURNS TSVECTOR
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN octet_length(words) < 1000000 THEN array_to_tsvector(ARRAY(
        SELECT DISTINCT left(word, 200) FROM unnest(string_to_array(btrim(words), ' ')) AS word
        WHERE word NOT IN ('', '|'))) END $$""",
    # `asked` finds candidates and, where it is `exact`, decides; the planner thinks too little of
    # what it costs to read them all instead.
    """CREATE OR REPLACE FUNCTION gates_found(
        asked TSQUERY, exact BOOLEAN, patterns TEXT[], of_field TEXT)
    RETURNS SETOF UUID ROWS 20000 LANGUAGE sql STABLE SET enable_seqscan = off SET jit = off AS $$
    SELECT record_id FROM gates_texts
    WHERE lexemes @@ asked AND (exact OR words LIKE ALL (patterns))
    AND (of_field IS NULL OR field = of_field)
    UNION ALL SELECT record_id FROM gates_texts
    WHERE lexemes IS NULL AND words LIKE ALL (patterns)
    AND (of_field IS NULL OR field = of_field) $$""",
    # NUL, which JSON may hold and a text may not, is no part of a word.
    """CREATE OR REPLACE FUNCTION gates_texts_of(fields JSON, dataset UUID)
    RETURNS TABLE (field VARCHAR, words TEXT) LANGUAGE sql STABLE AS $$
    SELECT f.name, coalesce((
        SELECT string_agg(gates_words(said #>> '{}'), '|') FROM jsonb_path_query(value, CASE
            WHEN jsonb_typeof(value) = 'array' THEN '$[*].content' ELSE 'strict $.**' END::jsonpath)
            AS said WHERE jsonb_typeof(said) IN ('string', 'number')), ' ')
    FROM jsonb_each(replace(fields::text, '\\u0000', '\\ufffd')::jsonb)
    JOIN fields f ON f.dataset_id = dataset AND f.name = key
    WHERE f.settings ->> 'type' <> 'image'
    AND jsonb_typeof(value) IN ('string', 'array', 'object') $$""",
    """CREATE OR REPLACE FUNCTION gates_texts_keep() RETURNS TRIGGER LANGUAGE plpgsql AS $$
    BEGIN
        DELETE FROM gates_texts WHERE record_id = new.id;
        INSERT INTO gates_texts SELECT new.id, t.field, t.words, gates_lexemes(t.words)
        FROM gates_texts_of(new.fields, new.dataset_id) t;
        RETURN NULL;
    END $$""",
    """CREATE OR REPLACE TRIGGER gates_texts_keep AFTER INSERT OR UPDATE OF fields ON records
    FOR EACH ROW EXECUTE FUNCTION gates_texts_keep()""",
    """INSERT INTO gates_texts SELECT r.id, t.field, t.words, gates_lexemes(t.words)
    FROM records r CROSS JOIN LATERAL gates_texts_of(r.fields, r.dataset_id) t
    WHERE NOT EXISTS (SELECT FROM gates_texts k WHERE k.record_id = r.id)""",
]


def statements(dialect: str) -> list[str]:
    """SQL that makes tables and triggers and takes in what is there; it may run again and again.

    `dialect` is `sqlite` or `postgresql`; the names are SQLAlchemy's.
    """
    return [_QUEUE, *(_sqlite() if dialect == "sqlite" else _POSTGRESQL)]


def _sqlite() -> list[str]:
    triggers = [
        statement
        for name, rest in _SQLITE_TRIGGERS.items()
        for statement in (
            f"DROP TRIGGER IF EXISTS {name}",
            f"CREATE TRIGGER {name} {Template(rest).safe_substitute(index=_of_new_record())}",
        )
    ]
    return [*_SQLITE_TABLES, *triggers, *_of_records_not_there()]


def _of_new_record() -> str:
    fields = Template(_SQLITE_FIELDS).substitute(record="new", source="")
    where = "t.record_id = new.id"
    words = _SQLITE_WORDS.substitute(record="new", between=BREAK, join="", where=where)
    return f"{fields}; {words};"


def _of_records_not_there() -> list[str]:
    missing = " AND r.id NOT IN (SELECT record_id FROM gates_texts)"
    join = "JOIN records r ON r.id = t.record_id"
    wordless = "t.id NOT IN (SELECT id FROM gates_words_docsize)"
    return [
        Template(_SQLITE_FIELDS).substitute(record="r", source="records r,") + missing,
        _SQLITE_WORDS.substitute(record="r", between=BREAK, join=join, where=wordless),
    ]
