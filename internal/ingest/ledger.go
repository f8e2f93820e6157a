package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/atomicfile"
)

const (
	// ledgerAge is how long a ledger is kept after its last use.
	ledgerAge = 90 * 24 * time.Hour
	// maxPruned is how many old files one capture looks at.
	maxPruned = 500
	// maxSeen is how many contents a ledger remembers.
	maxSeen = 256
	// headSize is how many bytes of the beginning identify a transcript.
	headSize  = 1024
	lockRetry = 5 * time.Millisecond
)

// ledger remembers what was captured from one transcript. It is locked while it is open.
type ledger struct {
	path string
	lock *flock.Flock
	data ledgerData
}

// ledgerData is the file of a ledger.
type ledgerData struct {
	// Path is that of the transcript.
	Path string `json:"path"`
	// Head is the SHA-256 of its first HeadSize bytes: another head is another transcript.
	Head     string `json:"head"`
	HeadSize int64  `json:"head_size"`
	// Offset is where the next capture begins: a byte offset, or a number of messages.
	Offset int64 `json:"offset"`
	// Seen are the first 8 bytes of the hashes of the latest contents that were captured.
	Seen []string `json:"seen,omitempty"`
}

// folder is the folder of all files of this package.
func folder(stateDir string) string { return filepath.Join(stateDir, "capture") }

// openLedger opens the ledger of a transcript and waits, until ctx ends, for other captures of it. A
// damaged ledger is an empty one.
func openLedger(ctx context.Context, stateDir, transcript string, now time.Time) (*ledger, error) {
	dir := filepath.Join(folder(stateDir), "ledgers")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	sum := sha256.Sum256([]byte(transcript))
	path := filepath.Join(dir, hex.EncodeToString(sum[:12])+".json")
	l := &ledger{path: path, lock: flock.New(path+".lock", flock.SetPermissions(0o600)), data: ledgerData{Path: transcript}}
	if ok, err := l.lock.TryLockContext(ctx, lockRetry); err != nil || !ok {
		return nil, fmt.Errorf("ledger: another capture of the transcript is running: %w", errors.Join(err, context.Cause(ctx)))
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		prune(path, now)
		return l, nil
	}
	var data ledgerData
	if err == nil && json.Unmarshal(b, &data) == nil && data.Path == transcript {
		l.data = data
	}
	return l, nil
}

// identify forgets the place in the transcript if the file is another one than at the last
// capture, or was cut.
func (l *ledger) identify(path string) error {
	info, err := os.Stat(path) // first: opening a pipe would wait
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: %s is not a regular file", hippo.ErrInvalid, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	head := make([]byte, min(headSize, info.Size()))
	if _, err := io.ReadFull(f, head); err != nil {
		return err
	}
	d := &l.data
	if d.HeadSize > int64(len(head)) || d.Head != headHash(head[:d.HeadSize]) {
		d.Offset, d.Seen = 0, nil
	}
	if d.Offset > info.Size() { // of a document it is a number of messages, which is smaller
		d.Offset = 0 // Seen says what was captured of the part that is still there
	}
	d.Head, d.HeadSize = headHash(head), int64(len(head))
	return nil
}

func headHash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// key identifies a content.
func key(content string) string {
	hash := hippo.HashContent(content)
	return hex.EncodeToString(hash[:8])
}

func (l *ledger) has(content string) bool { return slices.Contains(l.data.Seen, key(content)) }

func (l *ledger) add(content string) {
	l.data.Seen = append(l.data.Seen, key(content))
	l.data.Seen = l.data.Seen[max(0, len(l.data.Seen)-maxSeen):]
}

// save writes the ledger.
func (l *ledger) save(now time.Time) error {
	if err := writeJSON(l.path, l.data); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return os.Chtimes(l.path, now, now)
}

func (l *ledger) close() { _ = l.lock.Unlock() } // the system unlocks when the process ends

// writeJSON replaces a file with the JSON of a value.
func writeJSON(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, b)
}

// prune removes ledgers that were not used for long, of maxPruned files from the name of a new ledger on: its name is a
// hash, so that all files have their turn. A failure leaves files, no more.
func prune(path string, now time.Time) {
	dir, name := filepath.Split(path)
	files, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	from := slices.IndexFunc(files, func(f fs.DirEntry) bool { return f.Name() >= name })
	for i := range min(len(files), maxPruned) {
		f := files[(max(from, 0)+i)%len(files)]
		if info, err := f.Info(); err == nil && now.Sub(info.ModTime()) > ledgerAge {
			_ = os.Remove(filepath.Join(dir, f.Name()))
		}
	}
}
