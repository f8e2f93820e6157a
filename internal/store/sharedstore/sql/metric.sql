CREATE TABLE IF NOT EXISTS metadata (key TEXT PRIMARY KEY, value TEXT NOT NULL);

-- Without this row mcp-memory-service drops the vectors when it opens the file.
INSERT OR IGNORE INTO metadata
    SELECT 'distance_metric', 'cosine' FROM sqlite_schema WHERE name = 'memory_embeddings' AND sql LIKE '%distance_metric=cosine%';
