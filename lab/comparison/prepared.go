package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sharedstore"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
	"github.com/hippo-memory/hippo/lab/corpus"
	"github.com/hippo-memory/hippo/lab/others"
)

// prepared is a database of this program with texts and their vectors, of which each program gets a copy in its own
// form. It spares them hours of storing.
type prepared struct {
	hippo string
	// own is the database; shared is a copy in the form of the programs that share one, and entities the file of
	// server-memory. The latter two are in a folder that is removed.
	own, shared, entities string
	memories              []*hippo.Memory
}

// indexSuffix is that of the index beside a database of this program.
const indexSuffix = ".index"

// fill makes the database of a file of JSON lines, with all vectors. Cost: 12 ms a text on one core.
func (p *prepared) fill(lines, dir string) error {
	program := others.Hippo(p.hippo, "sqlite")
	s, err := program.Start(p.own, dir)
	if err != nil {
		return err
	}
	if _, err := s.CLI("import", lines); err != nil {
		return err
	}
	return errors.Join(s.Settle(), s.Stop())
}

// derive makes the files of the other programs.
func (p *prepared) derive(ctx context.Context, dir string) error {
	p.shared, p.entities = filepath.Join(dir, "shared.db"), filepath.Join(dir, "entities.jsonl")
	cmd := exec.Command(p.hippo, "migrate", "--from", "sqlite:"+p.own, "--to", "shared:"+p.shared)
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_STATE_HOME="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w: %s", cmd.Args, err, out)
	}
	if err := p.copyVectors(ctx); err != nil {
		return err
	}
	program := others.Hippo(p.hippo, "shared")
	s, err := program.Start(p.shared, dir) // it writes its index
	if err != nil {
		return err
	}
	return errors.Join(s.Settle(), s.Stop(), p.writeEntities())
}

// copyVectors copies the vectors of all models, and reads the memories.
func (p *prepared) copyVectors(ctx context.Context) (err error) {
	from, err := sqlitestore.Open(ctx, p.own, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := sharedstore.Open(ctx, p.shared, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	for change, err := range from.Changes(ctx, 0) {
		if err != nil {
			return err
		}
		p.memories = append(p.memories, change.Memory)
	}
	models, err := from.VectorModels(ctx)
	if err != nil {
		return err
	}
	for _, m := range models {
		if m.Count != len(p.memories) {
			return fmt.Errorf("%s has %d memories and %d vectors of %s: remove it, or let a server embed the rest", p.own, len(p.memories), m.Count, m.Name)
		}
		if err := p.copyModel(ctx, from, to, m.Name); err != nil {
			return err
		}
	}
	return nil
}

func (p *prepared) copyModel(ctx context.Context, from, to driver.Vectors, model string) error {
	const atOnce = 1000
	for part := range slices.Chunk(p.memories, atOnce) {
		ids := make([]hippo.ID, len(part))
		for i, m := range part {
			ids[i] = m.ID
		}
		vectors, err := from.Vectors(ctx, model, ids)
		if err == nil {
			err = to.PutVectors(ctx, model, vectors)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writeEntities writes the file of server-memory: each text is the observation of an entity.
func (p *prepared) writeEntities() (err error) {
	f, err := os.Create(p.entities)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	defer func() { err = errors.Join(err, out.Flush(), f.Close()) }()
	enc := json.NewEncoder(out)
	for _, m := range p.memories {
		if err := enc.Encode(map[string]any{"type": "entity", "name": m.ID.String(), "entityType": "note", "observations": []string{m.Content}}); err != nil {
			return err
		}
	}
	return nil
}

// copyFor copies the file of a program into a folder.
func (p *prepared) copyFor(program *others.Program, dir string) (file string, err error) {
	file = filepath.Join(dir, "memory.db")
	from := p.shared
	switch program.Name {
	case others.Hippo("", "sqlite").Name:
		from = p.own
	case others.ServerMemory("").Name:
		from = p.entities
	}
	for _, suffix := range []string{"", indexSuffix} {
		data, err := os.ReadFile(from + suffix)
		if suffix != "" && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(file+suffix, data, 0o600); err != nil {
			return "", err
		}
	}
	return file, nil
}

// key is what a program calls a memory of the file.
func (p *prepared) key(program *others.Program, m *hippo.Memory) string {
	if program.Shares {
		return hex.EncodeToString(m.ContentHash[:])
	}
	return m.ID.String()
}

// speedPrepared prints a row of figures for each program on its copy of a database, which is made if it is not there.
func speedPrepared(binary, own string, programs []others.Program, rows int) error {
	own, err := filepath.Abs(own)
	if err != nil {
		return err
	}
	words, err := corpus.Words()
	if err != nil {
		return err
	}
	return within(func(dir string) error {
		p := &prepared{hippo: binary, own: own}
		if _, err := os.Stat(own); errors.Is(err, fs.ErrNotExist) {
			lines := filepath.Join(dir, "texts.jsonl")
			if err := errors.Join(corpus.New(uint64(rows), words).Write(lines, rows), p.fill(lines, dir)); err != nil {
				return err
			}
		}
		if err := p.derive(context.Background(), dir); err != nil {
			return err
		}
		if len(p.memories) != rows {
			return fmt.Errorf("%s has %d memories, not %d", own, len(p.memories), rows)
		}
		fmt.Printf("| %d rows | start | first answer | at the next start | retrieve | 99 of 100 | store | memory | tokens of a result | rows there, known texts found first |\n|---|---|---|---|---|---|---|---|---|---|\n", rows)
		for i := range programs {
			if err := within(func(dir string) error { return p.measure(&programs[i], dir, words) }); err != nil {
				return err
			}
		}
		return nil
	})
}

// further is how many texts are stored into a prepared file, and known how many texts of it are asked for.
const further, known = 100, 20

// foundFirst returns how many of the known texts come first when they are asked for.
func (p *prepared) foundFirst(program *others.Program, s *others.Session) (n int, err error) {
	for i := range known {
		m := p.memories[i*len(p.memories)/known]
		keys, err := s.Recall(m.Content, 10)
		if err != nil {
			return 0, err
		}
		if len(keys) > 0 && keys[0] == p.key(program, m) {
			n++
		}
	}
	return n, nil
}

// measure prints the row of a program: medians, the 99th percentile of retrieving, and the first answer once more, after
// kill -9: an index that belongs to the file is made again at the first start on a copy.
func (p *prepared) measure(program *others.Program, dir string, words []string) error {
	file, err := p.copyFor(program, dir)
	if err != nil {
		return err
	}
	var f figures
	w := corpus.New(7, words)
	s, err := f.start(program, file, dir, w)
	if err != nil {
		return err
	}
	defer s.Kill()
	if err := f.ask(s, w, questions); err != nil {
		return err
	}
	count, err := s.Count()
	if err != nil {
		return err
	}
	first, err := p.foundFirst(program, s)
	if err != nil {
		return err
	}
	if err := f.store(s, w, further); err != nil {
		return err
	}
	s.Kill()
	var next figures
	again, err := next.start(program, file, dir, w)
	if err != nil {
		return err
	}
	again.Kill()
	fmt.Printf("| %s | %s | %s | %s | %s | %s | %s | %.0f MB | %d | %d, %d of %d |\n", program.Name, ms(f.started), ms(f.first), ms(next.first), ms(median(f.recalls)), ms(quantile(f.recalls, .99)),
		ms(median(f.stores)), f.memory, f.tokens, count, first, known)
	return nil
}
