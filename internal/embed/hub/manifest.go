package hub

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
	"strings"

	"github.com/hippo-memory/hippo"
)

// manifestName is the file that makes a folder a model: what was downloaded.
const manifestName = "hippo-model.json"

const (
	manifestFormat = 1
	// maxManifest bounds what is read of a manifest or a settings file, in bytes.
	maxManifest = 1 << 20
	// maxFiles bounds the files of a manifest.
	maxFiles = 64
)

// manifest records what a folder holds.
type manifest struct {
	Format   int    `json:"format"`
	ID       string `json:"id"`
	Repo     string `json:"repo"`
	Revision string `json:"revision"`
	Files    []File `json:"files"`
}

// parseManifest reads a manifest and checks its form: it cannot name a file
// outside its folder. The error is [hippo.ErrCorrupt], or [hippo.ErrUnsupported]
// for another format.
func parseManifest(data []byte) (manifest, error) {
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return manifest{}, fmt.Errorf("%w: %s: %w", hippo.ErrCorrupt, manifestName, err)
	}
	if m.Format != manifestFormat {
		return manifest{}, fmt.Errorf("%w: %s: format %d, want %d", hippo.ErrUnsupported, manifestName, m.Format, manifestFormat)
	}
	if len(m.Files) > maxFiles {
		return manifest{}, corruptManifest("%d files", len(m.Files))
	}
	seen := map[string]bool{}
	for _, f := range m.Files {
		switch {
		case !validName(f.Name):
			return manifest{}, corruptManifest("file name %q", f.Name)
		case seen[f.Name]:
			return manifest{}, corruptManifest("%s is listed twice", f.Name)
		case f.Size < 0:
			return manifest{}, corruptManifest("%s has size %d", f.Name, f.Size)
		case !validSum(f.SHA256):
			return manifest{}, corruptManifest("%s has sha256 %q", f.Name, f.SHA256)
		}
		seen[f.Name] = true
	}
	return m, nil
}

func corruptManifest(format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", hippo.ErrCorrupt, manifestName, fmt.Sprintf(format, args...))
}

// validName says whether name is fit for a file directly in a model's folder on
// every system.
func validName(name string) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	return name != "" && len(name) <= 128 && name[0] != '.' && name != manifestName &&
		strings.Trim(name, allowed) == "" && !strings.HasSuffix(name, ".") &&
		!strings.HasSuffix(name, partSuffix) && !strings.HasSuffix(name, ticketSuffix)
}

// validSum says whether s is a SHA-256 sum as this package writes it.
func validSum(s string) bool {
	return len(s) == hex.EncodedLen(sha256.Size) && strings.Trim(s, "0123456789abcdef") == ""
}

// of says whether m is a whole and true record of the model: its files are those
// of s, with the sums and sizes that s knows.
func (m manifest) of(s Spec) error {
	if m.ID != s.ID || m.Repo != s.Repo || m.Revision != s.Revision {
		return corruptManifest("it is of %s %s@%s, want %s %s@%s", m.ID, m.Repo, m.Revision, s.ID, s.Repo, s.Revision)
	}
	if len(m.Files) != len(s.Files) {
		return corruptManifest("it has %d files, want %d", len(m.Files), len(s.Files))
	}
	for _, got := range m.Files {
		want, known := s.file(got.Name)
		if !known {
			return corruptManifest("%s is no file of %s", got.Name, s.ID)
		}
		if err := want.accepts(got); err != nil {
			return fmt.Errorf("%s: %w", manifestName, err)
		}
	}
	return nil
}

// accepts compares a file with what is known of it.
func (f File) accepts(got File) error {
	if f.Size > 0 && got.Size != f.Size {
		return fmt.Errorf("%w: %s has %d bytes, want %d", hippo.ErrCorrupt, f.Name, got.Size, f.Size)
	}
	if f.SHA256 != "" && got.SHA256 != f.SHA256 {
		return fmt.Errorf("%w: %s has sha256 %s, want %s", hippo.ErrCorrupt, f.Name, got.SHA256, f.SHA256)
	}
	return nil
}

func readManifest(root *os.Root) (manifest, error) {
	data, err := readSmall(root, manifestName)
	if err != nil {
		return manifest{}, err
	}
	return parseManifest(data)
}

func (m manifest) write(root *os.Root) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(root, manifestName, append(data, '\n'))
}

// sizes checks that the files are there, regular, and as long as recorded.
func (m manifest) sizes(root *os.Root) error {
	for _, f := range m.Files {
		info, err := root.Lstat(f.Name)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: %s is missing", hippo.ErrCorrupt, f.Name)
		}
		if err != nil {
			return diskError(err)
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%w: %s is not a regular file", hippo.ErrCorrupt, f.Name)
		}
		if info.Size() != f.Size {
			return fmt.Errorf("%w: %s has %d bytes, want %d", hippo.ErrCorrupt, f.Name, info.Size(), f.Size)
		}
	}
	return nil
}

// sums checks every byte of the files.
func (m manifest) sums(ctx context.Context, root *os.Root) error {
	for _, f := range m.Files {
		got, err := sumFile(ctx, root.Open, f.Name)
		if err != nil {
			return err
		}
		if err := f.accepts(got); err != nil {
			return err
		}
	}
	return nil
}

// sumFile reads a file to its end. Cost: about a second per gigabyte.
func sumFile(ctx context.Context, open func(string) (*os.File, error), name string) (File, error) {
	f, err := open(name)
	if err != nil {
		return File{}, diskError(err)
	}
	defer f.Close() //nolint:errcheck // only read
	h := sha256.New()
	n, err := io.Copy(h, &contextReader{ctx, f})
	if err != nil {
		return File{}, diskError(err)
	}
	return File{Name: name, Size: n, SHA256: hex.EncodeToString(h.Sum(nil))}, nil
}

// contextReader ends with the context's error when that is done.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r *contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// readSmall reads a file of at most maxManifest bytes.
func readSmall(root *os.Root, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, diskError(err)
	}
	defer f.Close() //nolint:errcheck // only read
	return readBounded(f, name)
}

func readBounded(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxManifest+1))
	if err != nil {
		return nil, diskError(err)
	}
	if len(data) > maxManifest {
		return nil, fmt.Errorf("%w: %s is larger than %d bytes", hippo.ErrCorrupt, name, maxManifest)
	}
	return data, nil
}
