-- The memories that a scope of the default namespace does not see, and all that others
-- can see: looked up in searches, without reading the rows, whose contents are long.
DROP INDEX forgotten;
CREATE INDEX hidden ON memory (id, namespace, project, forgotten_at) WHERE forgotten_at IS NOT NULL OR namespace <> '';
