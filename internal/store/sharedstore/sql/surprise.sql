-- Rows with the surprise of another program are read again: their memories take it.
UPDATE shared_row SET updated_at = NULL WHERE hash IN (
    SELECT content_hash FROM memories
    WHERE json_valid(metadata) AND json_extract(metadata, '$._hippo.surprise.score') IS NOT NULL
        AND ifnull(json_extract(metadata, '$._hippo.surprise.version'), '') NOT LIKE 'hippo/%');
