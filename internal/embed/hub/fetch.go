package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/secret"
)

// hubSource downloads files.
type hubSource struct {
	PullOptions
	spec Spec
	base *url.URL
}

func newHubSource(s Spec, o PullOptions) (*hubSource, error) {
	base, err := url.Parse(o.Endpoint)
	if err != nil || base.Scheme != "https" && base.Scheme != "http" || base.Host == "" {
		return nil, hippo.Fieldf("endpoint", "%q is not the address of a web server", secret.RedactURL(o.Endpoint))
	}
	return &hubSource{PullOptions: o, spec: s, base: base}, nil
}

// fetch downloads a file; one that comes damaged is tried once anew.
func (s *hubSource) fetch(ctx context.Context, root *os.Root, f File) (File, error) {
	got, err := s.download(ctx, root, f)
	if errors.Is(err, hippo.ErrCorrupt) {
		got, err = s.download(ctx, root, f)
	}
	if err != nil {
		return File{}, fmt.Errorf("download %s from %s: %w", f.Name, secret.RedactURL(s.base.String()), err)
	}
	return got, nil
}

func (s *hubSource) download(ctx context.Context, root *os.Root, f File) (File, error) {
	p, err := openPart(root, f)
	if err != nil {
		return File{}, err
	}
	most := p.size // not what the last try had: one may gain again and again what the next loses
	for failures := 0; ; {
		err := s.attempt(ctx, p, f)
		if err == nil {
			return p.finish()
		}
		var again *passing
		if !errors.As(err, &again) {
			return File{}, p.drop(err)
		}
		if p.size > most {
			failures, most = 0, p.size
		}
		if failures++; failures > s.Retries {
			return File{}, p.orClose(fmt.Errorf("%w: %w", hippo.ErrUnavailable, err))
		}
		if err := sleep(ctx, max(again.after, s.Pause<<min(failures-1, 5))); err != nil {
			return File{}, p.orClose(err)
		}
	}
}

// drop closes the part, and empties it first if the error says that it is damaged.
func (p *part) drop(err error) error {
	if errors.Is(err, hippo.ErrCorrupt) {
		err = errors.Join(err, p.reset())
	}
	return p.orClose(err)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// passing is an error that may pass if one tries again.
type passing struct {
	err   error
	after time.Duration // what the hub asks to wait
}

func (e *passing) Error() string { return e.err.Error() }
func (e *passing) Unwrap() error { return e.err }

var errStalled = errors.New("no byte came in time")

// attempt gets what is missing of a part, as far as it comes.
func (s *hubSource) attempt(ctx context.Context, p *part, f File) error {
	if p.size > 0 && p.size == p.ticket.Size && p.ticket.SHA256 != "" { // all but its name is there
		s.Progress(f.Name, p.size, p.size)
		return nil
	}
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(s.Stall, func() { cancel(errStalled) })
	defer watchdog.Stop()
	err := s.transfer(within, p, f, func() { watchdog.Reset(s.Stall) })
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case context.Cause(within) == errStalled: //nolint:errorlint // the very value
		return &passing{err: fmt.Errorf("%w (%v)", errStalled, s.Stall)}
	}
	return err
}

func (s *hubSource) transfer(ctx context.Context, p *part, f File, alive func()) error {
	res, linked, err := s.request(ctx, p, f)
	if err != nil {
		return err
	}
	defer res.Body.Close() //nolint:errcheck // only read
	a, err := s.answer(res, linked, f)
	if err != nil {
		if res.StatusCode == http.StatusRequestedRangeNotSatisfiable && p.size > 0 {
			return errors.Join(&passing{err: err}, p.reset())
		}
		return err
	}
	if p.size > 0 && (a.start != p.size || !a.ticket.continues(p.ticket)) {
		if err := p.reset(); err != nil {
			return err
		}
	}
	if p.size > 0 && a.ticket.SHA256 == "" { // a server for bytes alone does not know it
		a.ticket.SHA256 = p.ticket.SHA256
	}
	if a.start != p.size {
		return &passing{err: fmt.Errorf("the answer begins at byte %d, want %d", a.start, p.size)}
	}
	if err := p.begin(a.ticket); err != nil {
		return err
	}
	return s.body(res.Body, p, alive)
}

// body appends what comes to the part, and checks its length.
func (s *hubSource) body(from io.Reader, p *part, alive func()) error {
	name, total := p.ticket.Name, p.ticket.Size
	limit := total
	if limit == 0 {
		limit = 2*s.spec.Size + maxManifest
	}
	s.Progress(name, p.size, total)
	buf := make([]byte, bufferSize)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			alive()
			if p.size+int64(n) > limit {
				return fmt.Errorf("%w: %s has more than %d bytes", hippo.ErrCorrupt, name, limit)
			}
			if _, err := p.Write(buf[:n]); err != nil {
				return err
			}
			s.Progress(name, p.size, total)
		}
		switch {
		case err == nil:
		case !errors.Is(err, io.EOF):
			return &passing{err: fmt.Errorf("after %d bytes: %w", p.size, err)}
		case total > 0 && p.size < total:
			return &passing{err: fmt.Errorf("%d bytes came, want %d", p.size, total)}
		default:
			return nil
		}
	}
}
