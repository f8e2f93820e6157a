package screen

import (
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

//go:embed gitleaks.toml
var gitleaksRules string

//go:embed hippo.toml
var ownRules string

// ruleFile is the part of a configuration of gitleaks that is used. What depends on the path of a
// file is not: a memory has none.
type ruleFile struct {
	Allowlist allowlist `toml:"allowlist"`
	Rules     []rule    `toml:"rules"`
}

// rule finds one kind of secret.
type rule struct {
	ID          string      `toml:"id"`
	Regex       string      `toml:"regex"`
	SecretGroup int         `toml:"secretGroup"`
	Entropy     float64     `toml:"entropy"` // of the secret, at least, in bits a character
	Keywords    []string    `toml:"keywords"`
	Allowlists  []allowlist `toml:"allowlists"`

	pattern func() *regexp.Regexp // compiled at first use
	near    bool                  // it matches only close to a keyword
}

// allowlist says what a rule finds and is no secret.
type allowlist struct {
	Target    string   `toml:"regexTarget"` // what the expressions are for: the secret, "match" or "line"
	Condition string   `toml:"condition"`
	Paths     []string `toml:"paths"`
	Regexes   []string `toml:"regexes"`
	StopWords []string `toml:"stopwords"`

	patterns func() []*regexp.Regexp
}

// ruleSet is all rules, and the matcher of their keywords.
type ruleSet struct {
	rules    []rule
	global   allowlist
	keywords *matcher
	of       [][]int // the rules of a keyword
}

// replacedRules are rules of gitleaks that others take the place of: generic-api-key by the
// assignments, since it is slow and takes no password; the others match too much without a path.
func replacedRules() []string {
	return []string{"generic-api-key", "sourcegraph-access-token", "hashicorp-tf-password", "kubernetes-secret-yaml"}
}

// rules returns the set of rules.
//
//nolint:gochecknoglobals // it is read once and never changes
var rules = sync.OnceValue(func() *ruleSet {
	var theirs, own ruleFile
	for text, to := range map[string]*ruleFile{gitleaksRules: &theirs, ownRules: &own} {
		if err := toml.Unmarshal([]byte(text), to); err != nil {
			panic(fmt.Sprintf("screen: rules in the program: %v", err))
		}
	}
	s := &ruleSet{global: theirs.Allowlist}
	s.global.compile()
	numbers := make(map[string]int)
	var words []string
	for _, r := range slices.Concat(own.Rules, theirs.Rules) {
		if r.Regex == "" || slices.Contains(replacedRules(), r.ID) {
			continue
		}
		r.prepare()
		for _, k := range r.Keywords {
			k = strings.ToLower(k)
			n, ok := numbers[k]
			if !ok {
				n = len(words)
				numbers[k] = n
				words, s.of = append(words, k), append(s.of, nil)
			}
			s.of[n] = append(s.of[n], len(s.rules))
		}
		s.rules = append(s.rules, r)
	}
	s.keywords = newMatcher(words)
	return s
})

// terminator is how most expressions of gitleaks end. It misses a token before a comma or a full stop.
const terminator = "(?:[\\x60'\"\\s;]|\\\\[nr]|$)"

// prepare sets what is compiled at first use.
func (r *rule) prepare() {
	text := strings.Replace(r.Regex, terminator, `(?:[^\w/+=-]|$)`, 1)
	r.pattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
	r.near = strings.Contains(text, bounded)
	for i := range r.Allowlists {
		r.Allowlists[i].compile()
	}
}

func (a *allowlist) compile() {
	a.patterns = sync.OnceValue(func() []*regexp.Regexp {
		list := make([]*regexp.Regexp, len(a.Regexes))
		for i, x := range a.Regexes {
			list[i] = regexp.MustCompile(x)
		}
		return list
	})
}

// find calls found for every secret in a plain text, with its rule and its place.
func (s *ruleSet) find(text string, found func(rule string, start, end int)) {
	met := make(map[int][]place)
	s.keywords.each(text, func(word, end int) {
		for _, r := range s.of[word] {
			windows := met[r]
			switch last := len(windows) - 1; {
			case last < 0 && !s.rules[r].near:
				met[r] = []place{{0, len(text)}}
			case last < 0 || s.rules[r].near && windows[last].end < end-before:
				met[r] = append(windows, place{max(0, end-before), min(len(text), end+behind)})
			case s.rules[r].near:
				windows[last].end = min(len(text), end+behind)
			}
		}
	})
	for _, i := range slices.Sorted(maps.Keys(met)) {
		r := &s.rules[i]
		for _, w := range met[i] {
			part := text[w.start:w.end]
			for _, m := range r.pattern().FindAllStringSubmatchIndex(part, -1) {
				start, end := r.secret(m)
				if start < end && !s.allowed(r, part, m, start, end) {
					found(r.ID, w.start+start, w.start+end)
				}
			}
		}
	}
}

// Bounds on what an expression matches before and behind its keyword, in bytes, if it has one of those bounds itself.
const (
	before = 120
	behind = 400
	// bounded begins the expressions that do: a name, at most 50 characters before the keyword.
	bounded = `[\w.-]{0,50}?(?:`
)

// secret returns the place of the secret in a match: that of the group of the rule, or of the first
// group that is not empty, or all.
func (r *rule) secret(m []int) (start, end int) {
	if g := 2 * r.SecretGroup; g > 0 && g+1 < len(m) && m[g] >= 0 {
		return m[g], m[g+1]
	}
	for g := 2; g < len(m); g += 2 {
		if m[g] >= 0 && m[g] < m[g+1] {
			return m[g], m[g+1]
		}
	}
	return m[0], m[1]
}

// allowed reports whether what a rule found is no secret.
func (s *ruleSet) allowed(r *rule, text string, m []int, start, end int) bool {
	secret := text[start:end]
	if r.Entropy > 0 && entropy(secret) <= r.Entropy || placeholder(secret) {
		return true
	}
	if s.global.allows(secret, secret, secret) {
		return true
	}
	line := lineAround(text, start, end)
	for i := range r.Allowlists {
		if r.Allowlists[i].allows(secret, text[m[0]:m[1]], line) {
			return true
		}
	}
	return false
}

// lineAround returns the line of a place, at most 1,000 bytes to each side.
func lineAround(text string, start, end int) string {
	head, tail := text[max(0, start-1000):start], text[end:min(len(text), end+1000)]
	if i := strings.IndexByte(tail, '\n'); i >= 0 {
		tail = tail[:i]
	}
	return text[start-len(head)+strings.LastIndexByte(head, '\n')+1 : end+len(tail)]
}

// allows reports whether the list has a secret, which stands in a match and in a line. One that also depends
// on a path has nothing.
func (a *allowlist) allows(secret, match, line string) bool {
	if a.Condition == "AND" {
		return false
	}
	target := secret
	switch a.Target {
	case "match":
		target = match
	case "line":
		target = line
	}
	for _, p := range a.patterns() {
		if p.MatchString(target) {
			return true
		}
	}
	lower := strings.ToLower(secret)
	return slices.ContainsFunc(a.StopWords, func(w string) bool { return strings.Contains(lower, w) })
}
