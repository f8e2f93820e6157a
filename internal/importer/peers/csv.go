package peers

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// csvFields lists the fields that a column can be mapped to, each with the names of columns that
// are taken for it without a mapping.
func csvFields() map[string][]string {
	return map[string][]string{
		"content":    {"content", "text", "memory", "insight", "observation", "body", "note"},
		"situation":  {"situation", "context"},
		"tags":       {"tags", "labels"},
		"type":       {"type", "category", "memory_type"},
		"importance": {"importance", "score"},
		"created":    {"created", "created_at", "timestamp", "time", "date"},
		"updated":    {"updated", "updated_at", "modified"},
		"id":         {"id", "uuid"},
		"project":    {"project"},
		"author":     {"author", "speaker", "user"},
		"session":    {"session", "conversation"},
	}
}

// ParseMap reads a mapping such as "content=text,tags=labels": fields of memories to columns of
// a CSV file. The error is a [*hippo.FieldError].
func ParseMap(s string) (map[string]string, error) {
	out := make(map[string]string)
	for _, part := range splitList(s) {
		field, column, ok := strings.Cut(part, "=")
		field, column = strings.TrimSpace(field), strings.TrimSpace(column)
		if !ok || column == "" {
			return nil, hippo.Fieldf("map", "must be FIELD=COLUMN,..., got %q", formats.Shorten(part, maxQuoted))
		}
		if csvFields()[field] == nil {
			return nil, hippo.Fieldf("map", "must name fields among %s, got %q", strings.Join(slices.Sorted(maps.Keys(csvFields())), ", "), formats.Shorten(field, maxQuoted))
		}
		out[field] = column
	}
	return out, nil
}

// isTable reports whether a file has the name of a table. Its columns may have any names.
func isTable(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".csv" || ext == ".tsv"
}

// isCSV recognises a table by its first line: at least two columns, of which one is named as
// a content is, and as many columns in the second.
func isCSV(text []byte) bool {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.ReuseRecord = delimiter(string(first)), false
	header, err := r.Read()
	if err != nil || len(header) < 2 {
		return false
	}
	_, err = r.Read()
	if err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	_, ok := columnsOf(header, nil)["content"]
	return ok
}

// delimiter returns what separates the columns of a line.
func delimiter(line string) rune {
	best := ','
	for _, c := range []rune{';', '\t'} {
		if strings.Count(line, string(c)) > strings.Count(line, string(best)) {
			best = c
		}
	}
	return best
}

// columnsOf returns the columns of the fields, by number.
func columnsOf(header []string, mapped map[string]string) map[string]int {
	out := make(map[string]int)
	for i, name := range header {
		header[i] = strings.TrimSpace(name)
	}
	for field, names := range csvFields() {
		if column, ok := mapped[field]; ok {
			names = []string{column}
		}
		for _, name := range names {
			i := slices.IndexFunc(header, func(h string) bool { return strings.EqualFold(h, name) })
			if _, taken := out[field]; i >= 0 && !taken {
				out[field] = i
			}
		}
	}
	return out
}

// openCSV reads a table with a header: a memory a row.
func openCSV(f file) (*formats.Source, error) {
	var header []string
	err := f.read(func(r *bufio.Reader) (err error) {
		header, err = newTable(r).Read()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%w: CSV: %w", hippo.ErrCorrupt, err)
	}
	columns := columnsOf(header, f.options.Map)
	for field, name := range f.options.Map {
		if _, ok := columns[field]; !ok {
			return nil, hippo.Fieldf("map", "column %q is not there; the columns are %s", formats.Shorten(name, maxQuoted), list(header))
		}
	}
	if _, ok := columns["content"]; !ok {
		return nil, hippo.Fieldf("map", "must say which column is the content (content=COLUMN); the columns are %s", list(header))
	}
	return formats.NewSource(KindCSV, func(out *formats.Out) error {
		return f.whole(out, func(*formats.Out) error {
			return f.read(func(r *bufio.Reader) error { return readTable(newTable(r), f, columns, out) })
		})
	}), nil
}

// newTable returns a reader of a table, whose fields may hold at most so much in all as a
// record may.
func newTable(r *bufio.Reader) *csv.Reader {
	const mark = "\ufeff"
	if b, _ := r.Peek(len(mark)); string(b) == mark { // before a quote it would be a part of a name without quotes
		_, _ = r.Discard(len(mark))
	}
	first, _ := r.Peek(SniffLength)
	line, _, _ := bytes.Cut(first, []byte("\n"))
	c := csv.NewReader(&boundedLines{r: r})
	c.Comma, c.FieldsPerRecord, c.ReuseRecord = delimiter(string(line)), -1, false
	return c
}

// boundedLines is a reader that refuses lines that are longer than an entry.
type boundedLines struct {
	r    io.Reader
	line int
}

func (b *boundedLines) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if i := bytes.LastIndexByte(p[:n], '\n'); i >= 0 {
		b.line = n - i
	} else if b.line += n; b.line > formats.MaxEntry {
		return 0, hippo.Fieldf("line", "must be at most %d bytes", formats.MaxEntry)
	}
	return n, err
}

