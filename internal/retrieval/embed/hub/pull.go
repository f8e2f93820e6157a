package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/hippo-memory/hippo"
)

// PullOptions say where the files come from. The zero value is the hub.
type PullOptions struct {
	// Endpoint is the address of the hub or a mirror; empty means the environment's
	// HF_ENDPOINT, or else https://huggingface.co.
	Endpoint string
	// Token is sent to the endpoint's host, over https or to this machine only, and to no
	// host that it redirects to; empty means the environment's HF_TOKEN.
	Token string
	// From, if not empty, is a folder with the files; the network is not used.
	From string
	// Progress, if not nil, is called with the number of bytes of a file that are here and
	// its size, 0 if that is unknown: often, by the caller's goroutine.
	Progress func(file string, done, total int64)
	// Client is the HTTP client; nil means one without a time limit for a whole request.
	Client *http.Client
	Stall  time.Duration // the longest time without a byte; 0 means 60 s
	Pause  time.Duration // before the first retry, doubled for each further one; 0 means 1 s
}

func (o *PullOptions) withDefaults(getenv func(string) string) PullOptions {
	var p PullOptions
	if o != nil {
		p = *o
	}
	p.Endpoint = cmp.Or(p.Endpoint, getenv("HF_ENDPOINT"), "https://huggingface.co")
	p.Token = cmp.Or(p.Token, getenv("HF_TOKEN"))
	p.Stall = cmp.Or(p.Stall, time.Minute)
	p.Pause = cmp.Or(p.Pause, time.Second)
	if p.Progress == nil {
		p.Progress = func(string, int64, int64) {}
	}
	if p.Client == nil {
		p.Client = &http.Client{}
	}
	return p
}

// Pull gets a model, given by ID or alias, and returns it; one that is here is returned
// without a request. A second Pull of the same model, in this process or another, waits
// for the first. One that was interrupted is resumed.
//
// The error is [hippo.ErrInvalid] for an unknown name or a wrong option,
// [hippo.ErrUnavailable] if the hub does not answer, refuses or does not have it,
// [hippo.ErrUnsupported] if the hub's files cannot be used, [hippo.ErrCorrupt] if the
// files are twice not what they should be, [hippo.ErrFull], [hippo.ErrReadOnly], or the
// context's.
func (c *Cache) Pull(ctx context.Context, id string, o *PullOptions) (l Local, err error) {
	if isPath(id) {
		return Local{}, hippo.Fieldf("model", "%q is a folder: it can be used as it is", id)
	}
	s, err := c.Lookup(id)
	if err != nil {
		return Local{}, err
	}
	if l, err := c.resolve(s); err == nil {
		return l, nil
	}
	p, staging := o.withDefaults(c.getenv), c.downloadDir(s)
	if p.From != "" {
		staging = c.copyDir(s)
	} else if s.Manual != "" {
		return Local{}, fmt.Errorf("model %s: %w: %s", s.ID, hippo.ErrUnsupported, s.Manual)
	}
	d, err := newDownloader(s, p)
	if err != nil {
		return Local{}, err
	}
	unlock, err := c.lock(ctx, s)
	if err != nil {
		return Local{}, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if l, err := c.resolve(s); err == nil { // another process was faster
		return l, nil
	}
	if p.From != "" { // what an earlier copy left may be of another folder
		err = removeModel(staging)
	}
	if err == nil {
		err = d.stage(ctx, staging)
	}
	if err == nil {
		err = c.publish(s, staging)
	} else if p.From != "" || errors.Is(err, errOther) {
		err = errors.Join(err, removeModel(staging))
	}
	if err != nil {
		return Local{}, fmt.Errorf("model %s: %w", s.ID, err)
	}
	return c.resolve(s)
}

// publish makes a complete folder the model, and removes what was left of others.
func (c *Cache) publish(s Spec, staging string) error {
	if err := removeModel(c.revisionDir(s)); err != nil {
		return err
	}
	if err := os.Rename(staging, c.revisionDir(s)); err != nil {
		return diskError(err)
	}
	return errors.Join(removeModel(c.downloadDir(s)), removeModel(c.copyDir(s)))
}

// errOther is the error of complete files of another model.
var errOther = fmt.Errorf("%w: these are the files of another model", hippo.ErrCorrupt)

// stage puts all files and the manifest into a folder. It keeps files that are there:
// each got its name after it was verified.
func (d *downloader) stage(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return diskError(err)
	}
	m := manifest{Format: manifestFormat, ID: d.spec.ID, Repo: d.spec.Repo, Revision: d.spec.Revision}
	for _, want := range d.spec.Files {
		got, err := verified(ctx, filepath.Join(dir, want.Name), want)
		if err != nil {
			got, err = d.fetch(ctx, dir, want)
		}
		if err != nil {
			return err
		}
		m.Files = append(m.Files, got)
	}
	var is Spec
	if err := readSettings(dir, &is); err != nil {
		return fmt.Errorf("%w: %w", errOther, err)
	}
	if is.Dimension != d.spec.Dimension {
		return fmt.Errorf("%w: %s has dimension %d, want %d", errOther, ConfigFile, is.Dimension, d.spec.Dimension)
	}
	return m.write(dir)
}

// fetch downloads a file, once more if it arrives corrupt, and gives it its name.
func (d *downloader) fetch(ctx context.Context, dir string, want File) (File, error) {
	path := filepath.Join(dir, want.Name)
	var got File
	var err error
	for range 2 {
		if got, err = d.download(ctx, path+partSuffix, want); err == nil {
			got, err = verified(ctx, path+partSuffix, got)
		}
		if !errors.Is(err, hippo.ErrCorrupt) {
			break
		}
		err = errors.Join(err, os.Remove(path+partSuffix))
	}
	if err == nil {
		err = os.Rename(path+partSuffix, path)
	}
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", d.origin(want.Name), diskError(err))
	}
	return got, nil
}

// verified returns the file at path with its checksum. The error is [hippo.ErrCorrupt] if
// it is not what is known of it.
func verified(ctx context.Context, path string, want File) (File, error) {
	got, err := checksum(ctx, path, want.Name)
	if err == nil {
		err = want.check(got)
	}
	if err == nil {
		err = checkFormat(path, want.Name)
	}
	return got, err
}
