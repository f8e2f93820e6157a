-- What the store knows of itself as one of several that exchange their changes, as JSON; '': it is alone.
ALTER TABLE state ADD COLUMN replica TEXT NOT NULL DEFAULT '';

-- The entries that count, of all replicas: what each has written of a memory. first is the first number of the segment. Those of a memory lie
-- together, since a change of it reads and changes them.
CREATE TABLE sync_entry (
    memory BLOB    NOT NULL CHECK (length(memory) = 16),
    origin BLOB    NOT NULL CHECK (length(origin) = 16),
    seq    INTEGER NOT NULL,
    first  INTEGER NOT NULL,
    line   BLOB    NOT NULL, -- deflated, see packed.go
    PRIMARY KEY (memory, origin, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX sync_entry_dot ON sync_entry (origin, seq, first);

-- What a replica had seen of the others when it began a segment, as JSON; gone with the last entry of the segment.
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
