package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hippo-memory/hippo"
)

// folderSource copies files from a folder.
type folderSource struct {
	dir      string
	progress func(file string, done, total int64)
}

func (s *folderSource) fetch(ctx context.Context, root *os.Root, f File) (_ File, err error) {
	path := filepath.Join(s.dir, f.Name)
	in, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return File{}, hippo.Fieldf("from", "the folder %s has no %s", s.dir, f.Name)
	}
	if err != nil {
		return File{}, diskError(err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	info, err := in.Stat()
	if err != nil {
		return File{}, diskError(err)
	}
	if !info.Mode().IsRegular() {
		return File{}, hippo.Fieldf("from", "%s is not a file", path)
	}
	if err := f.accepts(File{Size: info.Size(), SHA256: f.SHA256}); err != nil {
		return File{}, fmt.Errorf("%s: %w", path, err)
	}
	p, err := openPart(root, f)
	if err != nil {
		return File{}, err
	}
	if err := s.copy(ctx, p, in, f, info.Size()); err != nil {
		return File{}, p.orClose(fmt.Errorf("copy %s: %w", path, err))
	}
	got, err := p.finish()
	if err != nil {
		return File{}, fmt.Errorf("copy %s: %w", path, err)
	}
	return got, nil
}

// copy never goes on with a part: that could be of another folder.
func (s *folderSource) copy(ctx context.Context, p *part, in io.Reader, f File, total int64) error {
	if err := p.reset(); err != nil {
		return err
	}
	if err := p.begin(ticket{File: File{Name: f.Name, Size: total, SHA256: f.SHA256}}); err != nil {
		return err
	}
	s.progress(f.Name, 0, total)
	_, err := io.CopyBuffer(&meter{p, f.Name, total, s.progress}, &contextReader{ctx, in}, make([]byte, bufferSize))
	return diskError(err)
}

// bufferSize is the size of the pieces that files are read and written in.
const bufferSize = 256 << 10

// meter tells how much of a part is there.
type meter struct {
	*part
	name     string
	total    int64
	progress func(file string, done, total int64)
}

func (m *meter) Write(b []byte) (int, error) {
	n, err := m.part.Write(b)
	m.progress(m.name, m.size, m.total)
	return n, err
}
