-- What memories have to do with each other; times as in memory. source and target
-- are From and To: IDs and not keys, so that a search reads no row of memory.
CREATE TABLE relation (
    pk          INTEGER PRIMARY KEY,
    source      BLOB    NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
    target      BLOB    NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
    kind        TEXT    NOT NULL,
    weight      REAL    NOT NULL,
    valid_from  INTEGER,
    valid_until INTEGER,
    reinforced  INTEGER,
    UNIQUE (source, target, kind)
) STRICT;

-- The strongest of a memory first, with all that is asked for.
CREATE INDEX relation_source ON relation (source, weight DESC, reinforced DESC, target, kind, valid_from, valid_until);
CREATE INDEX relation_target ON relation (target, weight DESC, reinforced DESC, source, kind, valid_from, valid_until);

CREATE INDEX forgotten ON memory (id) WHERE forgotten_at IS NOT NULL;

ALTER TABLE state ADD COLUMN relations INTEGER NOT NULL DEFAULT 0;
