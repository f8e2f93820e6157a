-- A store as version 1 of the schema left it: three memories, the last one forgotten.
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE access (
    memory INTEGER NOT NULL REFERENCES memory (pk) ON DELETE CASCADE,
    day    INTEGER NOT NULL,
    count  INTEGER NOT NULL,
    PRIMARY KEY (memory, day)
) STRICT, WITHOUT ROWID;
INSERT INTO "access" VALUES(1,1,1);
INSERT INTO "access" VALUES(2,1,1);
INSERT INTO "access" VALUES(3,1,1);
CREATE TABLE memory (
    pk            INTEGER PRIMARY KEY,
    id            BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    revision      INTEGER NOT NULL UNIQUE,
    content       TEXT    NOT NULL,
    type          TEXT    NOT NULL,
    base          REAL    NOT NULL,
    value         REAL    NOT NULL,
    set_day       INTEGER NOT NULL,
    set_at        INTEGER,
    pinned        INTEGER NOT NULL,
    created_at    INTEGER,
    updated_at    INTEGER,
    event_time    INTEGER,
    valid_from    INTEGER,
    valid_until   INTEGER,
    superseded_by BLOB,
    forgotten_at  INTEGER,
    version       INTEGER NOT NULL,
    surprise      TEXT,
    source_kind   TEXT    NOT NULL,
    author        TEXT    NOT NULL,
    client        TEXT    NOT NULL,
    session       TEXT    NOT NULL,
    seq           INTEGER NOT NULL,
    uri           TEXT    NOT NULL,
    trust         INTEGER NOT NULL,
    project       TEXT    NOT NULL,
    namespace     TEXT    NOT NULL,
    content_hash  BLOB    NOT NULL,
    metadata      TEXT
) STRICT;
INSERT INTO "memory" VALUES(1,X'01A1FDE9E18C7E9791579A920909B374',1,'Retries need jitter 🦛','decision',0.8,0.8,1,1795261325708884,0,1795261325708884,1795261325708884,1754092800000000,NULL,NULL,NULL,NULL,1,NULL,'user','','','',0,'',3,'example','',X'76DD30173CB5D6B6716165368600BB93F625C4247053FD948F7BCBCE51573FDC',NULL);
INSERT INTO "memory" VALUES(2,X'01A1FDE9E1A17413AE3B02CCCE5E50F0',2,'Backups are checked by restoring them','',0.5,0.5,1,1795261325729237,1,1795261325729237,1795261325729237,NULL,NULL,NULL,NULL,NULL,1,NULL,'user','','','',0,'',3,'example','',X'66154EF600419475DB444BAFFBE4AEB7551CDCA3871182554DF8512FEA8A50CD',NULL);
INSERT INTO "memory" VALUES(3,X'01A1FDE9E1AF78E6A459909188514D95',5,'This one is forgotten','',0.5,0.75,1,1795261325821505,0,1795261325743563,1795261325868714,NULL,NULL,NULL,NULL,1795261325868189,1,NULL,'user','','','',0,'',3,'example','',X'5D2A8C0D166605C9A463D5B2549076F3A1B093CA20512D7D4B103C1B1AFA9025',NULL);
CREATE TABLE situation (
    memory INTEGER NOT NULL REFERENCES memory (pk) ON DELETE CASCADE,
    pos    INTEGER NOT NULL,
    text   TEXT    NOT NULL,
    PRIMARY KEY (memory, pos)
) STRICT, WITHOUT ROWID;
INSERT INTO "situation" VALUES(1,0,'debugging outages');
INSERT INTO "situation" VALUES(1,1,'on call');
CREATE TABLE state (
    one       INTEGER PRIMARY KEY CHECK (one = 1),
    store     TEXT    NOT NULL,
    revision  INTEGER NOT NULL,
    day       INTEGER NOT NULL,
    date      TEXT    NOT NULL,
    memories  INTEGER NOT NULL,
    forgotten INTEGER NOT NULL
) STRICT;
INSERT INTO "state" VALUES(1,'a61c760fac4ebe08bddfb65e2985abcf',5,1,'2026-11-21',3,1);
CREATE TABLE tag (
    memory INTEGER NOT NULL REFERENCES memory (pk) ON DELETE CASCADE,
    pos    INTEGER NOT NULL,
    text   TEXT    NOT NULL,
    PRIMARY KEY (memory, pos)
) STRICT, WITHOUT ROWID;
INSERT INTO "tag" VALUES(1,0,'zeta');
INSERT INTO "tag" VALUES(1,1,'alpha');
CREATE TABLE tombstone (
    id       BLOB    PRIMARY KEY,
    revision INTEGER NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;
COMMIT;
