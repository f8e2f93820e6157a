package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
)

// The defaults of [PullOptions].
const (
	defaultEndpoint = "https://huggingface.co"
	defaultStall    = 60 * time.Second
	defaultPause    = time.Second
	defaultRetries  = 5
)

// PullOptions say where the files come from. The zero value is the hub.
type PullOptions struct {
	// Endpoint is the address of the hub or a mirror; empty means the
	// environment's HF_ENDPOINT, or else https://huggingface.co.
	Endpoint string
	// Token is sent to the endpoint's host, over https or to this machine only,
	// and to no host that it redirects to; empty means the environment's HF_TOKEN.
	Token string
	// From, if not empty, is a folder with the files; the network is not used.
	From string
	// Progress, if not nil, is told how many bytes of a file are here, and how
	// many it has; 0 if that is not known. It is called by the caller's goroutine,
	// for every file that is to be got at least once, and often.
	Progress func(file string, done, total int64)
	// Client is the HTTP client, whose own rule on redirects is not used; nil means
	// one that has no bound on the whole time.
	Client *http.Client
	// Stall is the longest time without a byte; 0 means 60 s.
	Stall time.Duration
	// Retries is how often in a row a request may fail for a passing reason
	// without a byte gained; 0 means 5, less than 0 never.
	Retries int
	// Pause is the time before the second try; it doubles with every further
	// one, up to 32 times. 0 means 1 s. What the hub asks for goes before.
	Pause time.Duration
}

func (o *PullOptions) complete(getenv func(string) string) PullOptions {
	var p PullOptions
	if o != nil {
		p = *o
	}
	p.Endpoint = cmp.Or(p.Endpoint, getenv("HF_ENDPOINT"), defaultEndpoint)
	p.Token = cmp.Or(p.Token, getenv("HF_TOKEN"))
	p.Stall = cmp.Or(p.Stall, defaultStall)
	p.Pause = cmp.Or(p.Pause, defaultPause)
	p.Retries = max(0, cmp.Or(p.Retries, defaultRetries))
	if p.Progress == nil {
		p.Progress = func(string, int64, int64) {}
	}
	if p.Client == nil {
		p.Client = &http.Client{}
	}
	return p
}

// source gives files: the hub or a folder.
type source interface {
	// fetch puts a file into the staging folder, under its name, verified and
	// synced, and returns its size and sum.
	fetch(ctx context.Context, root *os.Root, f File) (File, error)
}

// Pull gets a model, given by ID or alias, and returns it; one that is here is
// returned as it is, without a look at the hub. A second Pull of the same model,
// in this process or another, waits for the first. One that was cut off goes on
// where it stopped.
//
// The error is [hippo.ErrInvalid] for an unknown name or a wrong option,
// [hippo.ErrUnavailable] if the hub does not answer, refuses or does not have it,
// [hippo.ErrUnsupported] if the hub's files cannot be used, [hippo.ErrCorrupt] if
// what came is twice not what it should be, [hippo.ErrFull], [hippo.ErrReadOnly],
// or the context's.
func (c *Cache) Pull(ctx context.Context, id string, o *PullOptions) (l Local, err error) {
	if isPath(id) {
		return Local{}, hippo.Fieldf("model", "%q is a folder: it can be used as it is", id)
	}
	s, err := find(c.specs, id)
	if err != nil {
		return Local{}, err
	}
	if l, err := c.resolve(s); err == nil {
		return l, nil
	}
	src, staging, err := c.source(s, o)
	if err != nil {
		return Local{}, err
	}
	unlock, err := c.lock(ctx, s)
	if err != nil {
		return Local{}, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if l, err := c.resolve(s); err == nil { // the one before got it
		return l, nil
	}
	if err := c.get(ctx, s, src, staging); err != nil {
		return Local{}, fmt.Errorf("model %s: %w", s.ID, err)
	}
	return c.resolve(s)
}

// get makes the model. A copy begins anew every time: it may be of another folder.
func (c *Cache) get(ctx context.Context, s Spec, src source, staging string) error {
	isCopy := staging == c.copying(s)
	if isCopy {
		if err := discard(staging); err != nil {
			return err
		}
	}
	if err := stage(ctx, staging, s, src); err != nil {
		if isCopy || errors.Is(err, errOther) {
			err = errors.Join(err, discard(staging))
		}
		return err
	}
	return c.publish(s, staging)
}

// source returns where the files come from and the folder to put them first.
func (c *Cache) source(s Spec, o *PullOptions) (src source, staging string, err error) {
	p := o.complete(c.getenv)
	if p.From != "" {
		return &folderSource{dir: p.From, progress: p.Progress}, c.copying(s), nil
	}
	if s.Manual != "" {
		return nil, "", fmt.Errorf("model %s: %w: %s", s.ID, hippo.ErrUnsupported, s.Manual)
	}
	src, err = newHubSource(s, p)
	return src, c.downloading(s), err
}

// stage gets all files into a folder, and keeps those that are there.
func stage(ctx context.Context, dir string, s Spec, src source) (err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return diskError(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return diskError(err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	done := manifest{Format: manifestFormat, ID: s.ID, Repo: s.Repo, Revision: s.Revision}
	earlier := staged(root, s)
	for _, f := range s.Files {
		got, here := earlier.file(f.Name)
		if !here {
			if got, err = src.fetch(ctx, root, f); err != nil {
				return err
			}
		}
		done.Files = append(done.Files, got)
		if err := done.write(root); err != nil {
			return err
		}
	}
	return matches(root, s)
}

// staged returns the files of an earlier download that are whole. Of one that
// left no true record nothing is used.
func staged(root *os.Root, s Spec) Spec {
	m, err := readManifest(root)
	if err != nil {
		return Spec{}
	}
	whole := slices.DeleteFunc(m.Files, func(f File) bool {
		want, known := s.file(f.Name)
		return !known || want.accepts(f) != nil || (manifest{Files: []File{f}}).sizes(root) != nil
	})
	if m.ID != s.ID || m.Repo != s.Repo || m.Revision != s.Revision {
		return Spec{}
	}
	return Spec{Files: whole}
}

// errOther is the error of files that are whole and of another model.
var errOther = fmt.Errorf("%w: these are the files of another model", hippo.ErrCorrupt)

// matches says whether the files are of the model they are taken for.
func matches(root *os.Root, s Spec) error {
	var got Spec
	if err := shape(settings(root.Name()), &got); err != nil {
		return fmt.Errorf("%w: %w", errOther, err)
	}
	if got.Dimension != s.Dimension {
		return fmt.Errorf("%w: %s has dimension %d, want %d", errOther, ConfigFile, got.Dimension, s.Dimension)
	}
	return nil
}

// publish makes a folder the model, and removes what else was on its way to it.
func (c *Cache) publish(s Spec, staging string) error {
	if err := discard(c.folder(s)); err != nil {
		return err
	}
	if err := os.Rename(staging, c.folder(s)); err != nil {
		return diskError(err)
	}
	err := errors.Join(syncDir(c.home(s)), syncDir(c.dir))
	return errors.Join(diskError(err), discard(c.downloading(s)), discard(c.copying(s)))
}
