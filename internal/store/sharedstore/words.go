package sharedstore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// The triggers that mcp-memory-service gives its full-text index leave words of former texts there, after which its integrity check
// fails. So another index is made beside it, in parts between which the file is free, and then takes its name. Until then the other
// programs use the former one. Triggers keep what was made of the new one up to date, whoever writes: after a kill it goes on.

// wordsChunk is how many rows are added before the time is looked at: a row takes longer than one that is taken over.
const wordsChunk = 64

// unrepaired reports whether there is a full-text index with triggers of the other program.
func unrepaired(s *Store) bool {
	last := s.seen.Load()
	return last != nil && last.layout.words && !last.layout.repaired
}

// repairWords makes the index.
func repairWords(ctx context.Context, s *Store) error {
	for unrepaired(s) {
		took, err := repairPart(ctx, s)
		if err != nil {
			return err
		}
		select {
		case <-time.After(min(took/2, maxPause)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// repairPart makes a part of it, and says how long others could not write.
func repairPart(ctx context.Context, s *Store) (took time.Duration, err error) {
	err = transact(ctx, s, nil, func(g *group) error {
		began := s.now()
		err := g.repairPart(ctx, func() bool { return s.now().Sub(began) >= partTime })
		took = s.now().Sub(began)
		return err
	})
	return took, err
}

func (g *group) repairPart(ctx context.Context, end func() bool) error {
	l := &g.seen.layout
	if !l.words || l.repaired {
		return nil // another process did it
	}
	if err := g.beginWords(ctx); err != nil {
		return err
	}
	for n := 0; ; n += wordsChunk {
		var last *int64
		if _, err := sqlitex.First(ctx, g.Group, `SELECT max(id) FROM (SELECT id FROM memories WHERE id > (SELECT words FROM shared_state) ORDER BY id LIMIT ?)`,
			[]any{wordsChunk}, &last); err != nil {
			return err
		}
		if last == nil { // at once, or rows that come between two parts could put the end off
			l.repaired = true
			return g.Script(wordsEndSQL)
		}
		if n >= partSize || n > 0 && end() {
			return nil
		}
		if err := g.Exec(`INSERT INTO shared_words (rowid, content)
			SELECT id, content FROM memories WHERE id > (SELECT words FROM shared_state) AND id <= ? ORDER BY id`, *last); err != nil {
			return err
		}
		if err := g.Exec("UPDATE shared_state SET words = ?", *last); err != nil {
			return err
		}
	}
}

// beginWords creates the index, as the former one was created, unless that was done.
func (g *group) beginWords(ctx context.Context) error {
	former, there := "", false
	_, err := sqlitex.First(ctx, g.Group, `SELECT sql, EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'shared_words')
		FROM sqlite_schema WHERE name = 'memory_content_fts'`, nil, &former, &there)
	if err != nil || there {
		return err
	}
	using := strings.Index(strings.ToUpper(former), "USING")
	if using < 0 {
		return fmt.Errorf("%w: memory_content_fts is no full-text index (%.200s)", hippo.ErrUnsupported, former)
	}
	return g.Script("CREATE VIRTUAL TABLE shared_words " + former[using:] + ";\n" + wordsBeginSQL)
}
