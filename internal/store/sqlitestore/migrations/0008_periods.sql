-- A relation may hold again after it ended: each period is a row, known by the time from which it holds, too.
CREATE TABLE period (
    pk          INTEGER PRIMARY KEY,
    source      BLOB    NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
    target      BLOB    NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
    kind        TEXT    NOT NULL,
    weight      REAL    NOT NULL,
    valid_from  INTEGER,
    valid_until INTEGER,
    reinforced  INTEGER
) STRICT;

INSERT INTO period SELECT pk, source, target, kind, weight, valid_from, valid_until, reinforced FROM relation;
DROP TABLE relation;
ALTER TABLE period RENAME TO relation;

-- NULL is a time before all others: in a UNIQUE constraint it would differ from itself.
CREATE UNIQUE INDEX relation_key ON relation (source, target, kind, ifnull(valid_from, -9223372036854775808));

CREATE INDEX relation_source ON relation (source, weight DESC, reinforced DESC, target, kind, valid_from, valid_until);
CREATE INDEX relation_target ON relation (target, weight DESC, reinforced DESC, source, kind, valid_from, valid_until);
