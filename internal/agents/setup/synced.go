package setup

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/hippo-memory/hippo/internal/config"
)

// syncedBy returns the program that carries the folder of a path to other machines, and empty if none does. The program is known
// by the names of its folders, and Syncthing by the marker that it keeps in each of them. Links are followed.
func syncedBy(path string) string {
	for dir := path; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			rest, _ := filepath.Rel(dir, path)
			path = filepath.Join(real, rest)
			break
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	for dir := path; ; dir = filepath.Dir(dir) {
		if program := syncProgram(filepath.Base(dir)); program != "" {
			return program
		}
		if filepath.Base(filepath.Dir(dir)) == "CloudStorage" { // of macOS: PROGRAM-ACCOUNT
			program, _, _ := strings.Cut(filepath.Base(dir), "-")
			return program
		}
		if _, err := os.Stat(filepath.Join(dir, ".stfolder")); err == nil {
			return "Syncthing"
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// syncProgram returns the program that names its folder like this. Some add the name of the account after a space.
func syncProgram(folder string) string {
	for _, p := range []struct{ folder, program string }{
		{"Dropbox", "Dropbox"},
		{"Mobile Documents", "iCloud Drive"},
		{"iCloudDrive", "iCloud Drive"},
		{"iCloud Drive", "iCloud Drive"},
		{"OneDrive", "OneDrive"},
		{"Google Drive", "Google Drive"},
		{"My Drive", "Google Drive"},
		{"Nextcloud", "Nextcloud"},
	} {
		rest, ok := strings.CutPrefix(folder, p.folder)
		if ok && (rest == "" || rest[0] == ' ') {
			return p.program
		}
	}
	return ""
}

// checkSynced warns of a store that another program copies while it is written: the copy is half a store, and what two machines
// write becomes two files, one of which nobody reads.
func (d *Doctor) checkSynced(s config.Store) (Check, bool) {
	program := syncedBy(s.Path)
	if program == "" {
		return Check{}, false
	}
	home := filepath.Join(d.Host.dataDir(), "hippo", "memory.db")
	return Check{
		Name: "store", State: Warning, Text: s.String() + " is in a folder that " + program + " carries: memories can be lost when two machines write, or when it copies half a write",
		Fix: "hippo migrate --from " + quote(s.String(), d.Host.GOOS) + " --to " + quote("sqlite:"+home, d.Host.GOOS) +
			", then: hippo setup --store " + quote("sqlite:"+home, d.Host.GOOS) + "; for copies there: hippo backup or hippo export into that folder",
	}, true
}
