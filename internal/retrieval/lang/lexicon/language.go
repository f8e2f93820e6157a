package lexicon

import (
	"embed"
	"path"
	"strings"
	"sync"
)

//go:embed languages/*.txt
var files embed.FS

// Language is the table of a language other than English.
type Language struct {
	// Name is the English name, in lower case.
	Name  string
	Lists Lists
}

// Languages returns the tables of all languages, by name, which must not be changed. The first
// call parses them, in about 1 ms.
func Languages() []Language { return languages() }

var languages = sync.OnceValue(func() []Language { //nolint:gochecknoglobals // they are parsed once and never change
	entries, _ := files.ReadDir("languages")
	out := make([]Language, 0, len(entries))
	for _, e := range entries {
		text, _ := files.ReadFile(path.Join("languages", e.Name()))
		out = append(out, Language{Name: strings.TrimSuffix(e.Name(), ".txt"), Lists: Parse(string(text))})
	}
	return out
})
