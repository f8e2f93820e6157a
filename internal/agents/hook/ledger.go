package hook

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/lockedfile"
)

const (
	// ledgerAge is how long the ledger of a session is kept after its last use.
	ledgerAge = 14 * 24 * time.Hour
	// lockTimeout is the default of [Config.LockTimeout].
	lockTimeout = 100 * time.Millisecond
	// doubleRun is the time within which a second start after a compaction is that of another
	// hook for the same compaction: some clients also run the hooks of others.
	doubleRun = 30 * time.Second
)

// ledger is what was injected into one session. It is held locked while it is open, so that hooks
// of the session that run at the same time take turns.
type ledger struct {
	file *lockedfile.File
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
	// Tasks are those of subagents that are to start, in their order.
	Tasks []Task `json:"tasks,omitempty"`
}

// keyOf identifies the content of a memory as it is shown.
func keyOf(m *hippo.Memory) string { return hex.EncodeToString(m.ContentHash[:4]) }

// ledgers returns the folder of the ledgers.
func ledgers(c *Config) lockedfile.Folder {
	return lockedfile.Folder{Dir: filepath.Join(c.StateDir, "sessions"), Age: ledgerAge}
}

// isPending reports whether what the start of a session injects waits for a prompt.
func isPending(c *Config, session string) bool {
	var d ledgerData
	return ledgers(c).Peek(session, &d) && d.Pending
}

// openLedger opens the ledger of a session and waits, within the deadline of ctx, for other hooks of
// the session. A damaged ledger is begun again.
func openLedger(ctx context.Context, c *Config, session string) (*ledger, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.LockTimeout, lockTimeout))
	defer cancel()
	file, err := ledgers(c).Open(ctx, session, c.Now())
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	l := &ledger{file: file}
	file.Load(&l.data)
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
	if err := l.file.Save(&l.data, now); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}

// close unlocks the ledger.
func (l *ledger) close() { l.file.Close() }
