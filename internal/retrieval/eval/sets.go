package eval

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// The files that make a folder a set.
const (
	conversationsFile = "conversations.jsonl"
	questionsFile     = "questions.jsonl"
	corpusFile        = "corpus.jsonl"
	queriesFile       = "queries.jsonl"
	qrelsFile         = "qrels.tsv"
)

// maxDepth is the number of levels of folders below the given one that may hold sets.
const maxDepth = 3

// Setting is what a question is asked of.
type Setting string

// The settings of a set as it is read.
const (
	// SettingConversation: the conversation that the question is about.
	SettingConversation Setting = "conversation"
	// SettingCorpus: the whole corpus.
	SettingCorpus Setting = "corpus"
)

// Set is a collection of documents and questions about them.
type Set struct {
	// Name is the folder below that of the data, with slashes.
	Name      string
	Setting   Setting
	Groups    []Group
	Questions []Question
	// Rejected has the reason for each document that a store would refuse.
	Rejected []string
}

// Group holds the documents that a question searches: a conversation or a whole corpus.
type Group struct {
	Name string
	Docs []*hippo.Memory
}

// Question is one search, and the documents that answer it.
type Question struct {
	ID, Text, Category string
	// Lang is the language of the text, if the set says it, else empty.
	Lang string
	// Group is the name of the group that is searched.
	Group string
	// Relevant has the gain, above 0, of each document that answers, by its [Name].
	Relevant map[string]float64
}

// Judged returns the set with only those questions that a document answers. It shares all
// else with s.
func (s *Set) Judged() *Set {
	return s.keep(func(q *Question) bool { return len(q.Relevant) > 0 })
}

// Asked returns the set with only those questions that a document answers, or that are
// [Unanswerable]. It shares all else with s.
func (s *Set) Asked() *Set {
	return s.keep(func(q *Question) bool { return len(q.Relevant) > 0 || Unanswerable(q.Category) })
}

func (s *Set) keep(is func(*Question) bool) *Set {
	out := *s
	out.Questions = nil
	for i := range s.Questions {
		if is(&s.Questions[i]) {
			out.Questions = append(out.Questions, s.Questions[i])
		}
	}
	return &out
}

// Report returns the report on a set, without rows.
func (s *Set) Report() SetReport {
	n := 0
	for i := range s.Groups {
		n += len(s.Groups[i].Docs)
	}
	return SetReport{Name: s.Name, Documents: n, Questions: len(s.Judged().Questions), Rejected: s.Rejected}
}

// Load reads the set in dir, or every set in the folders below it, in the order of
// their names. Errors: [hippo.ErrInvalid] if there is none, or a line of one is broken.
func Load(dir string) ([]*Set, error) {
	var sets []*Set
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
			s.Name = filepath.ToSlash(name)
			if name == "." {
				s.Name = filepath.Base(filepath.Clean(dir))
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
func loadSet(dir string) (*Set, error) {
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
func (s *Set) load(path string, prepare func(*hippo.Memory) string) error {
	src, err := formats.Open(path)
	if err != nil {
		return err
	}
	at := make(map[string]int)
	for m, err := range src.Entries() {
		if err != nil {
			s.Rejected = append(s.Rejected, filepath.Base(path)+": "+err.Error())
			continue
		}
		name := prepare(m)
		i, ok := at[name]
		if !ok {
			i = len(s.Groups)
			at[name] = i
			s.Groups = append(s.Groups, Group{Name: name})
		}
		s.Groups[i].Docs = append(s.Groups[i].Docs, m)
	}
	return nil
}

func loadConversations(dir string) (*Set, error) {
	s := &Set{Setting: SettingConversation}
	if err := s.load(filepath.Join(dir, conversationsFile), func(m *hippo.Memory) string { return m.Project }); err != nil {
		return nil, err
	}
	err := eachRow(filepath.Join(dir, questionsFile), func(row []byte) error {
		var r struct {
			ID, Conversation, Question, Category string
			Relevant                             []string `json:"evidence"`
		}
		if err := json.Unmarshal(row, &r); err != nil {
			return err
		}
		if !slices.ContainsFunc(s.Groups, func(g Group) bool { return g.Name == r.Conversation }) {
			return hippo.Fieldf("conversation", "must be one of %s, got %q", conversationsFile, r.Conversation)
		}
		q := Question{ID: r.ID, Text: r.Question, Category: r.Category, Group: r.Conversation, Relevant: make(map[string]float64)}
		for _, id := range r.Relevant {
			q.Relevant[canonical(id)] = 1
		}
		s.Questions = append(s.Questions, q)
		return nil
	})
	return s, err
}

// loadCorpus reads the layout of the BEIR collections. A document is its title,
// if it has one, and its text, with the situation, type, importance and time of recording
// that it may have; or a whole insight. Whatever their projects, all are searched together.
func loadCorpus(dir string) (*Set, error) {
	s := &Set{Setting: SettingCorpus}
	err := s.load(filepath.Join(dir, corpusFile), func(m *hippo.Memory) string {
		var title string
		if json.Unmarshal(m.Metadata["title"], &title) == nil && title != "" {
			m.Content = title + "\n" + m.Content
		}
		return ""
	})
	if err == nil {
		err = s.supersede()
	}
	if err != nil {
		return nil, err
	}
	relevant, err := loadQrels(filepath.Join(dir, qrelsFile))
	if err != nil {
		return nil, err
	}
	err = eachRow(filepath.Join(dir, queriesFile), func(row []byte) error {
		var r struct {
			ID                   string `json:"_id"`
			Text, Category, Lang string
		}
		err := json.Unmarshal(row, &r)
		s.Questions = append(s.Questions, Question{ID: r.ID, Text: r.Text, Category: r.Category, Lang: r.Lang, Relevant: relevant[r.ID]})
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

// Name returns the name that a set gives to a document: the URI of its source, or its
// ID if it has none.
func Name(m *hippo.Memory) string { return cmp.Or(m.Source.URI, m.ID.String()) }

// canonical returns the form of a document's name that [Name] returns.
func canonical(name string) string {
	if id, err := hippo.ParseID(name); err == nil {
		return id.String()
	}
	return name
}
