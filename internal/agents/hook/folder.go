package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

const (
	// folderFresh is how long a note of a folder counts as new: an event within it does not write again.
	folderFresh = time.Minute
	// folderAge is how long a note is kept.
	folderAge = 30 * 24 * time.Hour
)

// folderNote says that a client worked in a folder, at the time of its file.
type folderNote struct{ Client, Dir string }

func folderNotes(stateDir string) string { return filepath.Join(stateDir, "folders") }

// noteFolder notes that a client works in a folder, for a server of it that does not know where it works. That it cannot is no error.
func noteFolder(stateDir, client, dir string, now time.Time) {
	full, err := filepath.Abs(dir)
	if dir == "" || err != nil {
		return
	}
	dir = full
	sum := sha256.Sum256([]byte(client + "\x00" + dir))
	path := filepath.Join(folderNotes(stateDir), hex.EncodeToString(sum[:12]))
	if info, err := os.Stat(path); err == nil && now.Sub(info.ModTime()) < folderFresh {
		return
	}
	text, err := json.Marshal(folderNote{client, dir})
	if err == nil && os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		_ = atomicfile.Write(path, text)
	}
}

// FolderSince returns the folder in which the hooks of a client say that it works, if since a time it was one alone. client is the name that the client gives itself
// over MCP, such as "cursor-vscode" for Cursor.
func FolderSince(stateDir, client string, since time.Time) (string, bool) {
	list, err := os.ReadDir(folderNotes(stateDir))
	if err != nil {
		return "", false
	}
	found := ""
	for _, f := range list {
		path := filepath.Join(folderNotes(stateDir), f.Name())
		info, err := f.Info()
		if err != nil {
			continue
		}
		if since.Sub(info.ModTime()) > folderAge {
			_ = os.Remove(path)
		}
		if info.ModTime().Before(since) {
			continue
		}
		var n folderNote
		text, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(text, &n) != nil || n.Client == "" || !strings.HasPrefix(strings.ToLower(client), n.Client) {
			continue
		}
		if found != "" && found != n.Dir {
			return "", false
		}
		found = n.Dir
	}
	return found, found != ""
}
