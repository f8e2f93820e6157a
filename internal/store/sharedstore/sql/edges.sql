-- The rows of memory_graph as they were last seen.
CREATE TABLE shared_edge (
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    kind   ANY,
    weight ANY,
    PRIMARY KEY (source, target)
) STRICT, WITHOUT ROWID;
