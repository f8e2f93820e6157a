package screen

import (
	_ "embed"
	"fmt"
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

	pattern func() *pattern // compiled at first use
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
	words    []string // the keywords
	of       [][]int  // the rules of a keyword
}

// replacedRules are rules of gitleaks that others take the place of: generic-api-key by the
// assignments, since it is slow and takes no password; the others match too much, without a path or in code.
func replacedRules() []string {
	return []string{"generic-api-key", "sourcegraph-access-token", "hashicorp-tf-password", "kubernetes-secret-yaml", "vault-service-token"}
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
	for _, r := range slices.Concat(own.Rules, theirs.Rules) {
		if r.Regex == "" || slices.Contains(replacedRules(), r.ID) {
			continue
		}
		r.prepare()
		for _, k := range r.Keywords {
			k = strings.ToLower(k)
			n, ok := numbers[k]
			if !ok {
				n = len(s.words)
				numbers[k] = n
				s.words, s.of = append(s.words, k), append(s.of, nil)
			}
			s.of[n] = append(s.of[n], len(s.rules))
		}
		s.rules = append(s.rules, r)
	}
	s.keywords = newMatcher(s.words)
	return s
})

// prepare sets what is compiled at first use.
func (r *rule) prepare() {
	r.pattern = sync.OnceValue(func() *pattern { return newPattern(r.Regex, r.Keywords) })
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
	searches := make(map[int]*search)
	s.keywords.each(text, func(word, end int) {
		for _, i := range s.of[word] {
			x := searches[i]
			if x == nil {
				x = &search{set: s, rule: &s.rules[i], pattern: s.rules[i].pattern(), text: text, found: found}
				searches[i] = x
			}
			x.keyword(end-len(s.words[word]), end)
		}
	})
	for _, x := range searches {
		x.window()
	}
}

// search looks for the secrets of one rule in a text.
type search struct {
	set     *ruleSet
	rule    *rule
	pattern *pattern
	text    string
	found   func(rule string, start, end int)
	done    int   // the end of the last match
	around  place // the keywords that were not searched around yet, with what is around them
}

// keyword searches at a keyword, or puts it off until the window around it is complete.
func (x *search) keyword(start, end int) {
	if x.pattern.atKeyword {
		if start >= x.done && x.pattern.begins(x.text, start) {
			x.match(place{start, min(len(x.text), start+maxMatch)})
		}
		return
	}
	if x.around.end < start-before {
		x.window()
		x.around.start = max(0, start-before)
	}
	x.around.end = min(len(x.text), end+x.pattern.behind)
}

// window searches around the keywords so far.
func (x *search) window() {
	for x.around.start < x.around.end && x.match(x.around) {
		x.around.start = x.done
	}
	x.around = place{}
}

// match reports what the expression matches first in a part of the text, and returns false if it matches nothing.
func (x *search) match(p place) bool {
	part := x.text[p.start:p.end]
	m := x.pattern.expression.FindStringSubmatchIndex(part)
	if m == nil {
		return false
	}
	x.done = p.start + max(m[1], 1)
	if start, end := x.rule.secret(m); start < end && !x.set.allowed(x.rule, part, m, start, end) {
		x.found(x.rule.ID, p.start+start, p.start+end)
	}
	return true
}

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
	if r.ID == cardRule && !luhn(secret) {
		return true
	}
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
