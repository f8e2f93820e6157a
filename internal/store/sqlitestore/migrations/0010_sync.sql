-- The replica state of a synced store, as JSON. '' means that sync is off.
ALTER TABLE state ADD COLUMN replica TEXT NOT NULL DEFAULT '';

-- The current entries of all replicas. first is the first sequence number of the segment. The entries of a memory are stored together, because
-- each change of the memory reads and rewrites them.
CREATE TABLE sync_entry (
    memory BLOB    NOT NULL CHECK (length(memory) = 16),
    origin BLOB    NOT NULL CHECK (length(origin) = 16),
    seq    INTEGER NOT NULL,
    first  INTEGER NOT NULL,
    line   BLOB    NOT NULL, -- deflated, see packed.go
    PRIMARY KEY (memory, origin, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX sync_entry_dot ON sync_entry (origin, seq, first);

-- The vector of a replica at the start of a segment, as JSON. The row is deleted with the last entry of the segment.
CREATE TABLE sync_segment (
    origin BLOB    NOT NULL,
    first  INTEGER NOT NULL,
    vector TEXT    NOT NULL,
    PRIMARY KEY (origin, first)
) STRICT, WITHOUT ROWID;

-- The highest sequence number seen of each other replica.
CREATE TABLE sync_vector (
    origin BLOB    PRIMARY KEY,
    seq    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Memories with relations to a memory that has not arrived yet.
CREATE TABLE sync_waiting (
    target BLOB NOT NULL,
    memory BLOB NOT NULL,
    PRIMARY KEY (target, memory)
) STRICT, WITHOUT ROWID;
