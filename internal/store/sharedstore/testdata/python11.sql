-- A file as mcp-memory-service 11 and 12 make it.
CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE memories (id INTEGER PRIMARY KEY AUTOINCREMENT, content_hash TEXT UNIQUE NOT NULL, content TEXT NOT NULL, tags TEXT, memory_type TEXT,
    metadata TEXT, created_at REAL, updated_at REAL, created_at_iso TEXT, updated_at_iso TEXT, deleted_at REAL DEFAULT NULL);
CREATE VIRTUAL TABLE memory_embeddings USING vec0(content_embedding FLOAT[384] distance_metric=cosine, store TEXT partition key);
INSERT INTO metadata VALUES ('distance_metric', 'cosine');
CREATE INDEX idx_content_hash ON memories(content_hash);
CREATE INDEX idx_created_at ON memories(created_at);
CREATE INDEX idx_memory_type ON memories(memory_type);
CREATE INDEX idx_deleted_at ON memories(deleted_at);
CREATE VIRTUAL TABLE memory_content_fts USING fts5(content, content='memories', content_rowid='id', tokenize='trigram');
CREATE TRIGGER memories_fts_ai AFTER INSERT ON memories BEGIN
    INSERT INTO memory_content_fts(rowid, content) VALUES (new.id, new.content); END;
CREATE TRIGGER memories_fts_au AFTER UPDATE ON memories BEGIN
    DELETE FROM memory_content_fts WHERE rowid = old.id;
    INSERT INTO memory_content_fts(rowid, content) VALUES (new.id, new.content); END;
CREATE TRIGGER memories_fts_ad AFTER DELETE ON memories BEGIN DELETE FROM memory_content_fts WHERE rowid = old.id; END;
INSERT INTO memory_content_fts(memory_content_fts) VALUES('rebuild');
INSERT INTO metadata VALUES ('fts5_enabled', 'true');
CREATE TABLE memory_graph (source_hash TEXT NOT NULL, target_hash TEXT NOT NULL, similarity REAL NOT NULL, connection_types TEXT NOT NULL,
    metadata TEXT, created_at REAL NOT NULL, relationship_type TEXT DEFAULT 'related', PRIMARY KEY (source_hash, target_hash));
CREATE INDEX idx_graph_source ON memory_graph(source_hash);
CREATE INDEX idx_graph_target ON memory_graph(target_hash);
ALTER TABLE memories ADD COLUMN parent_id TEXT;
ALTER TABLE memories ADD COLUMN version INTEGER DEFAULT 1;
ALTER TABLE memories ADD COLUMN confidence REAL DEFAULT 1.0;
ALTER TABLE memories ADD COLUMN last_accessed INTEGER;
ALTER TABLE memories ADD COLUMN superseded_by TEXT;
ALTER TABLE memories ADD COLUMN store TEXT DEFAULT 'default';
ALTER TABLE memories ADD COLUMN embedding_pending INTEGER NOT NULL DEFAULT 0;
CREATE INDEX idx_memories_embedding_pending ON memories(embedding_pending);
CREATE TABLE migration_registry (version INTEGER PRIMARY KEY, name TEXT NOT NULL, filename TEXT NOT NULL, applied_at TEXT NOT NULL, checksum TEXT);
INSERT INTO metadata VALUES ('schema_version', '19');
