-- What the store knows of itself as one of several that exchange their changes, as JSON; '': it is alone.
ALTER TABLE state ADD COLUMN replica TEXT NOT NULL DEFAULT '';

-- The entries that count, of all replicas: what each has written of a memory. first is the first number of the segment.
CREATE TABLE sync_entry (
    pk     INTEGER PRIMARY KEY,
    origin BLOB    NOT NULL CHECK (length(origin) = 16),
    seq    INTEGER NOT NULL,
    memory BLOB    NOT NULL CHECK (length(memory) = 16),
    first  INTEGER NOT NULL,
    line   TEXT    NOT NULL,
    UNIQUE (origin, seq)
) STRICT;

CREATE INDEX sync_entry_memory ON sync_entry (memory);

-- What a replica had seen of the others when it began a segment, as JSON.
CREATE TABLE sync_segment (
    origin BLOB    NOT NULL,
    first  INTEGER NOT NULL,
    vector TEXT    NOT NULL,
    PRIMARY KEY (origin, first)
) STRICT, WITHOUT ROWID;

-- Up to which number the entries of each other replica were seen.
CREATE TABLE sync_vector (
    origin BLOB    PRIMARY KEY,
    seq    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The memories from which relations wait for one that is not there yet.
CREATE TABLE sync_waiting (
    target BLOB NOT NULL,
    memory BLOB NOT NULL,
    PRIMARY KEY (target, memory)
) STRICT, WITHOUT ROWID;
