package main

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// checkImage runs the image as its configuration says: in a root that has nothing but its files, which are not its own,
// as its user, with its variables. It creates a token, serves, answers probes, records, and ends in order.
func checkImage(ctx context.Context, w *workplace) (string, error) {
	if os.Geteuid() != 0 {
		return "", fmt.Errorf("%w: only root may change the root of a process", errAbsent)
	}
	if err := extract(w.image, w.path("layout")); err != nil {
		return "", err
	}
	image, err := onlyImage(w.path("layout"))
	if err != nil {
		return "", err
	}
	root := w.path("root")
	if err := unpack(image, root); err != nil {
		return "", err
	}
	c, err := image.ConfigFile()
	if err != nil {
		return "", err
	}
	address, port, err := freeAddress()
	if err != nil {
		return "", err
	}
	b := &box{root: root, config: &c.Config}
	create, err := b.command(ctx, "token", "create", "admin", "--right", "admin")
	if err != nil {
		return "", err
	}
	token, err := create.Output()
	if err != nil {
		return "", fmt.Errorf("token create: %w", err)
	}
	args := strings.Split(strings.ReplaceAll(strings.Join(c.Config.Cmd, "\n"), ":8420", ":"+port), "\n")
	cmd, err := b.command(ctx, args...)
	if err != nil {
		return "", err
	}
	server := &process{cmd: cmd}
	cmd.Stdout, cmd.Stderr = &server.out, &server.out
	if err := w.follow(server); err != nil {
		return "", err
	}
	for path, key := range map[string]string{"/healthz": "", "/readyz": "", "/api/v1/memories": strings.TrimSpace(string(token)), "/metrics": strings.TrimSpace(string(token))} {
		if err := eventually(ctx, func() error { _, err := get(ctx, "http://"+address+path, key); return err }); err != nil {
			return "", fmt.Errorf("%w\n%s", err, server.stop())
		}
	}
	if err := errors.Join(cmd.Process.Signal(syscall.SIGTERM), cmd.Wait()); err != nil {
		return "", fmt.Errorf("the end: %w\n%s", err, server.out.String())
	}
	return fmt.Sprintf("the image serves as %s, writes nothing but /data, and ends in order", c.Config.User), b.onlyData()
}

// box is a root of its own, and the configuration of the image in it.
type box struct {
	root   string
	config *v1.Config
}

// command returns a command as an engine starts it.
func (b *box) command(ctx context.Context, args ...string) (*exec.Cmd, error) {
	user, group, err := b.user()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, b.config.Entrypoint[0], args...)
	cmd.Dir, cmd.Env = "/", b.config.Env
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: b.root, Credential: &syscall.Credential{Uid: user, Gid: group, NoSetGroups: false}}
	return cmd, nil
}

// user returns the numbers of the user and the group, which must not be root.
func (b *box) user() (user, group uint32, err error) {
	uid, gid, _ := strings.Cut(b.config.User, ":")
	u, err := strconv.ParseUint(uid, 10, 32)
	if err != nil || u == 0 {
		return 0, 0, fmt.Errorf("the user of the image is %q: %w", b.config.User, err)
	}
	g, err := strconv.ParseUint(gid, 10, 32)
	return uint32(u), uint32(g), err
}

// onlyData fails if a file outside of the volume belongs to the user of the image, or the program is not static.
func (b *box) onlyData() error {
	user, _, err := b.user()
	if err != nil {
		return err
	}
	return filepath.WalkDir(b.root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == filepath.Join(b.root, "data") {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if s, ok := info.Sys().(*syscall.Stat_t); !ok || s.Uid == user || info.Mode().Perm()&0o022 != 0 {
			return fmt.Errorf("the user of the image can write %s: %v", path, info.Mode())
		}
		return nil
	})
}

// onlyImage returns the image in a layout of OCI.
func onlyImage(dir string) (v1.Image, error) {
	p, err := layout.FromPath(dir)
	if err != nil {
		return nil, err
	}
	index, err := p.ImageIndex()
	if err != nil {
		return nil, err
	}
	m, err := index.IndexManifest()
	if err != nil || len(m.Manifests) != 1 {
		return nil, fmt.Errorf("%s must have one image: %w", dir, err)
	}
	return p.Image(m.Manifests[0].Digest)
}

// unpack writes the files of an image below a folder.
func unpack(image v1.Image, root string) error {
	if err := os.Mkdir(root, 0o755); err != nil {
		return err
	}
	files := mutate.Extract(image)
	return errors.Join(untar(files, root), files.Close())
}

// extract writes the files of an archive below a folder.
func extract(archive, dir string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return errors.Join(os.Mkdir(dir, 0o755), untar(f, dir))
}

// untar writes files and folders, with their owners.
func untar(r io.Reader, dir string) error {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.Clean("/"+h.Name))
		switch h.Typeflag {
		case tar.TypeDir:
			err = os.MkdirAll(path, 0o755)
		case tar.TypeReg:
			err = writeFile(path, t)
		default:
			err = fmt.Errorf("%s is of the kind %c", h.Name, h.Typeflag)
		}
		if err = errors.Join(err, os.Lchown(path, h.Uid, h.Gid), os.Chmod(path, os.FileMode(h.Mode).Perm())); err != nil {
			return err
		}
	}
}

func writeFile(path string, r io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
