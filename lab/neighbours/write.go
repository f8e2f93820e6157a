package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hippo-memory/hippo/lab/corpus"
	"github.com/hippo-memory/hippo/lab/others"
)

// written are the texts that a program acknowledged, and how many it refused.
type written struct {
	texts   []string
	refused int
	err     error
}

// write stores texts and searches now and then until it is to end, or the program has ended. It calls first
// when the first text was acknowledged.
func write(s *others.Session, texts *corpus.Writer, until <-chan struct{}, first func()) (w written) {
	for n := 0; ; n++ {
		select {
		case <-until:
			return w
		default:
		}
		text := texts.Text(25)
		switch _, err := s.Store(text, "written"); {
		case errors.Is(err, others.ErrRefused):
			w.refused++
		case err != nil:
			w.err = err
			return w
		default:
			w.texts = append(w.texts, text)
			first()
		}
		if n%10 == 9 {
			if _, w.err = s.Recall(text, 5); w.err != nil {
				return w
			}
		}
	}
}

// both lets both programs write until stop returns, which is called when this one has acknowledged a text.
func (p *pair) both(stop func()) (here, there written) {
	until, begun := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	ours, theirs := p.writer(), p.writer()
	wg.Go(func() {
		begin := sync.OnceFunc(func() { close(begun) })
		defer begin() // it ended before
		here = write(p.here, ours, until, begin)
	})
	wg.Go(func() { there = write(p.there, theirs, until, func() {}) })
	<-begun
	stop()
	close(until)
	wg.Wait()
	return here, there
}

// writer returns a writer of texts that no other one writes.
func (p *pair) writer() *corpus.Writer { return corpus.New(p.seeds.Uint64(), p.words) }

// atOnce lets both write at once, and looks for what each acknowledged on both sides.
func atOnce(p *pair, d time.Duration) (string, error) {
	here, there := p.both(func() { time.Sleep(d) })
	if err := errors.Join(here.err, there.err); err != nil {
		return "", err
	}
	if err := p.has(append(here.texts, there.texts...)); err != nil {
		return "", err
	}
	return fmt.Sprintf("%v: %d acknowledged here, %d there (%d refused), all on both sides", d, len(here.texts), len(there.texts), there.refused), nil
}

// has looks for texts on both sides.
func (p *pair) has(texts []string) error {
	for _, s := range []*others.Session{p.here, p.there} {
		list, err := p.contents(s)
		if err != nil {
			return err
		}
		lost := 0
		for _, t := range texts {
			if _, ok := list[t]; !ok {
				lost++
			}
		}
		if lost > 0 {
			return fmt.Errorf("%s lacks %d of %d", s.Program.Name, lost, len(texts))
		}
	}
	return nil
}

// killed kills one of the programs while both write, and starts it again. This one is killed in nine of ten rounds
// where the other one takes seconds to start.
func killed(p *pair, rounds int) (string, error) {
	var all []string
	ours, theirs := 0, 0
	for round := range rounds {
		life := time.Duration(50+round*37%250) * time.Millisecond
		other := round%2 == 1
		if p.theirs.Slow {
			other = round%10 == 9
		}
		here, there := p.both(func() {
			time.Sleep(life)
			if other {
				_ = p.there.Cmd.Process.Kill() // it may have ended
			} else {
				_ = p.here.Cmd.Process.Kill()
			}
		})
		all = append(append(all, here.texts...), there.texts...)
		ours, theirs = ours+len(here.texts), theirs+len(there.texts)
		var err error
		if other {
			p.there.Kill()
			err = errors.Join(here.err, p.sound(), p.startThere())
		} else {
			p.here.Kill()
			err = errors.Join(there.err, p.sound(), p.startHere())
		}
		if err != nil {
			return "", fmt.Errorf("round %d: %w", round, err)
		}
		if round%20 == 19 || round == rounds-1 {
			if err := p.has(all); err != nil {
				return "", fmt.Errorf("round %d: %w", round, err)
			}
		}
	}
	return fmt.Sprintf("%d rounds, %d acknowledged here, %d there, none lost", rounds, ours, theirs), nil
}

// embedded waits until every row has a vector: those of memories that were recorded just before a kill, too.
func embedded(p *pair) (string, error) {
	if _, err := p.here.Recall("anything", 1); err != nil { // begins it
		return "", err
	}
	err := eventually(func() error {
		var without []string
		err := p.query(&without, "SELECT id FROM memories WHERE deleted_at IS NULL AND id NOT IN (SELECT rowid FROM memory_embeddings_rowids)")
		if err == nil && len(without) > 0 {
			err = fmt.Errorf("%d rows have no vector, the first is %s", len(without), without[0])
		}
		return err
	})
	return "every row has one", err
}

// checkedInC runs the checks of the file with the extension that the other programs load.
func checkedInC(p *pair) (string, error) {
	p.end()
	python := filepath.Join(p.folder, "service12", "bin", "python")
	if _, err := os.Stat(python); err != nil {
		return "left out: " + err.Error(), nil
	}
	script := `
import sqlite3, sqlite_vec, sys
db = sqlite3.connect(sys.argv[1])
db.enable_load_extension(True)
sqlite_vec.load(db)
assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
if db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'memory_content_fts'").fetchone():
    db.execute("INSERT INTO memory_content_fts(memory_content_fts, rank) VALUES('integrity-check', 1)")
vectors = dict(db.execute("SELECT rowid, content_embedding FROM memory_embeddings").fetchall())
alive = db.execute("SELECT count(*) FROM memories WHERE deleted_at IS NULL").fetchone()[0]
for id, vector in list(vectors.items())[:200]:
    near = db.execute("SELECT rowid, distance FROM memory_embeddings WHERE content_embedding MATCH ? AND k = 3", (vector,)).fetchall()
    assert min(d for _, d in near) < 1e-3, (id, near)
print(f"SQLite {sqlite3.sqlite_version}, sqlite-vec {db.execute('SELECT vec_version()').fetchone()[0]}: {alive} rows, {len(vectors)} vectors, sound")
`
	out, err := exec.Command(python, "-c", script, p.file).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return strings.TrimSpace(string(out)), nil
}
