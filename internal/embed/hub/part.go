package hub

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/hippo-memory/hippo"
)

const (
	partSuffix   = ".partial"
	ticketSuffix = ".ticket"
)

// ticket is what is known of a file whose download began.
type ticket struct {
	// ETag is the validator of what the part is the beginning of, if it is strong.
	ETag string `json:"etag,omitempty"`
	// File has the size and the sum of the whole, as far as they are known.
	File
}

// continues says whether t may be of the same file as an earlier ticket.
func (t ticket) continues(earlier ticket) bool {
	return (t.Size == 0 || earlier.Size == 0 || t.Size == earlier.Size) &&
		(t.SHA256 == "" || earlier.SHA256 == "" || t.SHA256 == earlier.SHA256)
}

// part is the beginning of a file in the staging folder.
type part struct {
	root   *os.Root
	file   *os.File
	sum    hash.Hash
	size   int64
	ticket ticket
}

// openPart opens what is there of a file, and sums it, or begins it.
func openPart(root *os.Root, want File) (*part, error) {
	file, err := root.OpenFile(want.Name+partSuffix, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, diskError(err)
	}
	p := &part{root: root, file: file, sum: sha256.New(), ticket: ticket{File: want}}
	data, err := readSmall(root, want.Name+ticketSuffix)
	var t ticket
	if err != nil || json.Unmarshal(data, &t) != nil || t.Name != want.Name || want.accepts(t.File) != nil || t.ETag == "" && t.SHA256 == "" {
		// Without knowing what it is the beginning of, it is of no use.
		return p, p.orClose(p.reset())
	}
	p.ticket = t
	p.size, err = io.Copy(p.sum, file)
	if err == nil && t.Size > 0 && p.size > t.Size {
		err = p.reset()
	}
	return p, p.orClose(diskError(err))
}

// orClose closes the file if there is an error.
func (p *part) orClose(err error) error {
	if err != nil {
		return errors.Join(err, p.file.Close())
	}
	return nil
}

// reset drops what is there.
func (p *part) reset() error {
	if err := p.file.Truncate(0); err != nil {
		return diskError(err)
	}
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return diskError(err)
	}
	p.sum.Reset()
	p.size = 0
	return nil
}

// begin notes what the bytes to come are of.
func (p *part) begin(t ticket) error {
	if t == p.ticket && p.size > 0 {
		return nil
	}
	p.ticket = t
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return writeFile(p.root, t.Name+ticketSuffix, data)
}

// Write appends to the part.
func (p *part) Write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	p.sum.Write(b[:n])
	p.size += int64(n)
	return n, diskError(err)
}

// finish verifies the file and gives it its name. If it is not what it should be
// it is deleted, and the error is [hippo.ErrCorrupt]. The part is closed.
func (p *part) finish() (File, error) {
	name := p.ticket.Name
	got := File{Name: name, Size: p.size, SHA256: hex.EncodeToString(p.sum.Sum(nil))}
	if err := diskError(errors.Join(p.file.Sync(), p.file.Close())); err != nil {
		return File{}, err
	}
	err := p.ticket.accepts(got)
	if err == nil {
		err = checkForm(p.root.Open, name+partSuffix, name)
	}
	if errors.Is(err, hippo.ErrCorrupt) {
		return File{}, errors.Join(err, remove(p.root, name+partSuffix), remove(p.root, name+ticketSuffix))
	}
	if err == nil {
		err = diskError(p.root.Rename(name+partSuffix, name))
	}
	if err == nil {
		err = remove(p.root, name+ticketSuffix)
	}
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", name, err)
	}
	return got, nil
}
