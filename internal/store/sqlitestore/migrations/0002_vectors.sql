-- What made vectors; all of one model have the same number of values.
CREATE TABLE model (
    pk        INTEGER PRIMARY KEY,
    name      TEXT    NOT NULL UNIQUE,
    dimension INTEGER NOT NULL
) STRICT;

-- What a model made of the text of a memory. The values are 32-bit floats, little
-- endian. With rows of 1 to 2 KB a table of its own and a slim index beside it are
-- faster than one tree of both.
CREATE TABLE vector (
    memory INTEGER NOT NULL REFERENCES memory (pk) ON DELETE CASCADE,
    model  INTEGER NOT NULL REFERENCES model (pk) ON DELETE CASCADE,
    text   INTEGER NOT NULL,
    value  BLOB    NOT NULL,
    PRIMARY KEY (memory, model)
) STRICT;
