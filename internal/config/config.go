// Package config turns flags, the environment and the user's file of settings into
// one typed Config. It opens nothing. Flags win over the environment, which wins
// over the file, which wins over the defaults.
package config

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/secret"
)

// Setting is one thing that can be configured.
type Setting struct {
	Name, Flag, Env, Default, Meaning string
}

// Settings is the table of all settings. The default of the store depends on the
// environment, see [Load].
func Settings() []Setting {
	return []Setting{
		{"store", "store", "HIPPO_STORE", "", "the store: sqlite:PATH, dir:PATH, shared:PATH (the database of another program), postgres://HOST/DATABASE, or https://HOST (a server)"},
		{"memory-dir", "memory-dir", "HIPPO_MEMORY_DIR", "", "a directory of JSON files; short for --store dir:PATH"},
		{"db", "db", "HIPPO_DB_PATH", "", "the database of claude-hippo or mcp-memory-service; short for --store shared:PATH"},
		{"project", "project", "HIPPO_PROJECT", "", "the project, instead of the one of the current directory; none for no project"},
		{"namespace", "namespace", "HIPPO_NAMESPACE", "", "the tenant of the store; memories of other tenants are invisible"},
		{"ranker", "ranker", "HIPPO_RANKER", string(hippo.RankerHippo), "the ranker of searches: hippo, insight, hybrid, surprise, bm25 or cosine"},
		{"model", "model", "HIPPO_MODEL", Builtin, "the embedding model: builtin, none, a model of hippo model list, a folder, or URL#NAME"},
		{"history", "history", "HIPPO_HISTORY", "20,400", "former versions to keep of each memory, and for how many active days; 0 keeps none"},
		{"surprise", "surprise", "HIPPO_SURPRISE", "nearest", "how to compute the surprise of new memories: nearest, claude-hippo or off"},
		{"surprise-weights", "surprise-weights", "HIPPO_SURPRISE_WEIGHTS", "", "the weights outlier,engagement,explicit,loss, which add up to 1; empty for those of the mode"},
		{"prediction-loss", "prediction-loss", "HIPPO_PREDICTION_LOSS", NoModel, "the language model that measures the surprise of new memories: none, adaptive, local:FOLDER, or URL#NAME"},
		{"exclude", "exclude", "HIPPO_EXCLUDE", "", "folders and projects, separated by commas, in which hooks neither capture nor inject; the prefix capture: or injection: turns off only that"},
		{"capture", "capture", "HIPPO_CAPTURE", "on", "capture what is learned in sessions: on or off"},
		{"share", "share", "HIPPO_SHARE", "on", "let the processes of a user share a store through the first of them: on or off"},
		{"background", "background", "HIPPO_BACKGROUND", "auto", "in a background process, embed what commands left unembedded if no server runs, and sync at the start and the end of sessions: on, off, or auto (off where $CI is set)"},
		{"sync-every", "sync-every", "HIPPO_SYNC_EVERY", "1m", "how often servers sync a store that has remotes, and soon after writes; off: only hippo sync does"},
		{"log", "log", "HIPPO_LOG", "error", "log level on stderr: debug, info, warn or error"},
	}
}

// Config is the configuration of one run.
type Config struct {
	Store Store
	// Project is empty for the project of the current directory.
	Project string
	// Namespace is the tenant of the store; empty is the default one.
	Namespace string
	Ranker    hippo.Ranker
	Model     Model
	// History bounds the former versions of each memory; nil means [hippo.DefaultRetention].
	History  *hippo.Retention
	Surprise Surprise
	// Exclude are the places in which capture or injection is turned off.
	Exclude Exclusions
	// Share: processes of one user use the store through the first of them.
	Share bool
	Unattended
	Level slog.Level
	// Notices say which keys of the file and which variables have no effect: those of another version stop nobody. They are set
	// even if another setting is wrong.
	Notices []string
}

// Unattended is what is done without being asked for.
type Unattended struct {
	Background Background
	// SyncEvery is how often a store that has remotes is synced; 0: never.
	SyncEvery time.Duration
}

// Background says who embeds what a command has recorded, where no server does.
type Background string

const (
	// BackgroundOff means nobody.
	BackgroundOff Background = "off"
	// BackgroundBrief means the command itself, in the short time before it ends.
	BackgroundBrief Background = "brief"
	// BackgroundOn means the command, and then a process of its own.
	BackgroundOn Background = "on"
)

// The models that are no files.
const (
	// Builtin means the models inside the program.
	Builtin = "builtin"
	// Static means only the instant one of them: the fewest resources.
	Static = "static"
	// NoModel means lexical search only.
	NoModel = "none"
)

// Model is the embedding model of semantic search.
type Model struct {
	// Name is the setting.
	Name string
	// URL and Remote are set for a model behind an OpenAI-compatible endpoint: its
	// address, whose query may hold a secret, and its name of the model.
	URL, Remote string
	// Key is the API key for it, from HIPPO_MODEL_KEY or the file that
	// HIPPO_MODEL_KEY_FILE names; empty for none.
	Key secret.Value
	// Problem is why a key that is needed is missing.
	Problem error
}

