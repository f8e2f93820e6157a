-- Triggers of the full-text index that remove the old words with the old text: with a content table of
-- its own, a plain DELETE looks the old words up in the new row, and leaves them in the index.
DROP TRIGGER IF EXISTS memories_fts_ai;
DROP TRIGGER IF EXISTS memories_fts_au;
DROP TRIGGER IF EXISTS memories_fts_ad;

CREATE TRIGGER memories_fts_ai AFTER INSERT ON memories BEGIN
    INSERT INTO memory_content_fts (rowid, content) VALUES (new.id, new.content);
END;

CREATE TRIGGER memories_fts_au AFTER UPDATE OF id, content ON memories BEGIN
    INSERT INTO memory_content_fts (memory_content_fts, rowid, content) VALUES ('delete', old.id, old.content);
    INSERT INTO memory_content_fts (rowid, content) VALUES (new.id, new.content);
END;

CREATE TRIGGER memories_fts_ad AFTER DELETE ON memories BEGIN
    INSERT INTO memory_content_fts (memory_content_fts, rowid, content) VALUES ('delete', old.id, old.content);
END;

INSERT INTO memory_content_fts (memory_content_fts) VALUES ('rebuild');
