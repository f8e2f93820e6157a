-- A tenant is a store. It leads every key, so that the tables can be distributed by it, and no statement reads the rows of two.
-- Text in keys is compared as bytes. Times are in UTC; NULL is unset, but in the keys of relations.

-- One row for a tenant: who the store is, what it has given out, and whether a memory was ever purged. A writer locks it, so that the
-- order of commits is that of revisions.
CREATE TABLE hippo.tenant (
    tenant     text        COLLATE "C" PRIMARY KEY,
    store      text        NOT NULL,
    revision   bigint      NOT NULL DEFAULT 0,
    versions   bigint      NOT NULL DEFAULT 0,
    buried     boolean     NOT NULL DEFAULT false,
    day        bigint      NOT NULL DEFAULT 0,
    date       text        NOT NULL DEFAULT '',
    zone       text        NOT NULL DEFAULT '',
    memories   bigint      NOT NULL DEFAULT 0,
    forgotten  bigint      NOT NULL DEFAULT 0,
    relations  bigint      NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

-- The last commit of each handle that has the tenant open: after a lost connection it says whether the commit took place.
CREATE TABLE hippo.writer (
    tenant text        COLLATE "C" NOT NULL,
    holder uuid        NOT NULL,
    number bigint      NOT NULL,
    at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, holder)
) WITH (fillfactor = 50);

-- Rights that one handle has at a time, until a time by the clock of the server. before is the end of the right before it was taken last;
-- NULL: none had it.
CREATE TABLE hippo.lease (
    tenant text        COLLATE "C" NOT NULL,
    name   text        COLLATE "C" NOT NULL,
    holder uuid        NOT NULL,
    until  timestamptz NOT NULL,
    before timestamptz,
    PRIMARY KEY (tenant, name)
) WITH (fillfactor = 50);

-- surprise has five numbers. JSON is json, not jsonb, which would rewrite numbers. What seldom changes is last.
CREATE TABLE hippo.memory (
    tenant        text             COLLATE "C" NOT NULL,
    id            uuid             NOT NULL,
    revision      bigint           NOT NULL,
    base          double precision NOT NULL,
    value         double precision NOT NULL,
    set_day       bigint           NOT NULL,
    set_at        timestamptz,
    pinned        boolean          NOT NULL,
    created_at    timestamptz,
    updated_at    timestamptz,
    event_time    timestamptz,
    valid_from    timestamptz,
    valid_until   timestamptz,
    superseded_by uuid,
    forgotten_at  timestamptz,
    archived_at   timestamptz,
    version       bigint           NOT NULL,
    trust         smallint         NOT NULL,
    seq           bigint           NOT NULL,
    content_hash  bytea            NOT NULL,
    surprise      double precision[],
    type          text             NOT NULL,
    source_kind   text             NOT NULL,
    author        text             NOT NULL,
    client        text             NOT NULL,
    session       text             NOT NULL,
    uri           text             NOT NULL,
    project       text             NOT NULL,
    namespace     text             NOT NULL,
    situation     text[],
    tags          text[],
    metadata      json,
    feedback      json,
    untied        json,
    content       text             NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX memory_revision ON hippo.memory (tenant, revision);

-- The accesses of memories: a day, its count, and so on, the newest first. Each search counts some: as no index has what changes, and
-- the rest of the row stays, a count writes some hundred bytes of the log.
CREATE TABLE hippo.access (
    tenant text     COLLATE "C" NOT NULL,
    memory uuid     NOT NULL,
    days   bigint[] NOT NULL,
    PRIMARY KEY (tenant, memory)
) WITH (fillfactor = 50);

-- Purged memories, for followers to learn of.
CREATE TABLE hippo.tombstone (
    tenant   text   COLLATE "C" NOT NULL,
    id       uuid   NOT NULL,
    revision bigint NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX tombstone_revision ON hippo.tombstone (tenant, revision);

-- A relation holds from valid_from until valid_until, which are infinite if unset; reinforced is then -infinity.
CREATE TABLE hippo.relation (
    tenant      text             COLLATE "C" NOT NULL,
    source      uuid             NOT NULL,
    target      uuid             NOT NULL,
    kind        text             COLLATE "C" NOT NULL,
    valid_from  timestamptz      NOT NULL,
    valid_until timestamptz      NOT NULL,
    reinforced  timestamptz      NOT NULL,
    weight      double precision NOT NULL,
    PRIMARY KEY (tenant, source, target, kind, valid_from)
);
CREATE INDEX relation_source ON hippo.relation (tenant, source, weight DESC, reinforced DESC);
CREATE INDEX relation_target ON hippo.relation (tenant, target, weight DESC, reinforced DESC);

-- What made vectors. Names are any bytes.
CREATE TABLE hippo.model (
    tenant    text    COLLATE "C" NOT NULL,
    number    integer NOT NULL,
    name      bytea   NOT NULL,
    dimension integer NOT NULL,
    PRIMARY KEY (tenant, number)
);

-- What a model made of the text of a memory, text being a hash of it: 32-bit floats, little endian, of one passage after the other.
-- They do not compress.
CREATE TABLE hippo.vector (
    tenant text    COLLATE "C" NOT NULL,
    memory uuid    NOT NULL,
    model  integer NOT NULL,
    text   bigint  NOT NULL,
    value  bytea   NOT NULL,
    PRIMARY KEY (tenant, memory, model)
);
ALTER TABLE hippo.vector ALTER value SET STORAGE EXTERNAL;

-- What memories were before they were changed. An operation has one version of each memory that it changed; one without any left is
-- removed.
CREATE TABLE hippo.operation (
    tenant      text        COLLATE "C" NOT NULL,
    id          uuid        NOT NULL,
    at          timestamptz NOT NULL,
    day         bigint      NOT NULL,
    seq         bigint      NOT NULL,
    undoes      uuid,
    verb        text        NOT NULL,
    source_kind text        NOT NULL,
    author      text        NOT NULL,
    client      text        NOT NULL,
    session     text        NOT NULL,
    uri         text        NOT NULL,
    reason      text        NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX operation_at ON hippo.operation (tenant, at DESC, id DESC);

-- number orders the versions of a tenant. siblings counts those of the operation in the project, size is that of the texts, after is
-- NULL if only relations changed, former is NULL if the operation recorded the memory.
CREATE TABLE hippo.version (
    tenant    text   COLLATE "C" NOT NULL,
    memory    uuid   NOT NULL,
    number    bigint NOT NULL,
    operation uuid   NOT NULL,
    siblings  bigint NOT NULL,
    size      bigint NOT NULL,
    after     bytea,
    namespace text   NOT NULL,
    project   text   NOT NULL,
    relations json,
    former    json,
    PRIMARY KEY (tenant, memory, number)
);
CREATE INDEX version_operation ON hippo.version (tenant, operation);
