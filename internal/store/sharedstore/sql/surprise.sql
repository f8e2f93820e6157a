-- The rows of the memories up to this key were written by a version that showed no surprise; 0: there are none left.
ALTER TABLE shared_state ADD COLUMN unscored INTEGER NOT NULL DEFAULT 0;
UPDATE shared_state SET unscored = (SELECT ifnull(max(pk), 0) FROM memory);
