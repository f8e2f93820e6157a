package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/hippo-memory/hippo"
)

// Path returns the file with the user's settings: $HIPPO_CONFIG, or config.toml in
// the folder of the program below $XDG_CONFIG_HOME. It need not exist.
func Path(env func(string) string) string {
	if p := env("HIPPO_CONFIG"); p != "" {
		return p
	}
	return filepath.Join(userDir(env, "XDG_CONFIG_HOME", ".config"), "hippo", "config.toml")
}

// userDir returns a base directory of the user: what the environment says, else the one
// of the system, which on Unix is a folder of the home directory. It is relative if there
// is no home directory.
// Source: XDG Base Directory Specification 0.8; on macOS and Windows what programs use there.
func userDir(env func(string) string, variable, unix string) string {
	if dir := env(variable); filepath.IsAbs(dir) {
		return dir
	}
	home := homeDir(env)
	switch runtime.GOOS {
	case "windows":
		if dir := env("LOCALAPPDATA"); dir != "" {
			return dir
		}
		return filepath.Join(home, "AppData", "Local")
	case "darwin":
		return filepath.Join(home, "Library", "Application Support")
	default:
		return filepath.Join(home, unix)
	}
}

// StateDir returns the folder for what is kept between runs and is neither data nor settings: the
// ledgers of sessions and the log of hooks.
func StateDir(env func(string) string) string {
	return filepath.Join(userDir(env, "XDG_STATE_HOME", filepath.Join(".local", "state")), "hippo")
}

// TokensPath returns the file with the tokens of the HTTP server; see package token.
func TokensPath(env func(string) string) string {
	return filepath.Join(userDir(env, "XDG_DATA_HOME", filepath.Join(".local", "share")), "hippo", "tokens.json")
}

// homeDir returns the home directory by the rules of [os.UserHomeDir]; empty if there is none.
func homeDir(env func(string) string) string {
	if runtime.GOOS == "windows" {
		return env("USERPROFILE")
	}
	return env("HOME")
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
