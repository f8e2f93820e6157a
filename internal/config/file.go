package config

import (
	"bytes"
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
	path, err := locate(env)
	if err != nil {
		return env("HIPPO_CONFIG") // reading it says what is wrong
	}
	return path
}

func locate(env func(string) string) (string, error) {
	if p := env("HIPPO_CONFIG"); p != "" {
		return Expand("HIPPO_CONFIG", p)
	}
	return filepath.Join(userDir(env, "XDG_CONFIG_HOME", ".config"), "hippo", "config.toml"), nil
}

// ModelsDir returns the folder of downloaded models that $HIPPO_MODELS names; empty for the default one.
func ModelsDir(env func(string) string) (string, error) {
	if p := env("HIPPO_MODELS"); p != "" {
		return Expand("HIPPO_MODELS", p)
	}
	return "", nil
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

// IndexesDir returns the folder with the index files of stores that are in a database.
func IndexesDir(env func(string) string) string {
	return filepath.Join(userDir(env, "XDG_CACHE_HOME", ".cache"), "hippo", "indexes")
}

// TokensPath returns the file with the tokens of the HTTP server; see package token.
func TokensPath(env func(string) string) string {
	return filepath.Join(userDir(env, "XDG_DATA_HOME", filepath.Join(".local", "share")), "hippo", "tokens.json")
}

// ShelfPath returns the folder by which machines sync that reach this one by ssh and name no other.
func ShelfPath(env func(string) string) string {
	return filepath.Join(filepath.Dir(TokensPath(env)), "shelf")
}

// homeDir returns the home directory by the rules of [os.UserHomeDir]; empty if there is none.
func homeDir(env func(string) string) string {
	if runtime.GOOS == "windows" {
		return env("USERPROFILE")
	}
	return env("HOME")
}

// File is what the file with the settings says: a value for each name. Notices name the keys that are no settings.
type File struct {
	env     func(string) string
	values  map[string]string
	notices []string
	err     error
}

// Read reads the file with the settings, which need not exist, for the environment env. [File.Load] returns the error.
func Read(env func(string) string) *File {
	path, err := locate(env)
	if err != nil {
		return &File{env: env, err: err}
	}
	values, notices, err := readFile(path)
	return &File{env: env, values: values, notices: notices, err: err}
}

// readFile returns the settings in a TOML file: one string for each name. Notices name the keys that are no settings.
func readFile(path string) (out map[string]string, notices []string, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: settings: %w", hippo.ErrUnavailable, err)
	}
	var values map[string]any
	if err := toml.Unmarshal(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), &values); err != nil {
		return nil, nil, unreadable(path, err)
	}
	out = make(map[string]string, len(values))
	for name, v := range values {
		all := Settings()
		i := slices.IndexFunc(all, func(s Setting) bool { return s.Name == name })
		if i < 0 {
			notices = append(notices, unknownKey(name, path))
			continue
		}
		text, err := textOf(&all[i], v)
		if err != nil {
			return nil, nil, fmt.Errorf("%w, in %s", err, path)
		}
		out[name] = text
	}
	slices.Sort(notices)
	return out, notices, nil
}

// textOf returns a value of the file as a text. A setting that is on or off may be true or false, and exclude a list.
func textOf(s *Setting, value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		if s.Default == "on" || s.Default == "auto" {
			return map[bool]string{true: "on", false: "off"}[v], nil
		}
	case []any:
		lines := make([]string, len(v))
		for i, x := range v {
			line, ok := x.(string)
			if !ok || strings.Contains(line, ",") {
				return "", hippo.Fieldf(s.Name, "must be a list of texts without a comma (write ? for one), got %v", x)
			}
			lines[i] = line
		}
		if s.Name == "exclude" {
			return strings.Join(lines, "\n"), nil
		}
	}
	return "", hippo.Fieldf(s.Name, "must be a text in quotes")
}

// unreadable returns the error for a file that is no TOML, with the line, and the remedy for the path of a Windows program.
func unreadable(path string, err error) error {
	bad, ok := errors.AsType[*toml.DecodeError](err)
	if !ok {
		return fmt.Errorf("%w: settings %s: %w", hippo.ErrInvalid, path, err)
	}
	line, _ := bad.Position()
	hint := ""
	if strings.Contains(bad.Error(), "escape") {
		hint = `; a text with backslashes goes between single quotes: store = 'C:\Users\me\memory.db'`
	}
	return fmt.Errorf("%w: settings %s, line %d: %w%s", hippo.ErrInvalid, path, line, err, hint)
}

func names() string {
	var list []string
	for _, s := range Settings() {
		list = append(list, s.Name)
	}
	return strings.Join(list, ", ")
}
