package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/rpc"
	"github.com/hippo-memory/hippo/internal/rpc/remote"
	"github.com/hippo-memory/hippo/internal/rpc/share"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

const (
	// joinTimeout is how long a process waits for another that is about to listen, before it opens the store itself.
	joinTimeout = 3 * time.Second
	// joinPause is the pause between two attempts to connect meanwhile.
	joinPause = 2 * time.Millisecond
	// maxRepeats is how many times a call is repeated whose connection broke.
	maxRepeats = 3
)

// Sharing reaches a store through the process that has it open, or opens it in this one. It is safe for concurrent
// use.
type Sharing struct {
	SharingOptions
	cfg     config.Config
	options *Options
	log     *slog.Logger
	remote  *engine.Engine // calls this Sharing

	mu      sync.Mutex // never held while something waits
	current *attachment
	alone   bool // the process that listened was silent: this one has opened the store itself since
	closed  bool
}

// SharingOptions says how a process takes part.
type SharingOptions struct {
	// Listens: if nobody listens, this process does, and answers others until it is closed. Without it this process opens
	// the store for itself alone.
	Listens bool
	// Own: this process opens the store in any case. With Listens it answers others, unless another process does.
	Own bool
	// Alone is opened in place of the configuration if nobody listens; nil: the same.
	Alone *config.Config
	// Greeting is how long to wait for the greeting of the process that listens; 0 means [joinTimeout].
	Greeting time.Duration
}

// attachment is how this process reaches the store: one of conn, local, server and err is set when done is closed.
type attachment struct {
	done     chan struct{}
	server   *remote.Client
	err      error
	conn     *share.Conn
	local    *Opener
	listener *share.Listener // nil: local is for this process alone
}

// NewSharing returns a Sharing of the store that c names. It opens and connects to nothing before its first use.
func NewSharing(c config.Config, o *Options, so SharingOptions) *Sharing {
	if o == nil {
		o = &Options{}
	}
	s := &Sharing{SharingOptions: so, cfg: c, options: o, log: o.Log}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.remote = remoteEngine(s, &c, o)
	return s
}

// OpenShared returns the engine of a [Sharing] that does not listen, when it is open. The caller closes it.
func OpenShared(ctx context.Context, c config.Config, o *Options) (*engine.Engine, error) {
	return NewSharing(c, o, SharingOptions{}).opened(ctx)
}

func (s *Sharing) opened(ctx context.Context) (*engine.Engine, error) {
	a, err := s.attached(ctx)
	switch {
	case err != nil:
		return nil, err
	case a.local == nil:
		return s.remote, nil
	default:
		return Open(ctx, *cmp.Or(s.Alone, &s.cfg), s.options)
	}
}

// OpenForHook is [OpenShared] for a process that must end soon: it waits for another no longer than greeting, and opens
// alone, with other settings, if none answers.
func OpenForHook(ctx context.Context, c, alone config.Config, o *Options, greeting time.Duration) (*engine.Engine, error) {
	return NewSharing(c, o, SharingOptions{Alone: &alone, Greeting: greeting}).opened(ctx)
}

// Engine returns the engine of this process, or one whose verbs another process carries out; see [Opener.Engine].
func (s *Sharing) Engine(ctx context.Context) (*engine.Engine, error) {
	a, err := s.attached(ctx)
	if err != nil {
		return nil, err
	}
	if a.local != nil {
		return a.local.Engine(ctx)
	}
	return s.remote, nil
}

// Here implements [engine.Remote]: the engine of this process, or one that is opened for the caller alone, with its
// models loaded.
func (s *Sharing) Here(ctx context.Context) (*engine.Engine, func() error, error) {
	a, err := s.attached(ctx)
	if err != nil {
		return nil, nil, err
	}
	if a.local != nil {
		e, err := a.local.Engine(ctx)
		return e, func() error { return nil }, err
	}
	if a.server != nil {
		return a.server.Here(ctx)
	}
	e, err := Open(ctx, *cmp.Or(s.Alone, &s.cfg), s.options)
	if err != nil {
		return nil, nil, err
	}
	_ = e.Ready(ctx) // without a model searches are lexical
	return e, e.Close, nil
}

// Call implements [engine.Remote]. If the connection breaks, it connects to the process that takes over, or takes
// over itself, and repeats the call with Retried set. If the other process does not run, this one also opens the store; a call
// that the other one has not carried out by then it never does.
func (s *Sharing) Call(ctx context.Context, c *engine.Call, out any) error {
	for attempt := 0; ; attempt++ {
		a, err := s.attached(ctx)
		if err != nil {
			return err
		}
		if a.server != nil {
			return a.server.Call(ctx, c, out)
		}
		payload, err := rpc.Encode(c)
		if err != nil {
			return fmt.Errorf("%w: %s: %w", hippo.ErrInvalid, c.Verb, err)
		}
		if a.local != nil {
			reply, failed := s.dispatcher(a).Do(ctx, payload)
			return rpc.Decode(reply, failed, out)
		}
		reply, failed, err := a.conn.Call(ctx, payload)
		switch {
		case err == nil:
			return rpc.Decode(reply, failed, out)
		case !errors.Is(err, share.ErrBroken):
			return err
		case attempt == maxRepeats:
			return fmt.Errorf("%w: %s: the process that shares the store ended %d times: %w", hippo.ErrUnavailable, c.Verb, attempt+1, err)
		}
		s.leave(a)
		c.Retried = true
	}
}

