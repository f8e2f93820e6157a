package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// stored is a memory with its key.
type stored struct {
	*hippo.Memory
	pk int64
	// err is why the memory cannot be read. Memory has then what could be, at least the
	// ID, and pk is 0 if the row itself cannot be read.
	err   error
	given bool // in a result
}

// columns are those of table memory and its lists, in the order of scan.
const columns = rowColumns + ", " + situationColumn + ", " + tagColumn + ", " + accessColumn

// The columns of table memory, and the lists of its other tables as JSON.
const (
	rowColumns = `m.pk, m.id, m.revision, m.content, m.type, m.base, m.value, m.set_day, m.set_at, m.pinned,
	m.created_at, m.updated_at, m.event_time, m.valid_from, m.valid_until, m.superseded_by, m.forgotten_at, m.version,
	m.surprise, m.source_kind, m.author, m.client, m.session, m.seq, m.uri, m.trust, m.project, m.namespace,
	m.content_hash, m.metadata, m.feedback, m.untied, m.archived_at`
	situationColumn = "(SELECT json_group_array(text) FROM (SELECT text FROM situation WHERE memory = m.pk ORDER BY pos))"
	tagColumn       = "(SELECT json_group_array(text) FROM (SELECT text FROM tag WHERE memory = m.pk ORDER BY pos))"
	accessColumn    = "(SELECT json_group_array(json_array(day, count)) FROM (SELECT day, count FROM access WHERE memory = m.pk ORDER BY day))"
)

// encoded is the fields of a memory that are stored as JSON.
type encoded struct{ situation, tags, accesses, surprise, metadata, feedback, untied string }

// rowScanner reads rows of columns. It scans into values of any type, which package sql passes on
// as they are: for other types it converts every column, which takes longer than reading it.
type rowScanner struct {
	values  [columnCount]any
	targets []any // the addresses of values
	next    int   // column
	err     error // the first value that has another type than its column
}

// columnCount is the number of columns.
const columnCount = 36

func newRowScanner() *rowScanner {
	s := &rowScanner{targets: make([]any, columnCount)}
	for i := range s.values {
		s.targets[i] = &s.values[i]
	}
	return s
}

// value returns the next column; NULL is the zero value.
func value[T any](s *rowScanner) (v T) {
	x := s.values[s.next]
	v, ok := x.(T)
	if !ok && x != nil && s.err == nil {
		s.err = fmt.Errorf("column %d is a %T, want a %T", s.next+1, x, v)
	}
	s.next++
	return v
}

func (s *rowScanner) text() string { return value[string](s) }
func (s *rowScanner) integer() int { return int(value[int64](s)) }

// time returns the next column as a time; NULL is unset.
func (s *rowScanner) time() time.Time {
	if s.values[s.next] == nil {
		s.next++
		return time.Time{}
	}
	return time.UnixMicro(value[int64](s)).UTC()
}

// scan reads one row of columns. An error is about the database; a value of another type makes
// only its memory unreadable.
func (s *rowScanner) scan(rows *sql.Rows) (stored, error) {
	m, parts, err := s.scanRow(rows)
	if err == nil && m.err == nil {
		m.err = m.unpack(&parts)
	}
	return m, err
}

// scanRow is scan without the parts that are stored as JSON.
func (s *rowScanner) scanRow(rows *sql.Rows) (stored, encoded, error) {
	m := stored{Memory: &hippo.Memory{}}
	if err := rows.Scan(s.targets...); err != nil {
		return m, encoded{}, err
	}
	s.next, s.err = 0, nil
	m.pk = value[int64](s)
	copy(m.ID[:], value[[]byte](s))
	m.Revision = hippo.Revision(s.integer())
	m.Content, m.Type = s.text(), s.text()
	m.Importance.Base, m.Importance.Value = value[float64](s), value[float64](s)
	m.Importance.SetDay, m.Importance.SetAt = hippo.Day(s.integer()), s.time()
	m.Pinned = s.integer() != 0
	m.CreatedAt, m.UpdatedAt, m.EventTime, m.ValidFrom, m.ValidUntil = s.time(), s.time(), s.time(), s.time(), s.time()
	copy(m.SupersededBy[:], value[[]byte](s))
	m.ForgottenAt, m.Version = s.time(), s.integer()
	parts := encoded{surprise: s.text()}
	m.Source.Kind = hippo.SourceKind(s.text())
	m.Source.Author, m.Source.Client, m.Source.Session = s.text(), s.text(), s.text()
	m.Source.Seq, m.Source.URI = s.integer(), s.text()
	m.Trust = hippo.Trust(s.integer())
	m.Project, m.Namespace = s.text(), s.text()
	copy(m.ContentHash[:], value[[]byte](s))
	parts.metadata, parts.feedback, parts.untied = s.text(), s.text(), s.text()
	m.ArchivedAt = s.time()
	parts.situation, parts.tags, parts.accesses = s.text(), s.text(), s.text()
	m.err = s.err
	return m, parts, nil
}

// texts are the fields of a memory that have to be UTF-8.
func (m *stored) texts() []*string {
	return []*string{
		&m.Content, &m.Type, (*string)(&m.Source.Kind), &m.Source.Author, &m.Source.Client, &m.Source.Session, &m.Source.URI,
		&m.Project, &m.Namespace,
	}
}

// part is a field of a memory that is stored as JSON.
type part struct {
	name string
	text *string
	to   any
}

func (m *stored) parts(e *encoded, accesses *[][2]int) []part {
	return []part{
		{"situation", &e.situation, &m.Situation},
		{"tags", &e.tags, &m.Tags},
		{"accesses", &e.accesses, accesses},
		{"surprise", &e.surprise, &m.Surprise},
		{"metadata", &e.metadata, &m.Metadata},
		{"feedback", &e.feedback, &m.Feedback},
		{"untied_importance", &e.untied, &m.Untied},
	}
}

