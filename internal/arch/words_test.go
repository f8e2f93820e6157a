package arch_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
)

// wordsFile lists the files that still have private words, and how many.
const wordsFile = "testdata/words.txt"

func TestWords(t *testing.T) {
	t.Parallel()
	counts, first, err := countWords(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	allowed := exceptions(t, wordsFile, counts)
	report(t, checkWords(counts, first, allowed))
}

// checkWords returns the files with more private words than are allowed.
func checkWords(counts map[string]int, first map[string]string, allowed map[string]int) []string {
	var bad []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[name]; n > allowed[name] {
			bad = append(bad, fmt.Sprintf("%s: %d private words, at most %d; such as %s (after moving files: go test ./internal/arch -update)", name, n, allowed[name], first[name]))
		}
	}
	return bad
}

// countWords returns the number of private words in each Go file and document that has
// some, and one of them with its line. The change log and the records of decisions may
// use the words of their time.
func countWords(fsys fs.FS) (counts map[string]int, first map[string]string, err error) {
	m := newMatcher()
	counts, first = make(map[string]int), make(map[string]string)
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if d.IsDir() {
			if name != "." && (base == "testdata" || base == "bin" || base[0] == '.' && base != ".ci" || name == "docs/adr") {
				return fs.SkipDir
			}
			return nil
		}
		goFile := path.Ext(name) == ".go"
		if !goFile && !isText(name) || name == "CHANGELOG.md" || within(name, "internal/arch") {
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		found := m.document
		if goFile {
			found = m.source
		}
		for _, f := range found(text) {
			counts[name]++
			if first[name] == "" {
				first[name] = f
			}
		}
		return nil
	})
	return counts, first, err
}

// isText reports whether a file is a document, a script or a configuration.
func isText(name string) bool {
	switch path.Ext(name) {
	case ".md", ".py", ".sh", ".yml":
		return true
	}
	return path.Base(name) == "Makefile" || within(name, ".ci")
}

// document returns the private words of a text, each with its line.
func (m matcher) document(text []byte) []string {
	var out []string
	for i, line := range strings.Split(string(text), "\n") {
		out = append(out, m.find(wordsOf(line), false, i+1)...)
	}
	return out
}

// source returns the private words of the identifiers, comments and JSON keys of a Go
// file, each with its line.
func (m matcher) source(text []byte) []string {
	var out []string
	var s scanner.Scanner
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(text))
	s.Init(file, text, nil, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		line := file.Line(pos)
		switch {
		case tok == token.EOF:
			return out
		case tok == token.COMMENT:
			for i, l := range strings.Split(lit, "\n") {
				out = append(out, m.find(wordsOf(l), false, line+i)...)
			}
		case tok == token.IDENT && token.IsExported(lit) && strings.HasSuffix(lit, "Closer"): // as io.Closer
		case tok == token.IDENT:
			out = append(out, m.find(wordsOf(lit), true, line)...)
		case tok == token.STRING:
			if tag, err := strconv.Unquote(lit); err == nil {
				key, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
				if key == "evidence" { // of the data sets of eval
					continue
				}
				out = append(out, m.find(wordsOf(key), true, line)...)
			}
		}
	}
}

// wordsOf returns the words of a text or a name in lower case: runs of letters, and
// within them those that begin with a capital.
func wordsOf(text string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	upper := false
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r):
			flush()
			continue
		case unicode.IsUpper(r) && !upper:
			flush()
		}
		upper = unicode.IsUpper(r)
		word = append(word, r)
	}
	flush()
	return out
}

// matcher finds private words, by the first word of each.
type matcher map[string][]privateWord

func newMatcher() matcher {
	m := make(matcher)
	for _, p := range privateWords() {
		first, _, _ := strings.Cut(p.text, " ")
		m[first] = append(m[first], p)
	}
	return m
}

// find returns the private words in a sequence of words: of a name, or of a text.
func (m matcher) find(words []string, name bool, line int) []string {
	var out []string
	for i, w := range words {
		for _, p := range m[w] {
			phrase := strings.Fields(p.text)
			if p.names && !name || len(phrase) > len(words)-i || !slices.Equal(phrase, words[i:i+len(phrase)]) {
				continue
			}
			out = append(out, fmt.Sprintf("line %d: %q, say %s", line, p.text, p.say))
		}
	}
	return out
}

func TestWordsCheckBites(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, text string
		want       []string
	}{
		"identifier":    {"p/a.go", "package p\n\nfunc newHeirs() {}\n", []string{`line 3: "heirs", say successors`}},
		"comment":       {"p/a.go", "package p\n\n// f makes it\n// anew.\nfunc f() {}\n", []string{`line 4: "anew", say again, or rebuilt`}},
		"phrase":        {"p/a.go", "package p // found by meaning\n", []string{`line 1: "by meaning", say semantic`}},
		"json_key":      {"p/a.go", "package p\n\ntype t struct {\n\tX int `json:\"longer,omitempty\"`\n}\n", []string{`line 4: "longer", say length offset`}},
		"document":      {"docs/a.md", "# A\n\nHow rarity, *rarity*, counts.\n", []string{`line 3: "rarity", say inverse document frequency`, `line 3: "rarity", say inverse document frequency`}},
		"plain_english": {"p/a.go", "package p // no longer in use, we met it: look\n", nil},
		"part_of_word":  {"p/a.go", "package p\n\nvar methods, stillness, rehear, metal int\n", nil},
		"closer":        {"p/a.go", "package p\n\nimport \"io\"\n\nvar x io.Closer\n\nvar y io.WriteCloser\n", nil},
		"text":          {"p/a.go", "package p\n\nconst s = \"told\"\n", nil},
		"script":        {".ci/run", "# build it anew\n", []string{`line 1: "anew", say again, or rebuilt`}},
		"makefile":      {"Makefile", "x: # by words\n", []string{`line 1: "by words", say lexical`}},
		"decision":      {"docs/adr/1.md", "made anew\n", nil},
		"change_log":    {"CHANGELOG.md", "made anew\n", nil},
		"test_data":     {"p/testdata/a.go", "package heirs\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			counts, first, err := countWords(fstest.MapFS{c.file: {Data: []byte(c.text)}})
			if err != nil {
				t.Fatal(err)
			}
			if counts[c.file] != len(c.want) || len(c.want) > 0 && first[c.file] != c.want[0] {
				t.Errorf("got %d, the first is %q, want %q", counts[c.file], first[c.file], c.want)
			}
			if bad := checkWords(counts, first, map[string]int{c.file: len(c.want)}); len(bad) > 0 {
				t.Errorf("complaints %q about what is allowed", bad)
			}
			if bad := checkWords(counts, first, nil); len(bad) != min(1, len(c.want)) {
				t.Errorf("complaints %q, want one about what is not allowed", bad)
			}
		})
	}
}
