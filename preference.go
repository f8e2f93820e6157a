package hippo

import (
	"path"
	"regexp"
	"strings"
	"sync"
)

// UserPreference reports whether a memory says how its user wants things done: the user said it, to an agent or in a session that was
// captured, and it is a preference or a rule.
func (m *Memory) UserPreference() bool {
	said := m.Source.Kind == SourceUser || m.Source.Kind == SourceHook && m.Trust >= TrustNormal
	return said && (strings.EqualFold(m.Type, "preference") || strings.EqualFold(m.Type, "rule"))
}

// ProjectFor returns the project of a new memory for which nobody names one: the current one, or none for a preference of the user,
// which holds in every repository, unless its text is about this one: it names a file, a symbol or the repository.
func (s *Scope) ProjectFor(m *Memory) string {
	if s.Project == "" || !m.UserPreference() || !s.Contains(s.Namespace, "") || s.isAbout(m) {
		return s.Project
	}
	return ""
}

// ProjectUnsaid is [Scope.ProjectFor] for programs that have no word for who said something, and tags in the place of some types: what they call
// a preference or a rule is one of the user.
func (s *Scope) ProjectUnsaid(m *Memory) string {
	wish := *m
	if wish.Source.Kind == SourceAgent {
		wish.Source.Kind = SourceUser
	}
	for _, t := range m.Tags {
		if strings.EqualFold(t, "preference") || strings.EqualFold(t, "rule") {
			wish.Type = t
		}
	}
	return s.ProjectFor(&wish)
}

// local matches what belongs to one repository: a path, a file by its ending, a call, a qualified symbol, "here", or words for the
// repository itself.
var local = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // compiled when it is first used
	return regexp.MustCompile(`(?:^|[\s"'(\x60])(?:\.{0,2}/[\w.-]|[\w.-]+/[\w.-]+(?:/|\.\w))` +
		`|\b[\w-]+\.(?:go|py|tsx?|jsx|rs|java|kt|rb|php|cs?|cpp|h|swift|sql|sh|md|toml|ya?ml|json|lock|mod)\b` +
		`|(?i:\b(?:here|hier|aquí|aqui|ici)(?:\PL|$))` +
		`|\w\(\)|\b[a-z]\w+(?:\.|::)[A-Z]\w+` +
		`|(?i:\b(?:this|our) (?:repo|repository|project|code ?base|monorepo|service|app|library)\b)`)
})

// isAbout reports whether a memory is about the current project.
func (s *Scope) isAbout(m *Memory) bool {
	text := strings.Join(append([]string{m.Content}, m.Situation...), "\n")
	if local().MatchString(text) {
		return true
	}
	for _, name := range append([]string{s.Project}, s.Also...) {
		remote, _, _ := strings.Cut(name, "#")
		if name = path.Base(remote); strings.Contains(remote, "/") && regexp.MustCompile(`(?i)\b`+regexp.QuoteMeta(name)+`\b`).MatchString(text) {
			return true
		}
	}
	return false
}