func readTable(t *csv.Reader, f file, columns map[string]int, out *formats.Out) error {
	header, err := t.Read()
	if err != nil {
		return fmt.Errorf("%w: CSV: %w", hippo.ErrCorrupt, err)
	}
	for {
		record, err := t.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if bad, ok := errors.AsType[*csv.ParseError](err); ok {
			if err := out.Memory(fmt.Sprintf("line %d", bad.StartLine), nil, fmt.Errorf("%w: CSV: %w", hippo.ErrCorrupt, bad.Err)); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("CSV: %w", err)
		}
		line, _ := t.FieldPos(0)
		m, err := tableRow(record, header, columns, f)
		if err := out.Memory(fmt.Sprintf("line %d", line), m, err); err != nil {
			return err
		}
	}
}

// tableRow returns the memory of a record.
func tableRow(record, header []string, columns map[string]int, f file) (*hippo.Memory, error) {
	if len(record) == 1 && len(header) > 1 && ConflictMark(record[0]) {
		return nil, hippo.Fieldf("row", "is a mark of a merge conflict of Git: resolve it first")
	}
	r := row{values: make(map[string]any), used: make(map[string]bool)}
	for i, v := range record {
		if i < len(header) && header[i] != "" {
			r.values[header[i]] = v
		}
	}
	field := func(name string) string {
		if i, ok := columns[name]; ok {
			return header[i]
		}
		return "\x00" // no column
	}
	text := r.text(field("content"))
	if text == "" {
		return nil, hippo.Fieldf("content", "must not be empty")
	}
	created := r.text(field("created"))
	name := r.text(field("id"))
	if name == "" {
		name = created + "\n" + text
	}
	m := formats.Imported("csv", name)
	if id, err := hippo.ParseID(name); err == nil && !id.IsZero() {
		m.ID = id
	}
	m.Content, m.Type, m.Tags = text, r.text(field("type")), r.texts(field("tags"))
	m.Source.Author, m.Source.Session, m.Project = r.text(field("author")), r.text(field("session")), r.text(field("project"))
	m.Source.URI = f.name
	if s := r.text(field("situation")); s != "" {
		m.Situation = []string{s}
	}
	if m.Project == "" {
		m.Project = f.options.Project
	}
	return m, tableValues(m, r, field)
}

// tableValues reads the numbers and times of a record.
func tableValues(m *hippo.Memory, r row, field func(string) string) error {
	if s := r.text(field("importance")); s != "" {
		v, ok := r.number(field("importance"))
		if !ok || v < 0 || v > 1 {
			return hippo.Fieldf("importance", "must be a number between 0 and 1, got %q", formats.Shorten(s, 40))
		}
		m.Importance = hippo.Importance{Base: v, Value: v}
	}
	for _, name := range []string{"created", "updated"} {
		if s := r.text(field(name)); s != "" && r.time(field(name)).IsZero() {
			return hippo.Fieldf(name, "must be a time as 2006-01-02T15:04:05Z, a date or Unix seconds, got %q", formats.Shorten(s, 40))
		}
	}
	formats.SetTimes(m, r.time(field("created")), r.time(field("updated")))
	r.keep(m)
	return nil
}
