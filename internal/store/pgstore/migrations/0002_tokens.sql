-- Tokens of the servers that share the database: who may do what, until when, as JSON. Those who authenticate name no tenant.
CREATE TABLE hippo.token (
    hash      bytea  PRIMARY KEY,
    namespace text   COLLATE "C" NOT NULL,
    name      text   COLLATE "C" NOT NULL,
    number    bigint GENERATED ALWAYS AS IDENTITY,
    token     json   NOT NULL,
    UNIQUE (namespace, name)
);
