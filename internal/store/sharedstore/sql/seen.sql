-- What is compared with the rows of memories is in one index, in their order: a comparison reads both from end to end.
DROP INDEX shared_row_row;
CREATE INDEX shared_row_seen ON shared_row (row, updated_at, deleted_at, superseded_by);
