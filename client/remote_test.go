package client_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/rpc/remote"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// readers knows two tokens.
type readers struct{}

func (readers) Authenticate(token string) (httpd.Caller, bool) {
	scope := hippo.LocalScope("")
	if token == "reader" {
		scope.Rights = hippo.RightRead
	}
	return httpd.Caller{Name: token, Scope: scope}, token == "reader" || token == "owner"
}

// A store on a server has the interface, and the errors, of one of this machine.
func TestOpen_Server(t *testing.T) {
	t.Setenv("HIPPO_TOKEN", "")
	t.Setenv("HIPPO_CONFIG", t.TempDir()+"/config.toml")
	ctx := t.Context()
	e, err := app.Open(ctx, config.Config{Store: config.Store{Kind: "memory"}, Model: config.Model{Name: config.NoModel}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	open := func(context.Context) (*engine.Engine, error) { return e, nil }
	s := httptest.NewServer(httpd.New(remote.Routes(open, &remote.Options{}), httpd.Options{Tokens: readers{}}))
	t.Cleanup(s.Close)
	if _, err := client.Open(ctx, s.URL, nil); !errors.Is(err, hippo.ErrForbidden) {
		t.Errorf("without a token: %v", err)
	}
	c, err := client.Open(ctx, s.URL, &client.Options{Token: "owner", Project: "app"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Record(ctx, api.Record{Content: "the gateway times out", Tags: []string{"gateway"}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Search(ctx, api.Search{Query: hippo.Query{Text: "gateway"}})
	if err != nil || len(a.Hits) != 1 || a.Hits[0].Memory.ID != r.ID || a.Hits[0].Memory.Project != "app" {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := c.Record(ctx, api.Record{Content: "x", Importance: new(2.)}); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("%v", err)
	}
	here, err := client.Open(ctx, "memory:", &client.Options{Model: "none"})
	if err != nil {
		t.Fatal(err)
	}
	report, err := here.Import(ctx, api.Import{Entries: c.Export(ctx)})
	if err != nil || report.Added != 1 {
		t.Errorf("down: %+v, %v", report, err)
	}
	if report, err = c.Import(ctx, api.Import{Entries: here.Export(ctx)}); err != nil || report.Present != 1 {
		t.Errorf("up: %+v, %v", report, err)
	}
	t.Setenv("HIPPO_TOKEN", "reader")
	reader, err := client.Open(ctx, s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Record(ctx, api.Record{Content: "not allowed"}); !errors.Is(err, hippo.ErrForbidden) {
		t.Errorf("a reader records: %v", err)
	}
	if err := errors.Join(here.Close(), reader.Close(), c.Close()); err != nil {
		t.Error(err)
	}
}