// String returns the setting without the secrets of a URL: it is how a model is shown.
func (m Model) String() string { return secret.RedactURL(m.Name) }

// Store says which store to open.
type Store struct {
	// Kind is "sqlite", "dir", "shared" or "memory", for a database "postgres", or for a server "https" or "http".
	Kind string
	// Path is absolute; empty for memory. Of a server or a database it is the rest of the address: "//host:port" and perhaps a path.
	Path string
	// password is that for a database; see [Store.URL].
	password secret.Value
}

// Remote reports whether the store is on a server.
func (s Store) Remote() bool { return s.Kind == "https" || s.Kind == "http" }

// String returns the URL of the store, without a password.
func (s Store) String() string { return s.Kind + ":" + s.Path }

// Load returns the configuration; given returns the value of a flag and whether
// it was set. Errors name the setting and are [hippo.ErrInvalid]. Of the variables in present,
// which are set and meant for this program alone, those that mean nothing are a notice.
func (f *File) Load(given func(flag string) (string, bool), present ...string) (Config, error) {
	env := f.env
	if f.err != nil {
		return Config{Notices: unknownVariables(present, nil, env)}, f.err
	}
	value, explicit := make(map[string]string), make(map[string]bool)
	for _, s := range Settings() {
		value[s.Name] = s.Default
	}
	for _, layer := range []func(Setting) (string, bool){
		func(s Setting) (string, bool) { v, ok := f.values[s.Name]; return v, ok },
		func(s Setting) (string, bool) { v := env(s.Env); return v, v != "" },
		func(s Setting) (string, bool) { return given(s.Flag) },
	} {
		overlay(value, explicit, layer)
	}
	notices := slices.Concat(f.notices, unknownVariables(present, value, env))
	if err := chooseStore(value, explicit, env); err != nil {
		return Config{Notices: notices}, f.located(err, given)
	}
	c, err := parse(value, env)
	c.Notices = notices
	return c, f.located(err, given)
}

// located returns an error about a setting with the place where its value is from, unless that is the command line, which the
// user sees.
func (f *File) located(err error, given func(flag string) (string, bool)) error {
	bad, ok := errors.AsType[*hippo.FieldError](err)
	if !ok {
		return err
	}
	i := slices.IndexFunc(Settings(), func(s Setting) bool { return s.Name == bad.Field })
	if i < 0 {
		return err
	}
	s := Settings()[i]
	if _, ok := given(s.Flag); ok {
		return err
	}
	if f.env(s.Env) != "" {
		return &hippo.FieldError{Field: s.Env, Why: bad.Why}
	}
	if _, ok := f.values[s.Name]; ok {
		return &hippo.FieldError{Field: bad.Field, Why: bad.Why + ", in " + Path(f.env)}
	}
	return err
}

// chooseStore sets the store by the one setting that names it, or to its default.
func chooseStore(value map[string]string, explicit map[string]bool, env func(string) string) error {
	named := ""
	for _, name := range StoreSettings() {
		switch {
		case !explicit[name]:
			continue
		case named != "":
			return hippo.Fieldf(name, "and %s exclude each other: give one of them", named)
		case name != "store":
			value["store"] = storeKinds()[name] + ":" + value[name]
		}
		named = name
	}
	if named == "" {
		if hasNoHome(env) {
			return hippo.Fieldf("store", "has no default, because there is no home directory: give sqlite:PATH or dir:PATH")
		}
		value["store"] = defaultStore(env)
	}
	return nil
}

// StoreSettings are the settings that name the store.
func StoreSettings() []string { return []string{"store", "memory-dir", "db"} }

// storeKinds returns the kind of store that each of them but the first names.
func storeKinds() map[string]string { return map[string]string{"memory-dir": "dir", "db": "shared"} }

// overlay applies the settings of a layer. Those that name the store are names of one setting: any
// one in a layer overrides all of the layers below.
func overlay(value map[string]string, explicit map[string]bool, layer func(Setting) (string, bool)) {
	here := make(map[string]bool)
	for _, s := range Settings() {
		if v, ok := layer(s); ok {
			value[s.Name], here[s.Name] = v, true
		}
	}
	names := StoreSettings()
	if slices.ContainsFunc(names, func(name string) bool { return here[name] }) {
		for _, name := range names {
			explicit[name] = here[name]
		}
	}
}

// hasNoHome reports whether there is no folder for a default store.
func hasNoHome(env func(string) string) bool {
	return !filepath.IsAbs(userDir(env, "XDG_DATA_HOME", ""))
}

