-- When a memory was archived; NULL: it is not.
ALTER TABLE memory ADD COLUMN archived_at INTEGER;

-- The relations of a memory that an operation added or removed, as JSON; NULL: none.
ALTER TABLE version ADD COLUMN relations TEXT;
