package screen

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed words.txt
var wordText string

// wordLists are the lists of words.txt.
type wordLists struct {
	links, fillers, about, none, examples map[string]bool
	exampleParts, otherParts              *matcher
}

// words returns the lists.
//
//nolint:gochecknoglobals // they are read once and never change
var words = sync.OnceValue(func() *wordLists {
	lists := make(map[string][]string)
	for line := range strings.Lines(wordText) {
		if kind, list, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && line[0] != '#' {
			lists[kind] = strings.Split(list, ", ")
		}
	}
	set := func(kind string) map[string]bool {
		s := make(map[string]bool)
		for _, w := range lists[kind] {
			s[w] = true
		}
		return s
	}
	return &wordLists{
		links: set("link"), fillers: set("filler"), about: set("about"), none: set("none"), examples: set("example"),
		exampleParts: newMatcher(lists["example part"]), otherParts: newMatcher(lists["other part"]),
	}
})

// otherName reports whether an identifier with the name of a secret is that of something else: password_policy,
// primary_key, max_tokens.
func otherName(name string) bool {
	squeezed := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' {
			return -1
		}
		return r
	}, name)
	return words().otherParts.in(squeezed)
}
