package config

import (
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/hippo-memory/hippo"
)

// ParseModel reads the setting of the model, and the key if there is an endpoint.
func ParseModel(name string, env func(string) string) (Model, error) {
	m := Model{Name: name}
	if name == "" {
		return m, hippo.Fieldf("model", "must not be empty: want %s, %s, a name, a folder or URL#NAME", Builtin, NoModel)
	}
	if !strings.Contains(name, "://") {
		return m, nil
	}
	u, err := url.Parse(name)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Fragment == "" {
		return m, hippo.Fieldf("model", "must be like http://127.0.0.1:11434/v1#nomic-embed-text, got %q", name)
	}
	m.Remote = u.Fragment
	u.Fragment, u.RawFragment = "", ""
	m.URL = u.String()
	m.Key, m.Problem = key(env)
	return m, nil
}

// key returns the secret for the endpoint.
func key(env func(string) string) (string, error) {
	if k := env("HIPPO_MODEL_KEY"); k != "" {
		return k, nil
	}
	path := env("HIPPO_MODEL_KEY_FILE")
	if path == "" {
		return "", nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("%w: HIPPO_MODEL_KEY_FILE: %w", hippo.ErrUnavailable, err)
	}
	return strings.TrimSpace(string(text)), nil
}
