-- What a tenant may keep, 0 for no limit, and what it keeps: texts counts the bytes of the texts of its memories. used_at is when it was
-- last written, but for the handles that table writer still has.
-- needs tenant: reads and writes wait, rewrite
-- needs memory: nothing waits, read
ALTER TABLE hippo.tenant
    ADD COLUMN texts        bigint NOT NULL DEFAULT 0,
    ADD COLUMN max_memories bigint NOT NULL DEFAULT 0,
    ADD COLUMN max_texts    bigint NOT NULL DEFAULT 0,
    ADD COLUMN max_requests bigint NOT NULL DEFAULT 0,
    ADD COLUMN used_at      timestamptz;
UPDATE hippo.tenant t SET texts = s.texts
    FROM (SELECT tenant, sum(octet_length(content)) AS texts FROM hippo.memory GROUP BY tenant) s WHERE s.tenant = t.tenant;
