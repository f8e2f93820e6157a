package hub

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hippo-memory/hippo"
)

const (
	// manifestName is the file that makes a folder a model: it lists what was downloaded.
	manifestName   = "hippo-model.json"
	manifestFormat = 1
)

// manifest lists the files of a folder.
type manifest struct {
	Format   int    `json:"format"`
	ID       string `json:"id"`
	Repo     string `json:"repo"`
	Revision string `json:"revision"`
	Files    []File `json:"files"`
}

// readManifest returns the files of the model in a folder. The error is
// [hippo.ErrCorrupt], or [hippo.ErrUnsupported] for another format.
func readManifest(dir string, s Spec) ([]File, error) {
	var m manifest
	err := readJSON(filepath.Join(dir, manifestName), manifestName, &m)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: %s: it is missing", hippo.ErrCorrupt, manifestName)
	}
	if err == nil {
		err = m.check(s)
	}
	for i := 0; err == nil && i < len(m.Files); i++ {
		err = checkSize(filepath.Join(dir, m.Files[i].Name), m.Files[i])
	}
	return m.Files, err
}

// check compares a manifest with what is known of the model. It must list the same
// files, so it cannot name one outside of its folder.
func (m *manifest) check(s Spec) error {
	if m.Format != manifestFormat {
		return fmt.Errorf("%w: %s: format %d, want %d", hippo.ErrUnsupported, manifestName, m.Format, manifestFormat)
	}
	if m.ID != s.ID || m.Repo != s.Repo || m.Revision != s.Revision || len(m.Files) != len(s.Files) {
		return fmt.Errorf("%w: %s: it is of %s %s@%s with %d files, want %s %s@%s with %d", hippo.ErrCorrupt, manifestName,
			m.ID, m.Repo, m.Revision, len(m.Files), s.ID, s.Repo, s.Revision, len(s.Files))
	}
	for i, f := range m.Files {
		want := s.Files[i]
		if f.Name != want.Name || f.Size < 1 || !isChecksum(f.SHA256) {
			return fmt.Errorf("%w: %s: file %q with size %d and sha256 %q, want %s", hippo.ErrCorrupt, manifestName, f.Name, f.Size, f.SHA256, want.Name)
		}
		if err := want.check(f); err != nil {
			return fmt.Errorf("%s: %w", manifestName, err)
		}
	}
	return nil
}

// checkSize checks that a file is there, regular and of the right size.
func checkSize(path string, want File) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %s is missing", hippo.ErrCorrupt, want.Name)
	case err != nil:
		return diskError(err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: %s is not a regular file", hippo.ErrCorrupt, want.Name)
	}
	return want.check(File{Size: info.Size(), SHA256: want.SHA256})
}

// write stores the manifest in a folder that is not published yet.
func (m *manifest) write(dir string) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return diskError(os.WriteFile(filepath.Join(dir, manifestName), append(data, '\n'), 0o644))
}
