package config

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"unicode"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/secret"
)

// ParseModel reads the setting of the model, and the API key if it is an endpoint.
// The error is [hippo.ErrInvalid], and shows no secret of a URL.
func ParseModel(name string, env func(string) string) (Model, error) {
	return parseModel("model", name, "HIPPO_MODEL_KEY", env)
}

// parseModel is [ParseModel] for a field, and the variable of its key.
func parseModel(field, name, variable string, env func(string) string) (Model, error) {
	m := Model{Name: name}
	if name == "" {
		return m, hippo.Fieldf(field, "must not be empty: want %s, %s, a name, a folder or URL#NAME", Builtin, NoModel)
	}
	if !strings.Contains(name, "://") {
		var err error
		m.Name, err = expandFolder(field, name)
		return m, err
	}
	u, err := url.Parse(name)
	switch {
	case err == nil && u.User != nil:
		return m, hippo.Fieldf(field, "must not hold a user or password: give the key in %s", variable)
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "", u.Fragment == "",
		strings.ContainsFunc(name, unicode.IsSpace):
		return m, hippo.Fieldf(field, "must be like http://127.0.0.1:11434/v1#nomic-embed-text, got %q", m)
	case strings.Contains(u.Fragment, "?"):
		return m, hippo.Fieldf(field, "must have the query before the #, got %q", m)
	}
	m.Remote = u.Fragment
	u.Fragment, u.RawFragment = "", ""
	m.URL = u.String()
	m.Key, m.Problem = key(variable, env)
	return m, nil
}

// key returns the API key for the endpoint, which is in a variable or in the file that another one names.
func key(variable string, env func(string) string) (secret.Value, error) {
	if k := env(variable); k != "" {
		return secret.New(k), nil
	}
	variable += "_FILE"
	path := env(variable)
	if path == "" {
		return secret.Value{}, nil
	}
	path, err := Expand(variable, path)
	if err != nil {
		return secret.Value{}, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return secret.Value{}, fmt.Errorf("%w: %s: %w", hippo.ErrUnavailable, variable, err)
	}
	return secret.New(string(text)), nil
}
