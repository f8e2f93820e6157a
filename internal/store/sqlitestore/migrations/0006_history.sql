-- What memories were before they were changed. An operation has one version of each memory that
-- it changed; one without any left is removed. Times are as in memory.
CREATE TABLE operation (
    pk          INTEGER PRIMARY KEY,
    id          BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    at          INTEGER NOT NULL,
    day         INTEGER NOT NULL,
    verb        TEXT    NOT NULL,
    source_kind TEXT    NOT NULL,
    author      TEXT    NOT NULL,
    client      TEXT    NOT NULL,
    session     TEXT    NOT NULL,
    seq         INTEGER NOT NULL,
    uri         TEXT    NOT NULL,
    reason      TEXT    NOT NULL,
    undoes      BLOB
) STRICT;

CREATE INDEX operation_at ON operation (at DESC, id DESC);

-- memory is an ID and not a key: the history of a directory may be read before its memories.
-- siblings counts the versions of the operation in the project, former is the memory as JSON,
-- NULL if the operation recorded it. The long column is the last one.
CREATE TABLE version (
    pk        INTEGER PRIMARY KEY,
    memory    BLOB    NOT NULL,
    operation INTEGER NOT NULL REFERENCES operation (pk) ON DELETE CASCADE,
    namespace TEXT    NOT NULL,
    project   TEXT    NOT NULL,
    siblings  INTEGER NOT NULL,
    size      INTEGER NOT NULL,
    after     BLOB    NOT NULL,
    former    TEXT
) STRICT;

CREATE INDEX version_memory ON version (memory);
CREATE INDEX version_operation ON version (operation);
