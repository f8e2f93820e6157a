package share

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/hippo-memory/hippo"
)

// ErrElected says that another process listens, or is about to.
var ErrElected = errors.New("another process listens")

// Handler carries out a call. It returns the reply, and whether that is an error. ctx ends when the client cancels
// the call or is gone.
type Handler func(ctx context.Context, call []byte) (reply []byte, failed bool)

// Listener is the one process that listens at an [Address].
type Listener struct {
	net  *net.UnixListener
	lock *flock.Flock
	// identify returns [Address.Identity] as of now: the store may have been made since.
	identify func() string

	mu     sync.Mutex
	conns  map[net.Conn]struct{}
	closed bool
	calls  sync.WaitGroup
	ends   sync.WaitGroup
}

// maxConnections is the most clients of a listener, and maxCalls how many calls of one of them run at a time.
const (
	maxConnections = 256
	maxCalls       = 64
	acceptPause    = 10 * time.Millisecond
)

// Listen makes this process the one that listens at an address. A socket that a killed process has left is removed:
// the lock, which ends with its process, says that nobody uses it. path is the store. The error is [ErrElected] if
// another process holds the lock.
func Listen(a Address, path string) (*Listener, error) {
	lock := flock.New(a.Lock, flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", hippo.ErrUnavailable, err)
	}
	if !ok {
		return nil, ErrElected
	}
	if !isCurrent(lock) { // the process before removed the file and released its lock in between
		return nil, errors.Join(ErrElected, lock.Close())
	}
	l, err := bind(a.Socket)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", hippo.ErrUnavailable, err), lock.Close())
	}
	return &Listener{net: l, lock: lock, identify: func() string { return identityOf(path) }, conns: make(map[net.Conn]struct{})}, nil
}

// isCurrent reports whether the file that is locked is still the one at its path.
func isCurrent(lock *flock.Flock) bool {
	at, err := os.Stat(lock.Path())
	if err != nil {
		return false
	}
	held, err := lock.Stat()
	return err == nil && os.SameFile(at, held)
}

func bind(socket string) (*net.UnixListener, error) {
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(socket, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Serve accepts clients until Close. It starts two goroutines a client and one a call.
func (l *Listener) Serve(h Handler) {
	for {
		c, err := l.net.AcceptUnix()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			<-time.After(acceptPause) // out of descriptors, for one: the next one may work
			continue
		}
		if !l.add(c) {
			_ = c.Close()
			continue
		}
		go func() {
			defer l.remove(c)
			l.serve(c, h)
		}()
	}
}

func (l *Listener) add(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || len(l.conns) >= maxConnections {
		return false
	}
	l.conns[c] = struct{}{}
	l.ends.Add(1)
	return true
}

func (l *Listener) remove(c net.Conn) {
	_ = c.Close()
	l.mu.Lock()
	delete(l.conns, c)
	l.mu.Unlock()
	l.ends.Done()
}

// serve answers one client until it is gone.
func (l *Listener) serve(c *net.UnixConn, h Handler) {
	out := newWriter(c)
	in := bufio.NewReaderSize(c, 64<<10)
	if err := l.greet(c, in); err != nil {
		_ = out.write(frame{kind: refused, payload: []byte(err.Error())})
		return
	}
	if out.write(frame{kind: welcome}) != nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &peer{ctx: withGone(ctx, c), out: out, running: make(map[uint64]context.CancelFunc), free: make(chan struct{}, maxCalls)}
	for {
		f, err := read(in)
		if err != nil {
			if !l.isClosed() {
				stop() // the client is gone: nobody waits for the rest
			}
			break
		}
		switch f.kind {
		case call:
			if !l.begin() {
				continue
			}
			p.begin(f, h, l.calls.Done)
		case cancel:
			p.cancel(f.number)
		case ping:
			_ = out.write(frame{kind: pong}) // a failure ends the connection
		default:
		}
	}
	p.calls.Wait()
	stop()
}

// greet checks who calls, and for which store.
func (l *Listener) greet(c *net.UnixConn, in io.Reader) error {
	if err := sameUser(c); err != nil {
		return err
	}
	late, done := context.WithTimeout(context.Background(), helloTimeout)
	defer done()
	stop := context.AfterFunc(late, func() { _ = c.Close() })
	f, err := read(in)
	if !stop() || err != nil {
		return fmt.Errorf("no greeting: %w", errors.Join(err))
	}
	if f.kind != hello {
		return errors.New("no greeting")
	}
	if theirs, ours := string(f.payload), l.identify(); theirs != "" && ours != "" && theirs != ours {
		return errors.New("another store is at this path")
	}
	return nil
}

// begin reports whether a call may begin: not while the listener closes.
func (l *Listener) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.calls.Add(1)
	return true
}

func (l *Listener) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// Close hands over: it removes the socket and the lock, so that another process can listen, waits until the
// calls that have begun are answered or ctx ends, and closes the connections. Calls that arrive meanwhile get no
// answer: their clients repeat them elsewhere.
// Closing again does nothing.
func (l *Listener) Close(ctx context.Context) error {
	l.mu.Lock()
	again := l.closed
	l.closed = true
	l.mu.Unlock()
	if again {
		return nil
	}
	err := errors.Join(l.net.Close(), os.Remove(l.lock.Path()), l.lock.Close())
	done := make(chan struct{})
	go func() {
		l.calls.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	l.mu.Lock()
	for c := range l.conns {
		_ = c.Close()
	}
	l.mu.Unlock()
	l.ends.Wait()
	return err
}

// peer is a client of a [Listener].
type peer struct {
	ctx   context.Context // of the connection
	out   *writer
	free  chan struct{}
	calls sync.WaitGroup

	mu      sync.Mutex
	running map[uint64]context.CancelFunc
}

// begin carries out a call in another goroutine, when fewer than maxCalls run.
func (p *peer) begin(f frame, h Handler, done func()) {
	p.free <- struct{}{}
	ctx, stop := context.WithCancel(p.ctx)
	p.mu.Lock()
	p.running[f.number] = stop
	p.mu.Unlock()
	p.calls.Go(func() {
		defer func() {
			p.mu.Lock()
			delete(p.running, f.number)
			p.mu.Unlock()
			stop()
			<-p.free
			done()
		}()
		growStack(len(f.payload))
		reply, bad := h(ctx, f.payload)
		k := result
		if bad {
			k = failed
		}
		if err := p.out.write(frame{f.number, k, reply}); errors.Is(err, ErrTooLarge) {
			_ = p.out.write(frame{number: f.number, kind: tooLarge})
		}
	})
}

func (p *peer) cancel(number uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if stop := p.running[number]; stop != nil {
		stop()
	}
}

// growStack makes the stack of its goroutine 24 KiB larger: a search needs as much, and to copy the stack each time
// it grows takes 0.25 ms.
//
//go:noinline
func growStack(n int) byte {
	var room [24 << 10]byte
	room[n%len(room)] = 1
	return room[n/2%len(room)]
}
