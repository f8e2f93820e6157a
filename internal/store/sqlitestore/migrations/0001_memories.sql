-- One row: who this store is, and what it has given out.
CREATE TABLE state (
    one       INTEGER PRIMARY KEY CHECK (one = 1),
    store     TEXT    NOT NULL,
    revision  INTEGER NOT NULL,
    day       INTEGER NOT NULL,
    date      TEXT    NOT NULL,
    memories  INTEGER NOT NULL,
    forgotten INTEGER NOT NULL
) STRICT;

INSERT INTO state VALUES (1, lower(hex(randomblob(16))), 0, 0, '', 0, 0);

-- Times are microseconds since 1970 in UTC; NULL is unset.
CREATE TABLE memory (
    pk            INTEGER PRIMARY KEY,
    id            BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    revision      INTEGER NOT NULL UNIQUE,
    content       TEXT    NOT NULL,
    type          TEXT    NOT NULL,
    base          REAL    NOT NULL,
    value         REAL    NOT NULL,
    set_day       INTEGER NOT NULL,
    set_at        INTEGER,
    pinned        INTEGER NOT NULL,
    created_at    INTEGER,
    updated_at    INTEGER,
    event_time    INTEGER,
    valid_from    INTEGER,
    valid_until   INTEGER,
    superseded_by BLOB,
    forgotten_at  INTEGER,
    version       INTEGER NOT NULL,
    surprise      TEXT,
    source_kind   TEXT    NOT NULL,
    author        TEXT    NOT NULL,
    client        TEXT    NOT NULL,
    session       TEXT    NOT NULL,
    seq           INTEGER NOT NULL,
    uri           TEXT    NOT NULL,
    trust         INTEGER NOT NULL,
    project       TEXT    NOT NULL,
    namespace     TEXT    NOT NULL,
    content_hash  BLOB    NOT NULL,
    metadata      TEXT
) STRICT;

CREATE TABLE situation (
    memory INTEGER NOT NULL REFERENCES memory (pk) ON DELETE CASCADE,
    pos    INTEGER NOT NULL,
    text   TEXT    NOT NULL,
    PRIMARY KEY (memory, pos)
) STRICT, WITHOUT ROWID;

CREATE TABLE tag (
    memory INTEGER NOT NULL REFERENCES memory (pk) ON DELETE CASCADE,
    pos    INTEGER NOT NULL,
    text   TEXT    NOT NULL,
    PRIMARY KEY (memory, pos)
) STRICT, WITHOUT ROWID;

CREATE TABLE access (
    memory INTEGER NOT NULL REFERENCES memory (pk) ON DELETE CASCADE,
    day    INTEGER NOT NULL,
    count  INTEGER NOT NULL,
    PRIMARY KEY (memory, day)
) STRICT, WITHOUT ROWID;

-- Purged memories, for followers to learn of.
CREATE TABLE tombstone (
    id       BLOB    PRIMARY KEY,
    revision INTEGER NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;
