-- A new file: the tables that the programs have in common, as all of them create them.
CREATE TABLE memories (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    content_hash   TEXT UNIQUE NOT NULL,
    content        TEXT NOT NULL,
    tags           TEXT,
    memory_type    TEXT,
    metadata       TEXT,
    created_at     REAL,
    updated_at     REAL,
    created_at_iso TEXT,
    updated_at_iso TEXT,
    deleted_at     REAL DEFAULT NULL
);

CREATE INDEX idx_content_hash ON memories(content_hash);
CREATE INDEX idx_created_at ON memories(created_at);
CREATE INDEX idx_memory_type ON memories(memory_type);
CREATE INDEX idx_deleted_at ON memories(deleted_at);

CREATE VIRTUAL TABLE memory_embeddings USING vec0(content_embedding FLOAT[384] distance_metric=cosine);
