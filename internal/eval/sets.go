package eval

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/formats"
)

// The files that make a folder a set.
const (
	conversationsFile = "conversations.jsonl"
	questionsFile     = "questions.jsonl"
	corpusFile        = "corpus.jsonl"
	queriesFile       = "queries.jsonl"
	qrelsFile         = "qrels.tsv"
)

// maxDepth is how many folders below the one given may hold sets.
const maxDepth = 3

// set is a collection of documents and questions about them.
type set struct {
	name string
	// scope is within what its questions are asked.
	scope     Scope
	groups    []group
	questions []question
	// rejected are the documents that a store would refuse.
	rejected []string
}

// group is what one question searches: a conversation, or a whole corpus.
type group struct {
	name string
	docs []*hippo.Memory
}

// question is one search and the gain of each document that answers it.
type question struct {
	id, text, category, group string
	relevant                  map[string]float64
	number                    int // in the set
}

// all yields the documents of all groups, in their order.
func (s *set) all() iter.Seq[*hippo.Memory] {
	return func(yield func(*hippo.Memory) bool) {
		for _, g := range s.groups {
			for _, m := range g.docs {
				if !yield(m) {
					return
				}
			}
		}
	}
}

// documents is the number of documents in all groups.
func (s *set) documents() int {
	n := 0
	for _, g := range s.groups {
		n += len(g.docs)
	}
	return n
}

// pooled is the set with all groups put into one.
func (s *set) pooled() *set {
	p := &set{name: s.name, scope: ScopePooled}
	all := group{}
	for _, g := range s.groups {
		all.docs = append(all.docs, g.docs...)
	}
	p.groups = []group{all}
	for _, q := range s.questions {
		q.group = ""
		p.questions = append(p.questions, q)
	}
	return p
}

// findSets loads the set in dir, or every set in the folders below it, in the
// order of their names.
func findSets(dir string) ([]*set, error) {
	var sets []*set
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		s, err := loadSet(path)
		if err != nil {
			return err
		}
		if s != nil {
			s.name = filepath.ToSlash(name)
			if name == "." {
				s.name = filepath.Base(filepath.Clean(dir))
			}
			sets = append(sets, s)
			return fs.SkipDir
		}
		if name != "." && strings.Count(filepath.ToSlash(name), "/") == maxDepth-1 {
			return fs.SkipDir
		}
		return nil
	})
	if err == nil && len(sets) == 0 {
		err = fmt.Errorf("%w: no set in %s: a set is a folder with %s and %s, or with %s, %s and %s", hippo.ErrInvalid,
			dir, conversationsFile, questionsFile, corpusFile, queriesFile, qrelsFile)
	}
	return sets, err
}

// loadSet returns the set in dir, or nil if there is none.
func loadSet(dir string) (*set, error) {
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool {
			_, err := os.Stat(filepath.Join(dir, n))
			return err != nil
		})
	}
	switch {
	case has(conversationsFile, questionsFile):
		return loadConversations(dir)
	case has(corpusFile, queriesFile, qrelsFile):
		return loadCorpus(dir)
	default:
		return nil, nil
	}
}

// load reads the documents of a file into groups; prepare completes a document and
// returns the name of its group.
func (s *set) load(path string, prepare func(*hippo.Memory) string) error {
	src, err := formats.Open(path)
	if err != nil {
		return err
	}
	at := make(map[string]int)
	for m, err := range src.Entries() {
		if err != nil {
			s.rejected = append(s.rejected, filepath.Base(path)+": "+err.Error())
			continue
		}
		name := prepare(m)
		i, ok := at[name]
		if !ok {
			i = len(s.groups)
			at[name] = i
			s.groups = append(s.groups, group{name: name})
		}
		s.groups[i].docs = append(s.groups[i].docs, m)
	}
	return nil
}