func parse(value map[string]string, env func(string) string) (c Config, err error) {
	c.Project, c.Namespace = value["project"], value["namespace"]
	if c.Store, err = ParseStore(value["store"]); err != nil {
		return c, err
	}
	c.Ranker = hippo.Ranker(value["ranker"])
	if err := hippo.OneOf("ranker", c.Ranker, hippo.Rankers()...); err != nil {
		return c, err
	}
	if c.Model, err = ParseModel(value["model"], env); err != nil {
		return c, err
	}
	if c.Surprise, err = ParseSurprise(value["surprise"], value["surprise-weights"], value["prediction-loss"], env); err != nil {
		return c, err
	}
	if c.Background, err = parseBackground(value["background"], env); err != nil {
		return c, err
	}
	if c.SyncEvery, err = parseSyncEvery(value["sync-every"]); err != nil {
		return c, err
	}
	if c.Exclude, err = ParseExclusions(value["exclude"], value["capture"]); err != nil {
		return c, err
	}
	if c.Share, err = onOff("share", value["share"]); err != nil {
		return c, err
	}
	if c.History, err = parseHistory(value["history"]); err != nil {
		return c, err
	}
	if err := c.Level.UnmarshalText([]byte(value["log"])); err != nil {
		return c, hippo.Fieldf("log", "must be debug, info, warn or error, got %q", value["log"])
	}
	return c, nil
}

// The greatest values of the setting of the history.
const maxVersions, maxDays = 1000, 100_000

// parseHistory reads a number of versions, and perhaps one of days.
func parseHistory(value string) (*hippo.Retention, error) {
	r := hippo.DefaultRetention()
	versions, days, both := strings.Cut(value, ",")
	n, err := strconv.Atoi(strings.TrimSpace(versions))
	if err != nil || n < 0 || n > maxVersions {
		return nil, hippo.Fieldf("history", "must be a number of versions from 0 to %d, or one and a number of days such as 20,400, got %q", maxVersions, value)
	}
	r.Versions = n
	if both {
		if r.Days, err = strconv.Atoi(strings.TrimSpace(days)); err != nil || r.Days < 1 || r.Days > maxDays {
			return nil, hippo.Fieldf("history", "must have a number of days from 1 to %d after the comma, got %q", maxDays, value)
		}
	}
	return &r, nil
}

// The shortest and the longest interval between syncs.
const minSyncEvery, maxSyncEvery = 100 * time.Millisecond, 24 * time.Hour

func parseSyncEvery(value string) (time.Duration, error) {
	if value == "off" {
		return 0, nil
	}
	d, err := time.ParseDuration(value)
	if err != nil || d < minSyncEvery || d > maxSyncEvery {
		return 0, hippo.Fieldf("sync-every", "must be a duration between %v and %v such as 5m, or off, got %q", minSyncEvery, maxSyncEvery, value)
	}
	return d, nil
}

func parseBackground(value string, env func(string) string) (Background, error) {
	switch value {
	case "on", "off":
		return Background(value), nil
	case "auto":
		if env("CI") != "" {
			return BackgroundBrief, nil
		}
		return BackgroundOn, nil
	default:
		return "", hippo.Fieldf("background", "must be on, off or auto, got %q", value)
	}
}

func onOff(name, value string) (bool, error) {
	switch value {
	case "on", "off":
		return value == "on", nil
	default:
		return false, hippo.Fieldf(name, "must be on or off, got %q", value)
	}
}

// ParseStore reads the URL of a store; https://HOST and http://HOST are servers, postgres://HOST/DATABASE is a database. A path without a kind is a directory of
// JSON files if it is one, else a SQLite file. "~" at the beginning of a path is
// the home directory.
func ParseStore(url string) (Store, error) {
	kind, path, ok := strings.Cut(url, ":")
	switch {
	case url == "":
		return Store{}, hippo.Fieldf("store", "must not be empty: want sqlite:PATH or dir:PATH")
	case ok && (strings.EqualFold(kind, "https") || strings.EqualFold(kind, "http")):
		return parseServer("store", url)
	case ok && (kind == postgres || kind == "postgresql"):
		return parsePostgres(url)
	case url == "memory:" || url == "memory":
		return Store{Kind: "memory"}, nil
	case ok && (kind == "sqlite" || kind == "dir" || kind == "shared"):
	case ok && len(kind) > 1: // one letter is a drive
		return Store{}, hippo.Fieldf("store", "must be sqlite:PATH, dir:PATH, shared:PATH or postgres://HOST/DATABASE, got %q; https://HOST is a server", secret.RedactURL(url))
	default:
		kind, path = guess(url), url
	}
	if path == "" {
		return Store{}, hippo.Fieldf("store", "has no path: want %s:PATH", kind)
	}
	full, err := Expand("store", path)
	return Store{Kind: kind, Path: full}, err
}

func guess(path string) string {
	full, err := Expand("store", path)
	if err != nil {
		return "sqlite"
	}
	if info, err := os.Stat(full); err == nil && info.IsDir() {
		return "dir"
	}
	return "sqlite"
}

// defaultStore returns the store of a user who names none.
func defaultStore(env func(string) string) string {
	return "sqlite:" + filepath.Join(userDir(env, "XDG_DATA_HOME", filepath.Join(".local", "share")), "hippo", "memory.db")
}
