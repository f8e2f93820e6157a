// Command web opens the dashboard in a real Chromium, and checks what only a browser can: that each page loads without an
// error, that texts of memories stay texts, that axe-core finds no violation, and that the keyboard is enough.
//
//	go -C tools run ./web --axe ../bin/axe/node_modules/axe-core/axe.min.js --out ../bin/web
//
// With --serve it only serves the sample, and prints a link.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/web"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "web:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	serve, chromium, axe, out, pictures string
	more                                int
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var o options
	f := flag.NewFlagSet("web", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.serve, "serve", "", "serve the sample at this address, until killed")
	f.StringVar(&o.chromium, "chromium", "chromium", "the browser")
	f.StringVar(&o.axe, "axe", "", "axe.min.js")
	f.StringVar(&o.out, "out", "", "folder for screenshots; empty for none")
	f.StringVar(&o.pictures, "pictures", "", "folder for the pictures of docs/dashboard.md; empty for none")
	f.IntVar(&o.more, "more", 0, "this many more memories, to measure")
	if err := f.Parse(args); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "hippo-web")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	s, err := start(ctx, folder, &o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.server.Close(), s.engine.Close()) }()
	if o.serve != "" {
		fmt.Fprintln(stdout, s.url+s.sessions.Link(owner()))
		<-ctx.Done()
		return nil
	}
	return check(ctx, s, &o, stdout)
}

// site is a dashboard with the sample.
type site struct {
	engine   *engine.Engine
	server   *http.Server
	sessions *web.Sessions
	url      string
	landmarks
}

func owner() httpd.Caller { return httpd.Caller{Name: "ana", Scope: hippo.LocalScope("")} }

// start serves the sample on loopback.
func start(ctx context.Context, folder string, o *options) (*site, error) {
	e, at, err := openSample(ctx, folder, o.more)
	if err != nil {
		return nil, err
	}
	s := &site{engine: e, sessions: web.NewSessions(time.Now), landmarks: at}
	mux := http.NewServeMux()
	options := &web.Options{Sessions: s.sessions, Tokens: &tokens{}, Version: "dev", Store: filepath.Join("~", "memory.db")}
	for _, r := range web.Routes(func(context.Context) (*engine.Engine, error) { return e, nil }, options) {
		mux.Handle(r.Pattern, r.Handler)
	}
	address := o.serve
	if address == "" {
		address = "127.0.0.1:0"
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	s.url = "http://" + l.Addr().String()
	s.server = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.server.Serve(l) }() // it ends by Close
	return s, nil
}

// tokens are tokens in RAM.
type tokens struct{ list []web.Token }

func (t *tokens) List(context.Context) ([]web.Token, error) { return t.list, nil }

func (t *tokens) Create(_ context.Context, x web.Token) (string, error) {
	t.list = append(t.list, x)
	return "hippo_sample_token", nil
}

func (t *tokens) Revoke(_ context.Context, namespace, name string) error {
	for i := range t.list {
		if t.list[i].Name == name && t.list[i].Scope.Namespace == namespace {
			t.list = append(t.list[:i], t.list[i+1:]...)
			return nil
		}
	}
	return hippo.ErrNotFound
}
