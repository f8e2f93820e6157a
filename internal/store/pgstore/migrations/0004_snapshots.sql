-- Files of indexes, in parts of a MiB, for machines that have none; store is the identity of the store. They do not compress well.
CREATE TABLE hippo.snapshot (
    tenant   text    COLLATE "C" NOT NULL,
    store    text    COLLATE "C" NOT NULL,
    form     text    COLLATE "C" NOT NULL,
    revision bigint  NOT NULL,
    part     integer NOT NULL,
    data     bytea   NOT NULL,
    PRIMARY KEY (tenant, store, form, revision, part)
);
ALTER TABLE hippo.snapshot ALTER data SET STORAGE EXTERNAL;
