package setup

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

// Scope says for which sessions of a client a registration holds.
type Scope string

// The scopes.
const (
	User    Scope = "user"    // in all folders of the user
	Project Scope = "project" // for everybody who works in a project
	Local   Scope = "local"   // for the user in a project
)

// Scopes returns all scopes.
func Scopes() []Scope { return []Scope{User, Project, Local} }

// Host is the machine and the user that setup works for.
type Host struct {
	Home string // folder of the user
	Dir  string // folder of the project: the root of its repository, or the working directory
	GOOS string
	Env  func(name string) string
	// FindProgram finds a program as a shell would.
	FindProgram func(name string) (string, error)
	// OtherOwner returns the owner of a file if that is not the user, else ""; nil: as the system
	// says.
	OtherOwner func(fs.FileInfo) string
}

// readFile is [readFile] for the user of the host.
func (h *Host) readFile(path string) (atomicfile.File, error) {
	if h.OtherOwner != nil {
		return readFile(path, h.OtherOwner)
	}
	return readFile(path, otherOwner)
}

// env returns an absolute path from the environment, else another folder.
func (h *Host) env(name, otherwise string) string {
	if dir := h.Env(name); filepath.IsAbs(dir) {
		return dir
	}
	return otherwise
}

// dirs returns the folders that paths of the table begin with.
func (h *Host) dirs() map[string]string {
	config := h.env("XDG_CONFIG_HOME", filepath.Join(h.Home, ".config"))
	apps := config // settings of programs with a window
	switch h.GOOS {
	case "darwin":
		apps = filepath.Join(h.Home, "Library", "Application Support")
	case "windows":
		apps = h.env("APPDATA", filepath.Join(h.Home, "AppData", "Roaming"))
	}
	zed := filepath.Join(config, "zed")
	if h.GOOS == "windows" {
		zed = filepath.Join(apps, "Zed")
	}
	claude := h.env("CLAUDE_CONFIG_DIR", "")
	claudeJSON := claude
	if claude == "" {
		claude, claudeJSON = filepath.Join(h.Home, ".claude"), h.Home
	}
	return map[string]string{
		"home": h.Home, "project": h.Dir, "config": config, "apps": apps, "zed": zed, "claude": claude, "claudejson": claudeJSON,
		"localapps": h.env("LOCALAPPDATA", filepath.Join(h.Home, "AppData", "Local")),
		"codex":     h.env("CODEX_HOME", filepath.Join(h.Home, ".codex")),
	}
}

// expand returns a path of the table, such as "{home}/.cursor/mcp.json". What stands in braces
// is a key of [Host.dirs].
func (h *Host) expand(template string) string {
	rest, ok := strings.CutPrefix(template, "{")
	if !ok {
		return filepath.FromSlash(template)
	}
	name, rest, _ := strings.Cut(rest, "}")
	return filepath.Join(h.dirs()[name], filepath.FromSlash(rest))
}

// choose returns the path that a client uses of several: the first one that exists, else the
// first one with a pattern of [filepath.Glob] whose folder exists, else the last one.
func (h *Host) choose(templates []string) string {
	folder := ""
	for _, t := range templates {
		path := h.expand(t)
		if strings.Contains(t, "*") {
			dirs, _ := filepath.Glob(filepath.Dir(path)) // the only error is a bad pattern
			if len(dirs) == 0 {
				continue
			}
			path = filepath.Join(dirs[0], filepath.Base(path))
			folder = path
		}
		if _, err := os.Lstat(path); err == nil {
			return path
		}
	}
	if folder != "" {
		return folder
	}
	return h.expand(templates[len(templates)-1])
}

// Found returns what shows that a client is installed: a program or a path; empty if it is not.
func (h *Host) Found(c *Client) string {
	for _, name := range c.programs {
		if path, err := h.FindProgram(name); err == nil {
			return path
		}
	}
	for _, t := range c.traces {
		path := h.expand(t)
		if matches, _ := filepath.Glob(path); len(matches) > 0 { // the only error is a bad pattern
			return matches[0]
		}
	}
	return ""
}

// Find returns the client of a name.
func Find(name string) (*Client, bool) {
	all := Clients()
	i := slices.IndexFunc(all, func(c Client) bool { return c.Name == name || slices.Contains(c.aliases, name) })
	if i < 0 {
		return nil, false
	}
	return &all[i], true
}

// Short returns a path with "~" for the folder of the user.
func (h *Host) Short(path string) string {
	if rest, ok := strings.CutPrefix(path, h.Home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

// IsTemporary reports whether a path is below a folder that the system empties.
func IsTemporary(path, temp string) bool {
	for _, dir := range []string{temp, "/tmp", "/var/tmp"} {
		if rest, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rest) {
			return true
		}
	}
	return strings.Contains(path, string(filepath.Separator)+"go-build")
}

// Has reports whether a client has a scope.
func (c *Client) Has(s Scope) bool {
	_, ok := c.server.targets[s]
	return ok
}
