-- Votes and openings with what was asked, as JSON; NULL: none.
ALTER TABLE memory ADD COLUMN feedback TEXT;
