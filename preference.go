package hippo

import (
	"path"
	"regexp"
	"strings"
)

// UserPreference reports whether a memory says how its user wants things done: the user said it, and it is a preference or a rule.
func (m *Memory) UserPreference() bool {
	return m.Source.Kind == SourceUser && (strings.EqualFold(m.Type, "preference") || strings.EqualFold(m.Type, "rule"))
}

// ProjectFor returns the project of a new memory for which nobody names one: the current one, or none for a preference of the user,
// which holds in every repository, unless its text is about this one: it names a file, a symbol or the repository.
func (s *Scope) ProjectFor(m *Memory) string {
	if s.Project == "" || !m.UserPreference() || !s.Contains(s.Namespace, "") || s.isAbout(m) {
		return s.Project
	}
	return ""
}

// local matches what belongs to one repository: a path, a file by its ending, a call, a qualified symbol, or words for the
// repository itself.
var local = regexp.MustCompile(`(?:^|[\s"'(\x60])(?:\.{0,2}/[\w.-]|[\w.-]+/[\w.-]+(?:/|\.\w))` +
	`|\b[\w-]+\.(?:go|py|tsx?|jsx|rs|java|kt|rb|php|cs?|cpp|h|swift|sql|sh|md|toml|ya?ml|json|lock|mod)\b` +
	`|\w\(\)|\b[a-z]\w+(?:\.|::)[A-Z]\w+` +
	`|(?i:\b(?:this|our) (?:repo|repository|project|code ?base|monorepo|service|app|library)\b)`)

// isAbout reports whether a memory is about the current project.
func (s *Scope) isAbout(m *Memory) bool {
	text := strings.Join(append([]string{m.Content}, m.Situation...), "\n")
	if local.MatchString(text) {
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
