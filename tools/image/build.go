package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// build returns the image with files from a folder, in one layer.
func (s *stage) build(root, arch string) (v1.Image, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range s.copies {
		if err := f.write(w, root); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil }, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: v1.History{CreatedBy: "deploy/Dockerfile"}}); err != nil {
		return nil, err
	}
	c, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	c = c.DeepCopy()
	c.OS, c.Architecture, c.Config = "linux", arch, s.config
	return mutate.ConfigFile(image, c)
}

// write writes a file, or a folder with all that is in it, without the times of the files.
func (f file) write(w *tar.Writer, root string) error {
	from := filepath.Join(root, filepath.FromSlash(f.from))
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if below == "." && f.to == "" {
			return nil // the root has an owner of its own
		}
		h := &tar.Header{Name: path.Join(f.to, filepath.ToSlash(below)), Mode: int64(info.Mode().Perm()), Uid: f.uid, Gid: f.gid, Typeflag: tar.TypeDir}
		if d.IsDir() {
			h.Name += "/"
			return w.WriteHeader(h)
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		h.Typeflag, h.Size = tar.TypeReg, int64(len(content))
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		_, err = w.Write(content)
		return err
	})
}

// writeArchive writes an image as an archive of OCI.
func writeArchive(image v1.Image, out string) (err error) {
	dir, err := os.MkdirTemp("", "image")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	p, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	// The names by which docker load and podman load keep it.
	if err := p.AppendImage(image, layout.WithAnnotations(map[string]string{
		"io.containerd.image.name": "docker.io/library/hippo:latest", "org.opencontainers.image.ref.name": "hippo:latest",
	})); err != nil {
		return err
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := tar.NewWriter(f)
	if err := (file{}).write(w, dir); err != nil {
		return err
	}
	return w.Close()
}
