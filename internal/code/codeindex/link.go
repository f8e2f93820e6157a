package codeindex

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
	"github.com/hippo-memory/hippo/internal/code/codeindex/chunk"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

const (
	// maxLinkTexts bounds the candidates of a text, maxLinks what is reported of it.
	maxLinkTexts, maxLinks = 40, 8
	// maxMeanings: what means more definitions says nothing.
	maxMeanings = 3
	// minIdentifier is the least number of letters of an identifier that stands alone.
	minIdentifier = 4
)

// Links returns what memories speak of in the trees of their projects, by memory. What was not seen before for a memory is
// remembered as it is now, beside the index, so that later calls say whether it changed. Cost: a pass over the
// different strings of the files of a tree, and files that define what is spoken of are read.
func (l *Library) Links(ctx context.Context, s *hippo.Scope, memories []*hippo.Memory) (map[hippo.ID][]api.CodeLink, error) {
	trees, err := l.Visible(s)
	if err != nil {
		return nil, err
	}
	out := make(map[hippo.ID][]api.CodeLink)
	for _, t := range trees {
		spoken := make(map[hippo.ID][]string)
		for _, m := range memories {
			if m.Project == ProjectOf(t) {
				spoken[m.ID] = linkTexts(m.Content)
			}
		}
		if err := links(ctx, t, memories, spoken, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// links adds the links of a tree.
func links(ctx context.Context, t *Tree, memories []*hippo.Memory, spoken map[hippo.ID][]string, out map[hippo.ID][]api.CodeLink) error {
	var all []string
	for _, texts := range spoken {
		all = append(all, texts...)
	}
	if len(all) == 0 {
		return ctx.Err()
	}
	g, done, err := t.use(ctx)
	if err != nil {
		return err
	}
	defer done()
	files, closed := textsOf(t)
	defer closed()
	known, err := meanings(ctx, t, g.current.Load(), all, files)
	if err != nil {
		return err
	}
	book := openSightings(t)
	for _, m := range memories {
		if texts := spoken[m.ID]; len(texts) > 0 {
			out[m.ID] = append(out[m.ID], book.compare(t, m, texts, known)...)
		}
	}
	return book.save(t.config.Now())
}

// meaning is what a text of a link means now.
type meaning struct {
	of []api.CodeSymbol
	// hash is that of the texts of all; empty if one of them is not what was indexed.
	hash string
}

// candidate is a text of a link in the parts that are compared.
type candidate struct {
	text, last, want string
	path             bool
}

func candidateOf(text string) candidate {
	c := candidate{text: text, last: text[strings.LastIndexAny(text, ".:#/")+1:]}
	c.path = strings.Contains(text, "/") || isFileName(text)
	c.want = strings.ToLower(strings.NewReplacer("::", ".", "#", ".").Replace(text))
	return c
}

// isFile reports whether the candidate names a file, by its path or the end of it.
func (c *candidate) isFile(path string) bool {
	return c.path && (path == c.text || strings.HasSuffix(path, "/"+c.text))
}

// isFileName reports whether a text ends like the name of a file: main.go.
func isFileName(text string) bool {
	i := strings.LastIndexByte(text, '.')
	return i > 0 && len(text)-i <= 6 && text[i+1:] == strings.ToLower(text[i+1:])
}

// names reports whether the symbol is what the candidate names.
func (c *candidate) names(s *symbolRef) bool {
	if s.name != c.last || s.kind == syntax.Section {
		return false
	}
	if c.last == c.text {
		return s.kind != syntax.Field
	}
	return endsWith(strings.ToLower(s.container()), c.want)
}

// meanings returns what texts mean; what means nothing, or too much, is not in it.
func meanings(ctx context.Context, t *Tree, state *catalog.Catalog, all []string, files *texts) (map[string]meaning, error) {
	names, candidates := make(map[string]bool), make(map[string]candidate)
	for _, text := range all {
		c := candidateOf(text)
		candidates[text], names[c.last] = c, true
	}
	found := make(map[string][]place)
	for _, e := range state.Entries() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for text, c := range candidates {
			if c.isFile(e.Path) {
				found[text] = append(found[text], place{e, -1})
			}
		}
		if e.Mentions(names) {
			if err := addNamed(found, e, names, candidates); err != nil {
				return nil, err
			}
		}
	}
	out := make(map[string]meaning)
	for text, places := range found {
		if len(places) <= maxMeanings {
			m, err := meaningOf(t, places, files)
			if err != nil {
				return nil, err
			}
			out[text] = m
		}
	}
	return out, nil
}

// addNamed adds the definitions of a file that candidates name. names are the last parts of these.
func addNamed(found map[string][]place, e *catalog.Entry, names map[string]bool, candidates map[string]candidate) error {
	f, _, err := e.Read()
	if err != nil {
		return err
	}
	for i := range f.Symbols {
		s := &f.Symbols[i]
		if !names[s.Name] {
			continue
		}
		ref := symbolRef{strings.ToLower(s.Name), s.Name, qualified(s), s.Kind, e, i}
		for text, c := range candidates {
			if c.names(&ref) {
				found[text] = append(found[text], place{e, i})
			}
		}
	}
	return nil
}

func meaningOf(t *Tree, places []place, files *texts) (m meaning, err error) {
	var sums []string
	fresh := true
	for _, p := range places {
		f, _, err := p.entry.Read()
		if err != nil {
			return m, err
		}
		text, freshness := files.of(p.entry)
		d := api.CodeSymbol{Root: t.Root.Path, Path: p.entry.Path, Language: p.entry.Language}
		if p.symbol >= 0 {
			d = definitionOf(t, p.entry, f, chunk.Keys(f.Symbols), p.symbol)
			text = []byte(part(text, f.Symbols[p.symbol].Range))
		}
		d.Freshness = freshness
		fresh = fresh && freshness == api.CodeFresh
		sum := sha256.Sum256(text)
		sums = append(sums, string(sum[:]))
		m.of = append(m.of, d)
	}
	if fresh {
		slices.Sort(sums)
		sum := sha256.Sum256([]byte(strings.Join(sums, "")))
		m.hash = hex.EncodeToString(sum[:12])
	}
	return m, nil
}

// linkText matches what may be a path or a name of code.
var linkText = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // compiled when it is first used
	return regexp.MustCompile("`?[\\pL_][\\pL\\pN_]*(?:(?:::|[./#-])[\\pL\\pN_]+)*(?:`|\\()?")
})

// linkTexts returns the parts of a text that may mean code, each once, in their order.
func linkTexts(text string) (out []string) {
	for _, found := range linkText().FindAllString(text, -1) {
		word := strings.Trim(found, "`(")
		if (len(word) < len(found) || isLinkText(word)) && len(word) >= minIdentifier && !slices.Contains(out, word) {
			out = append(out, word)
		}
		if len(out) == maxLinkTexts {
			break
		}
	}
	return out
}

// isLinkText reports whether a word looks like a path or a name: Pool.Wait, parse_config, parseConfig, main.go.
func isLinkText(word string) bool {
	if strings.ContainsAny(word, "./:#_") {
		return true
	}
	lower := false
	for _, r := range word {
		if lower && unicode.IsUpper(r) {
			return true
		}
		lower = unicode.IsLower(r)
	}
	return false
}

// SpeaksOf reports whether a text names code, by a name or by the end of a path or of a qualified name.
func SpeaksOf(text, name string) bool {
	return slices.ContainsFunc(linkText().FindAllString(text, -1), func(found string) bool {
		word := strings.Trim(found, "`(")
		return word == name || strings.HasSuffix(word, "/"+name) || strings.HasSuffix(word, "."+name) || strings.HasSuffix(word, ":"+name)
	})
}
