-- Votes and openings with what was asked, and the importance without them, as JSON; NULL: none.
ALTER TABLE memory ADD COLUMN feedback TEXT;
ALTER TABLE memory ADD COLUMN untied TEXT;
