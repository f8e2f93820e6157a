-- The successor that a row named when that was last applied, or written; NULL: none, or one that is not known here.
ALTER TABLE shared_row ADD COLUMN superseded_by ANY;
