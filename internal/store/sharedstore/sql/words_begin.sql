-- While the index is made, what happens to the rows that it has is done in it, too. A row after those comes with a later part.
CREATE TRIGGER shared_words_ai AFTER INSERT ON memories BEGIN
    INSERT INTO shared_words (rowid, content) SELECT new.id, new.content WHERE new.id <= (SELECT words FROM shared_state);
END;

CREATE TRIGGER shared_words_au AFTER UPDATE OF id, content ON memories BEGIN
    INSERT INTO shared_words (shared_words, rowid, content) SELECT 'delete', old.id, old.content WHERE old.id <= (SELECT words FROM shared_state);
    INSERT INTO shared_words (rowid, content) SELECT new.id, new.content WHERE new.id <= (SELECT words FROM shared_state);
END;

CREATE TRIGGER shared_words_ad AFTER DELETE ON memories BEGIN
    INSERT INTO shared_words (shared_words, rowid, content) SELECT 'delete', old.id, old.content WHERE old.id <= (SELECT words FROM shared_state);
END;

UPDATE shared_state SET words = (SELECT ifnull(min(id), 1) - 1 FROM memories);
