package hook

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/atomicfile"
)

const (
	// ledgerAge is how long the ledger of a session is kept after its last use.
	ledgerAge = 14 * 24 * time.Hour
	// maxPruned is how many old files one session start looks at.
	maxPruned = 500
	// lockTimeout is the default of [Config.LockTimeout].
	lockRetry, lockTimeout = 5 * time.Millisecond, 100 * time.Millisecond
	// doubleRun is the time within which a second start after a compaction is that of another
	// hook for the same compaction: some clients run the hooks of others, too.
	doubleRun = 30 * time.Second
)

// ledger is what was injected into one session. It is held locked while it is open, so that hooks
// of the session that run at the same time take turns.
type ledger struct {
	path string
	lock *flock.Flock
	data ledgerData
}

// ledgerData is the file of a ledger.
type ledgerData struct {
	// Injected has the time at which each memory was injected, by [keyOf], in seconds.
	Injected map[string]int64 `json:"injected"`
	// Compacted is when the session was compacted last, in seconds.
	Compacted int64 `json:"compacted,omitempty"`
	// Pending: the session started, and what that injects waits for a prompt.
	Pending bool `json:"pending,omitempty"`
}

// keyOf identifies the content of a memory as it is shown.
func keyOf(m *hippo.Memory) string { return hex.EncodeToString(m.ContentHash[:4]) }

// ledgerPath returns the file of a session in a folder.
func ledgerPath(dir, session string) string {
	sum := sha256.Sum256([]byte(session))
	return filepath.Join(dir, hex.EncodeToString(sum[:12])+".json")
}

// isPending reports whether what the start of a session injects waits for a prompt.
func isPending(c *Config, session string) bool {
	var d ledgerData
	b, err := os.ReadFile(ledgerPath(filepath.Join(c.StateDir, "sessions"), session))
	return err == nil && json.Unmarshal(b, &d) == nil && d.Pending
}

// openLedger opens the ledger of a session and waits, within the deadline of ctx, for other hooks of
// the session.
func openLedger(ctx context.Context, c *Config, session string) (*ledger, error) {
	dir := filepath.Join(c.StateDir, "sessions")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	path := ledgerPath(dir, session)
	l := &ledger{path: path, lock: flock.New(path+".lock", flock.SetPermissions(0o600))}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.LockTimeout, lockTimeout))
	defer cancel()
	if _, err := l.lock.TryLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("ledger: locked: %w", err)
	}
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		prune(dir, c.Now())
	case err != nil:
		l.close()
		return nil, fmt.Errorf("ledger: %w", err)
	default:
		_ = json.Unmarshal(b, &l.data) // a damaged one is begun again
	}
	if l.data.Injected == nil {
		l.data.Injected = make(map[string]int64)
	}
	return l, nil
}

// begin drops from the ledger what a session that starts has lost: all after a compaction; when it
// resumes, what stands before the last compaction of its transcript.
func (l *ledger) begin(source string, t *transcript, now time.Time) {
	switch source {
	case fresh:
		l.data.Injected = make(map[string]int64)
	case "compact", "clear":
		if now.Sub(time.Unix(l.data.Compacted, 0)) > doubleRun {
			l.data.Injected = make(map[string]int64)
			l.data.Compacted = now.Unix()
		}
	case "resume":
		if t.compacted {
			l.data.Injected = make(map[string]int64) // what is left is found in the transcript
		}
	}
}

// has reports whether a memory was injected.
func (l *ledger) has(m *hippo.Memory) bool {
	_, ok := l.data.Injected[keyOf(m)]
	return ok
}

// add notes that a memory is injected.
func (l *ledger) add(m *hippo.Memory) { l.data.Injected[keyOf(m)] = 0 }

// save writes the ledger; what was added now gets its time.
func (l *ledger) save(now time.Time) error {
	for k, at := range l.data.Injected {
		if at == 0 {
			l.data.Injected[k] = now.Unix()
		}
	}
	b, err := json.Marshal(&l.data)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(l.path, b); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}

// close unlocks the ledger.
func (l *ledger) close() { _ = l.lock.Close() }

// prune deletes the files of sessions that were not used for a long time.
func prune(dir string, now time.Time) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	defer d.Close() //nolint:errcheck // it is only read
	entries, _ := d.ReadDir(maxPruned)
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && now.Sub(info.ModTime()) > ledgerAge {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
