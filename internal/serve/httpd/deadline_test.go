package httpd_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// deadlines is a response that notes its deadline.
type deadlines struct {
	*httptest.ResponseRecorder
	at time.Time
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.at = t
	return nil
}

// TestServer_LongRoutes: a route that says so may take longer than a minute, others may not.
func TestServer_LongRoutes(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := httpd.New([]httpd.Route{
		{Pattern: "GET /short", Handler: http.HandlerFunc(echo)},
		{Pattern: "GET /long", Reply: 10 * time.Minute, Handler: http.HandlerFunc(echo)},
	}, httpd.Options{Now: func() time.Time { return began }})
	for path, want := range map[string]time.Duration{"/short": time.Minute, "/long": 10 * time.Minute} {
		w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
		if got := w.at.Sub(began); w.Code != http.StatusOK || got != want {
			t.Errorf("%s: status %d, to be answered within %v, want %v", path, w.Code, got, want)
		}
	}
}
