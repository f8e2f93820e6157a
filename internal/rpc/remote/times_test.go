package remote_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
	"github.com/hippo-memory/hippo/internal/rpc/remote"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// silent is a server that never answers.
type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestClient_Times: a client waits ten minutes and more for verbs that may read the whole store, and for no other ones.
func TestClient_Times(t *testing.T) {
	t.Parallel()
	const short, long = 75 * time.Second, 10*time.Minute + 20*time.Second
	for name, tc := range map[string]struct {
		call func(context.Context, *engine.Memories) error
		want time.Duration
	}{
		"consolidate": {func(ctx context.Context, m *engine.Memories) error {
			_, err := upkeep.Consolidate(ctx, m, upkeep.ConsolidateOptions{})
			return err
		}, long},
		"audit": {func(ctx context.Context, m *engine.Memories) error {
			_, err := upkeep.Audit(ctx, m, api.Audit{})
			return err
		}, long},
		"clusters": {func(ctx context.Context, m *engine.Memories) error { _, err := upkeep.ClustersOf(ctx, m); return err }, long},
		"undo": {func(ctx context.Context, m *engine.Memories) error {
			_, err := memory.Undo(ctx, m, hippo.ID{1})
			return err
		}, long},
		"list": {func(ctx context.Context, m *engine.Memories) error {
			_, err := memory.List(ctx, m, api.List{})
			return err
		}, short},
		"forget": {func(ctx context.Context, m *engine.Memories) error {
			_, err := memory.Forget(ctx, m, []hippo.ID{{1}})
			return err
		}, short},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := remote.NewClient(remote.ClientOptions{Address: "https://memory.example", Transport: silent{}})
				m := engine.NewRemote(c, &engine.Config{Now: time.Now}, time.UTC).In(hippo.LocalScope(""))
				began := time.Now()
				err := tc.call(t.Context(), m)
				if took := time.Since(began); err == nil || !strings.Contains(err.Error(), "no answer within") || took != tc.want {
					t.Errorf("it gave up after %v, want %v: %v", took, tc.want, err)
				}
			})
		})
	}
}

// dated is a response that notes its deadline.
type dated struct {
	*httptest.ResponseRecorder
	at time.Time
}

func (d *dated) SetWriteDeadline(at time.Time) error {
	d.at = at
	return nil
}

// TestRoute_Times: a server gives verbs that may read the whole store ten minutes, and others less than one; the reply has time
// to be written after that.
func TestRoute_Times(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]time.Duration{
		`{"Verb":"consolidate","Args":{}}`: 10 * time.Minute,
		`{"Verb":"audit","Args":{}}`:       10 * time.Minute,
		`{"Verb":"clusters","Args":{}}`:    10 * time.Minute,
		`{"Verb":"undo","Args":null}`:      10 * time.Minute,
		`{"Verb":"list","Args":{}}`:        55 * time.Second,
		`{"Args":"undo","Verb":"list"}`:    55 * time.Second,
	} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				stuck := func(ctx context.Context) (*engine.Engine, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				h := httpd.New(remote.Routes(stuck, &remote.Options{}), httpd.Options{Tokens: oneToken{}})
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost"+remote.Path, strings.NewReader(body))
				r.Header.Set("Authorization", "Bearer "+token)
				r.Header.Set("Content-Type", "application/vnd.hippo.call+json")
				r.Header.Set("Hippo-Protocol", remote.Protocol())
				w := &dated{ResponseRecorder: httptest.NewRecorder()}
				began := time.Now()
				h.ServeHTTP(w, r)
				took := time.Since(began)
				if w.Code != http.StatusServiceUnavailable || took != want || !strings.Contains(w.Body.String(), "took longer than") {
					t.Errorf("status %d after %v, want %v: %s", w.Code, took, want, w.Body)
				}
				if left := time.Until(w.at); left != 5*time.Second {
					t.Errorf("%v are left for the reply, want 5 s", left)
				}
			})
		})
	}
}
