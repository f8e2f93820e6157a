package config

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"unicode"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/secret"
)

// ParseModel reads the setting of the model, and the API key if it is an endpoint.
// The error is [hippo.ErrInvalid], and shows no secret of a URL.
func ParseModel(name string, env func(string) string) (Model, error) {
	m := Model{Name: name}
	if name == "" {
		return m, hippo.Fieldf("model", "must not be empty: want %s, %s, a name, a folder or URL#NAME", Builtin, NoModel)
	}
	if !strings.Contains(name, "://") {
		return m, nil
	}
	u, err := url.Parse(name)
	switch {
	case err == nil && u.User != nil:
		return m, hippo.Fieldf("model", "must not hold a user or password: give the key in HIPPO_MODEL_KEY")
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "", u.Fragment == "",
		strings.ContainsFunc(name, unicode.IsSpace):
		return m, hippo.Fieldf("model", "must be like http://127.0.0.1:11434/v1#nomic-embed-text, got %q", m)
	case strings.Contains(u.Fragment, "?"):
		return m, hippo.Fieldf("model", "must have the query before the #, got %q", m)
	}
	m.Remote = u.Fragment
	u.Fragment, u.RawFragment = "", ""
	m.URL = u.String()
	m.Key, m.Problem = key(env)
	return m, nil
}

// key returns the API key for the endpoint.
func key(env func(string) string) (secret.Value, error) {
	if k := env("HIPPO_MODEL_KEY"); k != "" {
		return secret.New(k), nil
	}
	path := env("HIPPO_MODEL_KEY_FILE")
	if path == "" {
		return secret.Value{}, nil
	}
	path, err := Expand(path)
	if err != nil {
		return secret.Value{}, hippo.Fieldf("HIPPO_MODEL_KEY_FILE", "%v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return secret.Value{}, fmt.Errorf("%w: HIPPO_MODEL_KEY_FILE: %w", hippo.ErrUnavailable, err)
	}
	return secret.New(string(text)), nil
}