func (p *part) decode() error {
	switch {
	case *p.text == "" || *p.text == "[]":
		return nil
	case !utf8.ValidString(*p.text):
		return fmt.Errorf("%s: not UTF-8: %.40q", p.name, *p.text)
	}
	if decodePlain(*p.text, p.to) {
		return nil
	}
	if err := json.Unmarshal([]byte(*p.text), p.to); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return nil
}

// decodePlain decodes the arrays that nearly all memories have, many times faster than package json: a
// list of strings without escapes, and a list of one pair of numbers. It reports whether text is one.
func decodePlain(text string, to any) bool {
	switch to := to.(type) {
	case *[]string:
		inner, begins := strings.CutPrefix(text, `["`)
		inner, ends := strings.CutSuffix(inner, `"]`)
		if !begins || !ends || strings.IndexByte(inner, '\\') >= 0 {
			return false
		}
		list := strings.Split(inner, `","`)
		if strings.Count(inner, `"`) != 2*(len(list)-1) {
			return false
		}
		*to = list
		return true
	case *[][2]int:
		inner, begins := strings.CutPrefix(text, "[[")
		inner, ends := strings.CutSuffix(inner, "]]")
		first, second, pair := strings.Cut(inner, ",")
		day, err := strconv.Atoi(first)
		count, err2 := strconv.Atoi(second)
		if !begins || !ends || !pair || err != nil || err2 != nil {
			return false
		}
		*to = [][2]int{{day, count}}
		return true
	}
	return false
}

// unpack decodes the JSON fields, and rejects text that is not UTF-8.
func (m *stored) unpack(e *encoded) error {
	for _, text := range m.texts() {
		if !utf8.ValidString(*text) {
			return fmt.Errorf("not UTF-8: %.40q", *text)
		}
	}
	var accesses [][2]int
	for _, p := range m.parts(e, &accesses) {
		if err := p.decode(); err != nil {
			return err
		}
	}
	m.access(accesses)
	return nil
}

func (m *stored) access(pairs [][2]int) {
	for _, p := range pairs {
		m.Accesses = append(m.Accesses, hippo.Access{Day: hippo.Day(p[0]), Count: p[1]})
	}
}

// sizes are the numbers of IDs of one statement: a few fixed ones, so that the statements are
// prepared once. For numbers in between an ID is repeated.
func sizes() []int { return []int{1, 10, 100} }

// batch returns the arguments of one statement, as many as one of sizes, and the
// IDs that are left for others.
func batch(ids []hippo.ID) (args []any, rest []hippo.ID) {
	n := sizes()[0]
	for _, size := range sizes() {
		if n < len(ids) {
			n = size
		}
	}
	args = make([]any, n)
	for i := range args {
		args[i] = ids[min(i, len(ids)-1)][:]
	}
	return args, ids[min(n, len(ids)):]
}

// placeholders returns those of n arguments.
func placeholders(n int) string { return "(?" + strings.Repeat(",?", n-1) + ")" }

// byID returns the statement that selects n memories.
func byID(n int) string {
	return "SELECT " + columns + " FROM memory m WHERE m.id IN " + placeholders(n)
}

// get returns the memories in the order of ids, without those that are missing. Of a
// damaged database it returns what can be read.
func get(ctx context.Context, q sqlitex.Queryer, ids []hippo.ID) ([]stored, error) {
	found := make(map[hippo.ID]stored, len(ids))
	for rest := ids; len(rest) > 0; {
		var args []any
		asked := rest
		args, rest = batch(rest)
		err := getBatch(ctx, q, args, found)
		for i := 0; sqlitex.Damaged(err) && i < len(asked)-len(rest); i++ { // one by one
			if one := getBatch(ctx, q, []any{asked[i][:]}, found); sqlitex.Damaged(one) {
				found[asked[i]] = stored{Memory: &hippo.Memory{ID: asked[i]}, err: one}
			} else if one != nil {
				return nil, one
			}
		}
		if err != nil && !sqlitex.Damaged(err) {
			return nil, err
		}
	}
	out := make([]stored, 0, len(found))
	for _, id := range ids {
		m, ok := found[id]
		if !ok {
			continue
		}
		if m.given { // an ID given twice is answered twice
			m.Memory = m.Clone()
		}
		m.given = true
		found[id] = m
		out = append(out, m)
	}
	return out, nil
}

// getBatch adds the memories of one statement to found.
func getBatch(ctx context.Context, q sqlitex.Queryer, ids []any, found map[hippo.ID]stored) error {
	scanner := newRowScanner()
	for rows, err := range sqlitex.Rows(ctx, q, byID(len(ids)), ids...) {
		if err != nil {
			return err
		}
		m, err := scanner.scan(rows)
		if err != nil {
			return err
		}
		found[m.ID] = m
	}
	return nil
}

func readHead(ctx context.Context, q sqlitex.Queryer) (h driver.Head, err error) {
	h, _, err = readState(ctx, q)
	return h, err
}

// readState also returns what the store knows of itself as a replica.
func readState(ctx context.Context, q sqlitex.Queryer) (h driver.Head, r replicaState, err error) {
	replica := ""
	if _, err := sqlitex.First(ctx, q, "SELECT store, revision, day, date, zone, memories, forgotten, relations, replica FROM state", nil,
		&h.Store, &h.Revision, &h.Calendar.Day, &h.Calendar.Date, &h.Calendar.Zone, &h.Memories, &h.Forgotten, &h.Relations, &replica); err != nil {
		return h, r, err
	}
	r, err = parseReplica(replica)
	return h, r, err
}
