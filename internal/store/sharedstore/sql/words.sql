-- The rows of the full-text index that is being made, shared_words, are those of memories up to this key; NULL: none is being made.
ALTER TABLE shared_state ADD COLUMN words INTEGER;
