-- 1 if a restore removed the memory because its backup lacks it, 0 if somebody purged it.
ALTER TABLE tombstone ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