func loadConversations(dir string) (*set, error) {
	s := &set{scope: ScopeConversation}
	if err := s.load(filepath.Join(dir, conversationsFile), func(m *hippo.Memory) string { return m.Project }); err != nil {
		return nil, err
	}
	err := eachRow(filepath.Join(dir, questionsFile), func(row []byte) error {
		var r struct {
			ID, Conversation, Question, Category string
			Evidence                             []string
		}
		if err := json.Unmarshal(row, &r); err != nil {
			return err
		}
		if !slices.ContainsFunc(s.groups, func(g group) bool { return g.name == r.Conversation }) {
			return hippo.Fieldf("conversation", "must be one of %s, got %q", conversationsFile, r.Conversation)
		}
		q := question{id: r.ID, text: r.Question, category: r.Category, group: r.Conversation, relevant: make(map[string]float64)}
		for _, id := range r.Evidence {
			q.relevant[canonical(id)] = 1
		}
		s.questions = append(s.questions, q)
		return nil
	})
	return s, err
}

// loadCorpus reads the layout of the BEIR collections. A document is its title,
// if it has one, and its text; or a whole insight. Whatever their projects, all are
// searched together.
func loadCorpus(dir string) (*set, error) {
	s := &set{scope: ScopeCorpus}
	err := s.load(filepath.Join(dir, corpusFile), func(m *hippo.Memory) string {
		var title string
		if json.Unmarshal(m.Metadata["title"], &title) == nil && title != "" {
			m.Content = title + "\n" + m.Content
		}
		return ""
	})
	if err != nil {
		return nil, err
	}
	relevant, err := loadQrels(filepath.Join(dir, qrelsFile))
	if err != nil {
		return nil, err
	}
	err = eachRow(filepath.Join(dir, queriesFile), func(row []byte) error {
		var r struct {
			ID             string `json:"_id"`
			Text, Category string
		}
		err := json.Unmarshal(row, &r)
		s.questions = append(s.questions, question{id: r.ID, text: r.Text, category: r.Category, relevant: relevant[r.ID]})
		return err
	})
	return s, err
}

// loadQrels reads lines of query, document and gain, and returns the documents
// with a gain above 0 by query. A first line without a number is a heading.
func loadQrels(path string) (map[string]map[string]float64, error) {
	all := make(map[string]map[string]float64)
	heading := true
	err := eachRow(path, func(row []byte) error {
		cols := strings.Split(string(row), "\t")
		if len(cols) != 3 {
			return fmt.Errorf("%w: must have 3 columns with tabs between them, got %d", hippo.ErrInvalid, len(cols))
		}
		first := heading
		heading = false
		gain, err := strconv.ParseFloat(cols[2], 64)
		if err != nil {
			if first {
				return nil
			}
			return err
		}
		if all[cols[0]] == nil {
			all[cols[0]] = make(map[string]float64)
		}
		if gain > 0 {
			all[cols[0]][canonical(cols[1])] = gain
		}
		return nil
	})
	return all, err
}

// eachRow calls fn for every line that is not blank; errors name the line.
func eachRow(path string, fn func([]byte) error) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return scanRows(f, func(n int, row []byte) error {
		if err := fn(row); err != nil {
			return fmt.Errorf("%s: line %d: %w", path, n, err)
		}
		return nil
	})
}

func scanRows(r io.Reader, fn func(int, []byte) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, formats.MaxEntry)
	for n := 1; lines.Scan(); n++ {
		if row := strings.TrimSpace(lines.Text()); row != "" {
			if err := fn(n, []byte(row)); err != nil {
				return err
			}
		}
	}
	return lines.Err()
}

// idOf is the name that a set gives to a document.
func idOf(m *hippo.Memory) string { return cmp.Or(m.Source.URI, m.ID.String()) }

// canonical is the form of a document's name that [idOf] returns.
func canonical(name string) string {
	if id, err := hippo.ParseID(name); err == nil {
		return id.String()
	}
	return name
}
