package config

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo"
)

// placeholder matches what clients and shells fill in: $NAME, ${NAME}, ${env:NAME}, $env:NAME and %NAME%.
var placeholder = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // compiled when it is first used
	return regexp.MustCompile(`\$\{([^{}/\\]*)\}|\$((?:env:)?[A-Za-z_][A-Za-z0-9_]*)|%([A-Za-z_][A-Za-z0-9_()]*)%`)
})

// Expand returns the absolute form of a path; a leading "~" is the home directory, and a variable of the environment is its
// value. The home of another user, "~name", and a variable that is not set, such as "${workspaceFolder}" of a client that did
// not fill it in, are refused: they would become directories of that very name. The error is of the given field.
func Expand(field, path string) (string, error) {
	given := path
	var missing string
	path = fill(path, func(text string) string {
		name := variableIn(text)
		value := os.Getenv(name)
		if value == "" && (name == "HOME" || name == "USERPROFILE") {
			value, _ = os.UserHomeDir()
		}
		if value == "" && missing == "" {
			missing = text
		}
		return value
	})
	if missing != "" {
		return "", hippo.Fieldf(field, "must be a path, got %s: %s is not set here: the client has not filled it in; write the path out", given, missing)
	}
	if path == "~" || strings.HasPrefix(path, "~/") || strings.HasPrefix(path, `~\`) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", hippo.Fieldf(field, "must be a path, got %s: %v", path, err)
		}
		path = filepath.Join(home, path[1:])
	} else if strings.HasPrefix(path, "~") {
		return "", hippo.Fieldf(field, "must be a path, got %s: only ~ and ~/ are understood; write ./%s if that is its name", path, path)
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", hippo.Fieldf(field, "must be a path, got %s: %v", path, err)
	}
	return full, nil
}

// expandFolder is [Expand] for the folder of a model, which may be a name instead and stays as the user wrote it.
func expandFolder(field, name string) (string, error) {
	if !strings.HasPrefix(name, "~") && len(placeholders(name)) == 0 {
		return name, nil
	}
	return Expand(field, name)
}

// fill returns a text with what value returns in place of each [placeholder].
func fill(text string, value func(string) string) string {
	if !mayHavePlaceholder(text) {
		return text
	}
	return placeholder().ReplaceAllStringFunc(text, value)
}

// placeholders returns each [placeholder] in a text.
func placeholders(text string) []string {
	if !mayHavePlaceholder(text) {
		return nil
	}
	return placeholder().FindAllString(text, -1)
}

// mayHavePlaceholder is false for most texts, so that a start need not compile [placeholder].
func mayHavePlaceholder(text string) bool { return strings.ContainsAny(text, "$%") }

// variableIn returns the name of the variable that a [placeholder] stands for.
func variableIn(text string) string { return strings.TrimPrefix(strings.Trim(text, "${}%"), "env:") }
