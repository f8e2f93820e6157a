package setup_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/agents/setup"
	"github.com/hippo-memory/hippo/internal/config"
)

// reports returns what the doctor says of the machine, without clients.
func (m *machine) reports(t *testing.T, d setup.Doctor, clients ...setup.Client) []setup.Check {
	t.Helper()
	var out []setup.Check
	d.Host, d.Binary, d.Version, d.Limit = m.Host, filepath.Join(m.root, "bin", "hippo"), "1", time.Minute
	d.Report = func(k setup.Check) { out = append(out, k) }
	d.Run(t.Context(), clients)
	return out
}

// A live store in a folder that is carried to other machines is a warning that says where it belongs, whichever program carries
// it; other folders with names like these are none.
func TestDoctor_Synced(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"home/Dropbox/hippo/memory.db":                                                 "Dropbox",
		"home/Dropbox (Personal)/memory.db":                                            "Dropbox",
		"home/Library/Mobile Documents/com~apple~CloudDocs/memory.db":                  "iCloud Drive",
		"home/iCloudDrive/memory.db":                                                   "iCloud Drive",
		"home/OneDrive - Example/notes/memory.db":                                      "OneDrive",
		"home/OneDrive/memory.db":                                                      "OneDrive",
		"home/Google Drive/memory.db":                                                  "Google Drive",
		"drive/My Drive/memory.db":                                                     "Google Drive",
		"home/Library/CloudStorage/GoogleDrive-a@example.org/My Drive/sub/folder/m.db": "Google Drive",
		"home/Library/CloudStorage/Box-Box/m.db":                                       "Box",
		"home/shared/with marker/deep/memory.db":                                       "Syncthing",
		"home/linked/memory.db":                                                        "Dropbox",
		"home/dropbox-sdk/memory.db":                                                   "",
		"home/Dropbox-clone/memory.db":                                                 "",
		"home/.local/share/hippo/memory.db":                                            "",
	} {
		for _, exists := range []bool{true, false} {
			m := newMachine(t, "")
			m.write(t, "home/shared/with marker/.stfolder/x", "")
			m.write(t, "home/Dropbox/folder/x", "")
			if err := os.Symlink(filepath.Join(m.Home, "Dropbox", "folder"), filepath.Join(m.Home, "linked")); err != nil {
				t.Fatal(err)
			}
			if exists {
				m.write(t, path, "")
			}
			store := config.Store{Kind: "sqlite", Path: filepath.Join(m.root, path)}
			var got *setup.Check
			for _, k := range m.reports(t, setup.Doctor{Store: store}) {
				if k.Name == "store" {
					got = &k
				}
			}
			switch {
			case want == "":
				if got != nil {
					t.Errorf("%s: got %+v", path, got)
				}
			case got == nil || got.State != setup.Warning || !strings.Contains(got.Text, "a folder that "+want+" carries"):
				t.Errorf("%s: got %+v, want a warning of %s", path, got, want)
			case !strings.Contains(got.Fix, "hippo migrate --from ") || !strings.Contains(got.Fix, "hippo backup or hippo export"):
				t.Errorf("%s: got advice %s", path, got.Fix)
			}
		}
	}
}

// The store of a client is looked at in the same way.
func TestDoctor_SyncedOfClient(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "")
	o := m.options(setup.User)
	o.Command.Store, o.KeepStore = "dir:"+filepath.Join(m.Home, "Dropbox", "memories"), false
	c, _ := setup.Find("zed")
	m.run(t, o, *c)
	for _, k := range m.reports(t, setup.Doctor{}, *c) {
		if k.Name == "store" && k.Client == "zed" && k.State == setup.Warning && strings.Contains(k.Text, "Dropbox") {
			return
		}
	}
	t.Error("the doctor does not warn")
}

// Memories that other programs keep in their usual places are named with the command that imports them, unless they are the store
// in use, were imported, or are none.
func TestDoctor_Elsewhere(t *testing.T) {
	t.Parallel()
	for system, files := range map[string][]string{
		"linux":   {"home/.local/share/claude-hippo/memory.db", "home/.local/share/mcp-memory/sqlite_vec.db", "home/.hippo/x.json"},
		"darwin":  {"home/.local/share/claude-hippo/memory.db", "home/Library/Application Support/mcp-memory/sqlite_vec.db", "home/.hippo/x.json"},
		"windows": {"home/.local/share/claude-hippo/memory.db", "home/AppData/Local/mcp-memory/sqlite_vec.db", "home/.hippo/x.json"},
	} {
		m := newMachine(t, "")
		m.GOOS = system
		m.write(t, "home/.local/share/mcp-memory/empty/sqlite_vec.db", "")
		elsewhere := func(d setup.Doctor) (fixes []string) {
			for _, k := range m.reports(t, d) {
				if k.Name == "import" {
					fixes = append(fixes, k.Fix)
				}
			}
			return fixes
		}
		m.write(t, "home/.hippo/metadata.json", "{}")
		if got := elsewhere(setup.Doctor{}); got != nil {
			t.Errorf("%s: without memories got %q", system, got)
		}
		for _, f := range files {
			m.write(t, f, "some")
		}
		if got := elsewhere(setup.Doctor{}); len(got) != 3 || !strings.HasPrefix(got[0], "hippo import ") {
			t.Errorf("%s: got %q", system, got)
		}
		inUse := config.Store{Kind: "shared", Path: filepath.Join(m.root, files[0])}
		imported := func(path string) bool { return path == filepath.Join(m.Home, ".hippo") }
		got := elsewhere(setup.Doctor{Store: inUse, Imported: imported})
		if len(got) != 1 || !strings.Contains(got[0], "sqlite_vec.db") {
			t.Errorf("%s: one in use and one imported: got %q", system, got)
		}
	}
}

// Another program of our name that a shell finds first is a warning that names both.
func TestHost_OtherProgram(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "")
	m.write(t, "bin/hippo", "ours")
	m.write(t, "npm/hippo", "theirs")
	ours, theirs := filepath.Join(m.root, "bin", "hippo"), filepath.Join(m.root, "npm", "hippo")
	found := map[string]string{}
	for _, path := range []string{ours, theirs} {
		m.FindProgram = func(string) (string, error) { return path, nil }
		found[path] = m.OtherProgram(ours)
	}
	if diff := cmp.Diff(map[string]string{ours: "", theirs: theirs}, found); diff != "" {
		t.Error(diff)
	}
}
