-- The index takes the place of the former one, with triggers that remove the old words with the old text: with a content table of
-- its own, a plain DELETE looks the old words up in the new row, and leaves them in the index.
DROP TRIGGER IF EXISTS memories_fts_ai;
DROP TRIGGER IF EXISTS memories_fts_au;
DROP TRIGGER IF EXISTS memories_fts_ad;
DROP TRIGGER shared_words_ai;
DROP TRIGGER shared_words_au;
DROP TRIGGER shared_words_ad;
DROP TABLE memory_content_fts;
ALTER TABLE shared_words RENAME TO memory_content_fts;

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

UPDATE shared_state SET words = NULL;
