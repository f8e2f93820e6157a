-- Versions of the tables of the store, and of those below. PRAGMA user_version is the other programs'.
CREATE TABLE shared_state (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    store INTEGER NOT NULL,
    own   INTEGER NOT NULL
) STRICT;

INSERT INTO shared_state VALUES (1, 0, 0);

-- The rows of memories as they were last seen, by their hash: rows are purged and inserted anew, with
-- another id.
CREATE TABLE shared_row (
    hash       TEXT    PRIMARY KEY,
    row        INTEGER NOT NULL,
    created_at ANY,
    updated_at ANY,
    deleted_at ANY
) STRICT, WITHOUT ROWID;

CREATE INDEX shared_row_row ON shared_row (row);

-- Which row shows a memory to the others. Memories with one text share a row. An entry outlives its row.
CREATE TABLE shared_memory (
    memory BLOB PRIMARY KEY,
    hash   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX shared_memory_hash ON shared_memory (hash);