// attached returns how the store is reached, when that is known.
func (s *Sharing) attached(ctx context.Context) (*attachment, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, ending()
	}
	a := s.current
	if a == nil {
		a = &attachment{done: make(chan struct{})}
		s.current = a
		go s.join(context.WithoutCancel(ctx), a)
	}
	s.mu.Unlock()
	select {
	case <-a.done:
		if a.err != nil { // the next call tries again
			s.leave(a)
		}
		return a, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// dispatcher carries out calls with the engine of this process.
func (s *Sharing) dispatcher(a *attachment) *rpc.Dispatcher {
	return rpc.NewDispatcher(a.local.Engine, s.options.Verbs...)
}

// leave forgets an attachment whose connection has ended. If the other process was silent, this one opens the store itself
// from now on: to greet a process that does not run takes seconds.
func (s *Sharing) leave(a *attachment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.conn != nil && a.conn.Silent() && !s.alone {
		s.alone = true
		s.log.Warn("the process that shares the store does not run: this one opens the store itself")
	}
	if s.current == a {
		s.current = nil
	}
}

// join finds out how the store is reached, and closes a.done.
func (s *Sharing) join(ctx context.Context, a *attachment) {
	if s.cfg.Store.Remote() {
		a.server, a.err = connect(s.cfg.Store, s.options)
		close(a.done)
		return
	}
	s.connect(ctx, a)
	if a.conn == nil && a.local == nil {
		a.local = s.opener(*cmp.Or(s.Alone, &s.cfg))
	}
	close(a.done)
	if a.listener != nil {
		d := s.dispatcher(a)
		a.listener.Serve(func(ctx context.Context, call []byte) ([]byte, bool) {
			return d.Do(driver.Unless(ctx, share.Gone(ctx)), call)
		})
	}
	if a.conn != nil && s.Listens { // takes over at once, so that the store is open when the next call comes
		<-a.conn.Broken()
		s.leave(a)
		if next, err := s.attached(ctx); err == nil && next.local != nil {
			_, _ = next.local.Engine(ctx)
		}
	}
}

// connect connects to the process that listens, or makes this one listen. It leaves both unset if this process is to
// open the store for itself alone.
func (s *Sharing) connect(ctx context.Context, a *attachment) {
	if s.isAlone() || !s.cfg.Share || !s.cfg.Store.Files() || runtime.GOOS == "windows" { // the rights of sockets there are not tried
		return
	}
	key := strings.Join([]string{rpc.Protocol(), s.cfg.Store.Kind, realPath(s.cfg.Store.Path), s.cfg.Model.Name}, "\x00")
	if s.Own {
		s.answer(key, a)
		return
	}
	ctx, done := context.WithTimeout(ctx, cmp.Or(s.Greeting, joinTimeout))
	defer done()
	for ctx.Err() == nil {
		address, err := share.AddressOf(key, s.cfg.Store.Path, os.Getenv)
		if err != nil {
			s.log.Info("store not shared", "error", err)
			return
		}
		a.conn, err = share.Dial(ctx, address)
		if err == nil {
			return
		}
		if !errors.Is(err, share.ErrNobody) {
			s.log.Info("store not shared", "error", err)
			return
		}
		if !s.Listens {
			return
		}
		l, err := share.Listen(address, s.cfg.Store.Path)
		if err == nil {
			a.listener, a.local = l, s.opener(s.cfg)
			return
		}
		if !errors.Is(err, share.ErrElected) {
			s.log.Info("store not shared", "error", err)
			return
		}
		pause(ctx, joinPause)
	}
	s.log.Info("store not shared", "error", "another process is about to listen, and does not")
}

func (s *Sharing) isAlone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.alone
}

// answer makes this process listen, unless another one does.
func (s *Sharing) answer(key string, a *attachment) {
	address, err := share.AddressOf(key, s.cfg.Store.Path, os.Getenv)
	if err == nil {
		a.listener, err = share.Listen(address, s.cfg.Store.Path)
	}
	if err != nil {
		s.log.Info("store not shared", "error", err)
		return
	}
	a.local = s.opener(s.cfg)
}

// opener returns what opens the store in this process.
func (s *Sharing) opener(c config.Config) *Opener {
	if s.Listens {
		return newSyncingOpener(c, s.options)
	}
	return NewOpener(c, s.options)
}

// pause waits for a time or the end of ctx.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// realPath returns a path without symbolic links, as far as it exists.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// Close implements [engine.Remote]: it is [Sharing.Shut] without a bound.
func (s *Sharing) Close() error { return s.Shut(context.Background()) }

// Shut hands over to another process and closes what this one has open. It waits for calls of others under way until
// ctx ends, and is [Opener.Close] otherwise.
func (s *Sharing) Shut(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	a := s.current
	s.mu.Unlock()
	if a == nil {
		return nil
	}
	select {
	case <-a.done:
	case <-ctx.Done():
		return fmt.Errorf("store still opening: %w", context.Cause(ctx))
	}
	switch {
	case a.conn != nil:
		_ = a.conn.Close()
		return nil
	case a.server != nil:
		return a.server.Close()
	case a.local == nil:
		return nil
	}
	var err error
	if a.listener != nil {
		err = a.listener.Close(ctx)
	}
	return errors.Join(err, a.local.Close(ctx))
}
