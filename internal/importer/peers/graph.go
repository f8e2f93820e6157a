package peers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// The types of the memories that stand for the parts of a graph, and the kind of the relation
// from an observation to its entity.
const (
	typeEntity      = "entity"
	typeObservation = "observation"
	kindAbout       = "about"
)

// graphItem is an entity or a relation of the MCP memory server.
type graphItem struct {
	Type         string            `json:"type"`
	Name         string            `json:"name"`
	EntityType   string            `json:"entityType"`
	Observations []json.RawMessage `json:"observations"`
	From         string            `json:"from"`
	To           string            `json:"to"`
	RelationType string            `json:"relationType"`
}

// readGraphLines reads memory.jsonl: an entity or a relation a line.
func readGraphLines(f file, out *formats.Out) error {
	g := newGraph(f, out)
	err := f.whole(out, func(*formats.Out) error {
		return f.read(func(r *bufio.Reader) error {
			return eachLine(r, func(n int, line []byte, err error) error {
				where := fmt.Sprintf("line %d", n)
				if err != nil {
					return g.add(where, nil, "", err)
				}
				for _, v := range values(line) {
					if err := g.add(where, v, "", nil); err != nil {
						return err
					}
				}
				return nil
			})
		})
	})
	if err != nil {
		return err
	}
	return g.finish()
}

// values splits a line at the values that two writers glued together; what is broken is the last.
func values(line []byte) [][]byte {
	var out [][]byte
	d := json.NewDecoder(bytes.NewReader(line))
	for {
		var v json.RawMessage
		at := d.InputOffset()
		if d.Decode(&v) != nil {
			if rest := bytes.TrimSpace(line[at:]); len(rest) > 0 {
				out = append(out, rest)
			}
			return out
		}
		out = append(out, v)
	}
}

// readGraphObject reads {"entities": [...], "relations": [...]}, as the tool read_graph answers.
func readGraphObject(f file, out *formats.Out) error {
	g := newGraph(f, out)
	of := func(kind string) entryReader {
		return func(where string, b []byte, err error) error { return g.add(where, b, kind, err) }
	}
	err := f.whole(out, func(*formats.Out) error {
		return readObjectFile(f, out, map[string]entryReader{"entities": of("entity"), "relations": of("relation")}, nil)
	})
	if err != nil {
		return err
	}
	return g.finish()
}

// graph collects the relations of a file until all entities are known.
type graph struct {
	file      file
	out       *formats.Out
	entities  map[string]bool
	relations []graphItem
}

func newGraph(f file, out *formats.Out) *graph {
	return &graph{file: f, out: out, entities: make(map[string]bool)}
}

// add takes an item of a kind; of its own type if that is empty.
func (g *graph) add(where string, b []byte, kind string, err error) error {
	var item graphItem
	if err == nil {
		if bad := json.Unmarshal(b, &item); bad != nil {
			err = fmt.Errorf("%w: broken JSON: %w", hippo.ErrCorrupt, bad)
		}
	}
	if kind == "" {
		kind = item.Type
	}
	switch {
	case err != nil:
		return g.out.Memory(where, nil, err)
	case kind == "entity":
		return g.entity(where, &item)
	case kind == "relation":
		g.relations = append(g.relations, item)
		return nil
	}
	return g.out.Memory(where, nil, hippo.Fieldf("type", "must be entity or relation, got %q", formats.Shorten(kind, maxQuoted)))
}

// entity adds a memory for an entity and one for each of its observations.
func (g *graph) entity(where string, item *graphItem) error {
	if strings.TrimSpace(item.Name) == "" {
		return g.out.Memory(where, nil, hippo.Fieldf("name", "must not be empty"))
	}
	g.entities[item.Name] = true
	e := g.memory("entity/" + item.Name)
	e.Type = typeEntity
	e.Content = item.Name
	if item.EntityType != "" {
		e.Content += " (" + item.EntityType + ")"
		e.Tags = []string{item.EntityType}
	}
	if err := g.out.Memory(where, e, nil); err != nil {
		return err
	}
	for _, raw := range item.Observations {
		text := observation(raw)
		if strings.TrimSpace(text) == "" {
			g.out.Skip("empty observations", 1)
			continue
		}
		m := g.memory("observation/" + item.Name + "/" + text)
		m.Type, m.Content, m.Tags = typeObservation, text, e.Tags
		m.Situation = []string{item.Name}
		if err := g.out.Memory(where, m, nil); err != nil {
			return err
		}
		g.out.Relate(hippo.Relation{From: m.ID, To: e.ID, Kind: kindAbout, Weight: 1})
	}
	return nil
}

func (g *graph) memory(name string) *hippo.Memory {
	m := formats.Imported("mcp-memory", name)
	m.Source.Client = "mcp memory server"
	m.Project = g.file.options.Project
	return m
}

// observation returns the text of an observation, which may be a number, and which forks of the server wrap in an object.
func observation(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	r, err := objectRow(raw)
	if err != nil {
		return ""
	}
	return r.text("content", "text", "observation")
}

// finish adds the relations.
func (g *graph) finish() error {
	for _, item := range g.relations {
		if !g.entities[item.From] || !g.entities[item.To] {
			g.out.Skip("relations of things that are no memories here", 1)
			continue
		}
		g.out.Relate(hippo.Relation{
			From: g.memory("entity/" + item.From).ID, To: g.memory("entity/" + item.To).ID,
			Kind: formats.Shorten(item.RelationType, hippo.MaxKind), Weight: 1,
		})
	}
	return nil
}

// eachLine calls fn with each line that is not blank and its number, or with an error for one
// that is longer than an entry may be.
func eachLine(r *bufio.Reader, fn func(n int, line []byte, err error) error) error {
	for n := 1; ; n++ {
		line, err := readLine(r)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, hippo.ErrInvalid) {
			return fmt.Errorf("line %d: %w", n, err)
		}
		text := strings.TrimSpace(strings.TrimPrefix(string(line), "\ufeff"))
		if errors.Is(err, hippo.ErrInvalid) || text != "" {
			bad := err
			if errors.Is(err, io.EOF) {
				bad = nil
			}
			if err := fn(n, []byte(text), bad); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
	}
}

// readLine returns the next line in bounded memory. One that is too long is
// [hippo.ErrInvalid], and reading continues after it.
func readLine(r *bufio.Reader) (line []byte, err error) {
	over := false
	for {
		part, err := r.ReadSlice('\n')
		if over = over || len(line)+len(part) > formats.MaxEntry; !over {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case over && (err == nil || errors.Is(err, io.EOF)):
			return nil, hippo.Fieldf("line", "must be at most %d bytes", formats.MaxEntry)
		}
		return line, err
	}
}
