package main

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"strings"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// checkDockerfile builds the Dockerfile with the program that the build context holds, and compares the image with the one
// that make image packs: the same files, owners and modes, and the same configuration.
func checkDockerfile(ctx context.Context, w *workplace) (string, error) {
	if exec.CommandContext(ctx, "buildah").Err != nil || os.Geteuid() != 0 {
		return "", fmt.Errorf("%w: there is no buildah, or this is not root; Debian has it in buildah", errAbsent)
	}
	store := []string{"--storage-driver", "vfs", "--root", w.path("store"), "--runroot", w.path("run")}
	build := exec.CommandContext(ctx, "buildah", append(store, "build", "--isolation", "chroot", "--build-arg", "PROGRAM=context", "-f", "deploy/Dockerfile", "-t", "hippo", ".")...)
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("buildah: %w\n%s", err, out)
	}
	if _, err := w.command(ctx, "buildah", append(store, "push", "hippo", "oci:"+w.path("built")+":hippo")...); err != nil {
		return "", err
	}
	if err := extract(w.image, w.path("packed")); err != nil {
		return "", err
	}
	var got [2]description
	for i, dir := range []string{w.path("built"), w.path("packed")} {
		image, err := onlyImage(dir)
		if err == nil {
			got[i], err = describe(image)
		}
		if err != nil {
			return "", err
		}
	}
	if d := cmp.Diff(got[0], got[1]); d != "" {
		return "", fmt.Errorf("the image of buildah and that of make image differ (-buildah +make image):\n%s", d)
	}
	return fmt.Sprintf("buildah builds the Dockerfile to the image of make image, %d files", len(got[0].Files)), nil
}

// description is what counts of an image.
type description struct {
	Architecture, User string
	Entrypoint, Cmd    []string
	Env                map[string]bool
	Volumes, Ports     map[string]struct{}
	Files              map[string]string // mode, owner and hash by path
}

func describe(image v1.Image) (description, error) {
	c, err := image.ConfigFile()
	if err != nil {
		return description{}, err
	}
	d := description{
		Architecture: c.Architecture, User: c.Config.User, Entrypoint: c.Config.Entrypoint, Cmd: c.Config.Cmd, Env: make(map[string]bool),
		Volumes: c.Config.Volumes, Ports: c.Config.ExposedPorts, Files: make(map[string]string),
	}
	for _, e := range c.Config.Env {
		if !strings.HasPrefix(e, "PATH=") { // of the engine
			d.Env[e] = true
		}
	}
	files := mutate.Extract(image)
	defer files.Close() //nolint:errcheck // it was only read
	t := tar.NewReader(files)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return d, nil
		}
		if err != nil {
			return d, err
		}
		sum := sha256.New()
		if _, err := io.Copy(sum, t); err != nil {
			return d, err
		}
		d.Files[path.Clean("/"+h.Name)] = fmt.Sprintf("%o %d:%d %x", h.Mode&0o777, h.Uid, h.Gid, sum.Sum(nil)[:8])
	}
}
