package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/lockedfile"
)

const (
	// ledgerAge is how long a ledger is kept after its last use.
	ledgerAge = 90 * 24 * time.Hour
	// maxSeen is how many contents a ledger remembers.
	maxSeen = 256
	// headSize is how many bytes of the beginning identify a transcript.
	headSize = 1024
)

// ledger remembers what was captured from one transcript. It is locked while it is open.
type ledger struct {
	file *lockedfile.File
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
	// Kept are the latest memories that were captured.
	Kept []kept `json:"kept,omitempty"`
}

// folder is the folder of all files of this package.
func folder(stateDir string) string { return filepath.Join(stateDir, "capture") }

// openLedger opens the ledger of a transcript and waits, until ctx ends, for other captures of it. A
// damaged ledger is an empty one.
func openLedger(ctx context.Context, stateDir, transcript string, now time.Time) (*ledger, error) {
	ledgers := lockedfile.Folder{Dir: filepath.Join(folder(stateDir), "ledgers"), Age: ledgerAge}
	file, err := ledgers.Open(ctx, transcript, now)
	if err != nil {
		return nil, fmt.Errorf("ledger of the transcript: %w", err)
	}
	l := &ledger{file: file, data: ledgerData{Path: transcript}}
	if data := (ledgerData{}); file.Load(&data) && data.Path == transcript {
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
		d.Offset, d.Seen, d.Kept = 0, nil, nil
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
	if err := l.file.Save(l.data, now); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}

func (l *ledger) close() { l.file.Close() }
