package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/adrg/xdg"
	"github.com/pelletier/go-toml/v2"

	"github.com/hippo-memory/hippo"
)

// Path returns the file with the user's settings: $HIPPO_CONFIG, or config.toml in
// the folder of the program below $XDG_CONFIG_HOME. It need not exist.
func Path(env func(string) string) string {
	if p := env("HIPPO_CONFIG"); p != "" {
		return p
	}
	return filepath.Join(xdg.ConfigHome, "hippo", "config.toml")
}

// readFile returns the settings in a TOML file: one string for each name.
func readFile(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: settings: %w", hippo.ErrUnavailable, err)
	}
	var values map[string]any
	if err := toml.Unmarshal(text, &values); err != nil {
		return nil, fmt.Errorf("%w: settings %s: %w", hippo.ErrInvalid, path, err)
	}
	out := make(map[string]string, len(values))
	for name, v := range values {
		s, ok := v.(string)
		switch {
		case !slices.ContainsFunc(Settings(), func(s Setting) bool { return s.Name == name }):
			return nil, hippo.Fieldf(name, "is no setting, in %s: want one of %s", path, names())
		case !ok:
			return nil, hippo.Fieldf(name, "must be a text in quotes, in %s", path)
		}
		out[name] = s
	}
	return out, nil
}

func names() string {
	var list []string
	for _, s := range Settings() {
		list = append(list, s.Name)
	}
	return strings.Join(list, ", ")
}

// Save sets one setting in a file, which is made if need be; an empty value takes
// it out. All other lines stay as they are.
func Save(path, name, value string) error {
	if _, err := readFile(path); err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: settings: %w", hippo.ErrUnavailable, err)
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		key, _, _ := strings.Cut(line, "=")
		if strings.Trim(strings.TrimSpace(key), `"'`) != name {
			out = append(out, strings.TrimRight(line, "\r\n"))
		}
	}
	if value != "" {
		out = append(out, name+" = "+strconv.Quote(value))
	}
	return replace(path, []byte(strings.Join(append(out, ""), "\n")))
}

// replace writes a file whole or not at all.
func replace(path string, text []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("%w: settings: %w", hippo.ErrUnavailable, err)
	}
	temp := path + ".tmp"
	err := os.WriteFile(temp, text, 0o600)
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return fmt.Errorf("%w: settings: %w", hippo.ErrUnavailable, errors.Join(err, os.Remove(temp)))
	}
	return nil
}
