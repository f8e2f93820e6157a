package setup

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/hippo-memory/hippo/internal/config"
)

// Elsewhere is where another program, or an earlier Hippo, keeps its memories.
type Elsewhere struct {
	Program, Path string
	// Import is the command that brings the memories here.
	Import string
	// Tools are the tools of the program, which this one has as well; empty: none.
	Tools string
}

// Text describes the find and the command to run, on one line.
func (e Elsewhere) Text() string {
	return e.Program + " has memories in " + e.Path + "; to bring them here: " + e.Import
}

// Elsewhere returns the stores of other programs in their usual places, but for those in use and those that were imported.
// Who changes to Hippo would else begin with an empty memory.
func (h *Host) Elsewhere(used []config.Store, imported func(path string) bool) []Elsewhere {
	var out []Elsewhere
	places := []Elsewhere{{Program: "an earlier Hippo", Path: filepath.Join(h.Home, ".hippo")}}
	for _, dir := range slices.Compact([]string{filepath.Join(h.Home, ".local", "share"), h.dataDir()}) {
		places = append(places, Elsewhere{Program: "claude-hippo", Path: filepath.Join(dir, "claude-hippo", "memory.db"), Tools: "claude-hippo"},
			Elsewhere{Program: "mcp-memory-service", Path: filepath.Join(dir, "mcp-memory", "sqlite_vec.db"), Tools: "memory-service"})
	}
	for _, e := range places {
		isUsed := slices.ContainsFunc(used, func(s config.Store) bool { return s.Path == e.Path || sameFile(s.Path, e.Path) })
		if isUsed || !hasMemories(e.Path) || imported != nil && imported(e.Path) {
			continue
		}
		e.Import = "hippo import " + quote(e.Path, h.GOOS)
		out = append(out, e)
	}
	return out
}

// hasMemories reports whether a path is a file with something in it, or a folder with files of memories.
func hasMemories(path string) bool {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return false
	case !info.IsDir():
		return info.Mode().IsRegular() && info.Size() > 0
	}
	files, _ := filepath.Glob(filepath.Join(path, "*.json")) // the only error is a bad pattern
	return slices.ContainsFunc(files, func(f string) bool { return filepath.Base(f) != "metadata.json" })
}

// dataDir returns the folder of data of programs.
func (h *Host) dataDir() string {
	dir := filepath.Join(h.Home, ".local", "share")
	switch h.GOOS {
	case "darwin":
		dir = filepath.Join(h.Home, "Library", "Application Support")
	case "windows":
		dir = h.dirs()["localapps"]
	}
	return h.env("XDG_DATA_HOME", dir)
}

// OtherProgram returns the program that a shell starts for hippo if that is another one than ours; empty if it is ours or none.
func (h *Host) OtherProgram(binary string) string {
	path, err := h.FindProgram("hippo")
	if err != nil || sameFile(path, binary) {
		return ""
	}
	return path
}

// checkOwn checks what no client names: the store of this shell, if it is another one and something is wrong with it, and
// memories that are elsewhere.
func (d *Doctor) checkOwn(ctx context.Context, stores map[string]bool) {
	var used []config.Store
	for url := range stores {
		if s, err := config.ParseStore(url); err == nil {
			used = append(used, s)
		}
	}
	if s := d.Store; s.Path != "" && !s.Remote() {
		if !slices.Contains(used, s) {
			if k, ok := d.checkSynced(s); ok {
				d.Report(k)
			} else if d.isUnmerged(ctx, s) {
				d.Report(d.unmerged(s))
			}
		}
		used = append(used, s)
	}
	for _, e := range d.Host.Elsewhere(used, d.Imported) {
		d.Report(Check{Name: "import", State: Hint, Text: e.Program + " has memories in " + e.Path, Fix: e.Import})
	}
}
