package far

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/folder"
)

const (
	// greeting is the first line of a program that serves a folder over stdin and stdout. Requests and answers of HTTP follow.
	greeting = "hippo-shelf " + protocol
	// folderHeader names the folder that a request is about, escaped as a part of a URL is.
	folderHeader = "Hippo-Folder"
	// RemoteCommand is what ssh runs on the other machine.
	RemoteCommand = "hippo sync --stdio"
)

// Stdio is what a folder is served with over stdin and stdout.
type Stdio struct {
	// Only is the path of the only folder that is served; empty: the other end chooses one.
	Only string
	// Default is the path of the folder if the other end chooses none. It is made if it is missing.
	Default string
	// Expand returns the absolute form of a path that the other end has chosen.
	Expand func(path string) (string, error)
	Now    func() time.Time
}

// Serve serves a folder until the input ends.
func (o *Stdio) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	if _, err := fmt.Fprintln(out, greeting); err != nil {
		return err
	}
	here, there := net.Pipe() // which has deadlines, as http.Server needs them
	var copies sync.WaitGroup
	copies.Go(func() {
		_, _ = io.Copy(there, in)
		_ = there.Close()
	})
	var failed error
	copies.Go(func() { _, failed = io.Copy(out, there) })
	server := http.Server{Handler: &Server{Open: o.open, Now: o.Now}, BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	err := server.Serve(&single{conn: here, ended: make(chan struct{})})
	if errors.Is(err, io.EOF) || errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	if ctx.Err() != nil { // the input may not end
		return ctx.Err()
	}
	copies.Wait()
	if errors.Is(failed, io.ErrClosedPipe) {
		failed = nil
	}
	return errors.Join(err, failed)
}

// open returns the folder that a request names.
func (o *Stdio) open(r *http.Request) (*folder.Dir, error) {
	path, err := url.PathUnescape(r.Header.Get(folderHeader))
	switch {
	case err != nil:
		return nil, hippo.Fieldf("PATH", "cannot be read: %v", err)
	case o.Only != "" && path != "":
		return nil, fmt.Errorf("%w: this login serves one folder: leave out the path", hippo.ErrForbidden)
	case o.Only != "":
		return folder.OpenDir(o.Only)
	case path == "":
		if err := os.MkdirAll(o.Default, 0o700); err != nil {
			return nil, fmt.Errorf("%w: %w", hippo.ErrUnavailable, err)
		}
		return folder.OpenDir(o.Default)
	}
	if path, err = o.Expand(path); err != nil {
		return nil, err
	}
	return folder.OpenDir(path)
}

// single is a listener with one connection. It ends with it.
type single struct {
	conn  net.Conn
	once  sync.Once
	taken bool
	ended chan struct{}
}

// Accept implements [net.Listener].
func (s *single) Accept() (net.Conn, error) {
	if !s.taken {
		s.taken = true
		return &watched{s.conn, s}, nil
	}
	<-s.ended
	return nil, io.EOF
}

// Close implements [net.Listener].
func (s *single) Close() error {
	s.once.Do(func() { close(s.ended) })
	return nil
}

// Addr implements [net.Listener].
func (s *single) Addr() net.Addr { return s.conn.LocalAddr() }

// watched is a connection whose end is that of its listener.
type watched struct {
	net.Conn
	of *single
}

// Close implements [net.Conn].
func (w *watched) Close() error { return errors.Join(w.Conn.Close(), w.of.Close()) }
