package restapi_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/exchange"
)

// Whoever runs a server sees the remotes of its store and the conflicts of a week, which can be undone, and syncs, verifies, retires and
// removes.
func TestSync(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join(dir, "drop")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	access := func(name string) *exchange.Served {
		return &exchange.Served{Options: exchange.Options{Dir: filepath.Join(dir, name), Now: noon}}
	}
	atA, atB := access("a"), access("b")
	a, b := startWith(t, options{sync: atA}), startWith(t, options{sync: atB})
	use := func(at *exchange.Served, fn func(x *exchange.Remotes) error) {
		t.Helper()
		if err := at.Use(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	a.do(http.MethodGet, "/sync", "").failed(http.StatusNotFound, "not_found", "")
	a.do(http.MethodPost, "/sync/now", "").failed(http.StatusNotFound, "not_found", "")
	m := a.record(`{"content":"the heron stands"}`)
	code := ""
	use(atA, func(x *exchange.Remotes) error {
		_, _, err := x.Init(t.Context(), exchange.Carrier(folder), "alpha", nil)
		if err == nil {
			code, _, err = x.Invite(t.Context(), "", noon().AddDate(0, 0, 1), false)
		}
		return err
	})
	use(atB, func(x *exchange.Remotes) error {
		_, err := x.Join(t.Context(), code, exchange.Carrier(folder), "beta", nil)
		return err
	})
	var out struct {
		Remotes []struct {
			Carrier            string
			Received           int
			Changed, Conflicts []string
		}
	}
	a.do(http.MethodPatch, "/memories/"+m.UUID, `{"content":"the heron stands in the reeds"}`).want(http.StatusOK)
	b.do(http.MethodPatch, "/memories/"+m.UUID, `{"content":"the heron stands on one leg"}`).want(http.StatusOK)
	a.do(http.MethodPost, "/sync/now", "").want(http.StatusOK).into(&out)
	b.do(http.MethodPost, "/sync/now", "").want(http.StatusOK).into(&out)
	if len(out.Remotes) != 1 || out.Remotes[0].Carrier != folder || !slices.Equal(out.Remotes[0].Conflicts, []string{m.UUID}) {
		t.Fatalf("a sync with a conflict: %+v", out)
	}
	a.do(http.MethodPost, "/sync/now", "").want(http.StatusOK)
	var st struct {
		Remotes []struct {
			Carrier, Synced string
			Unsent          int
			Machines        []struct {
				Name, Kind string
				Self       bool
				Behind     int
			}
		}
		Conflicts []struct {
			UUID     string
			Insights []string
		}
	}
	b.do(http.MethodGet, "/sync", "").want(http.StatusOK).into(&st)
	if len(st.Remotes) != 1 || len(st.Remotes[0].Machines) != 3 || len(st.Conflicts) == 0 || !slices.Equal(st.Conflicts[0].Insights, []string{m.UUID}) {
		t.Fatalf("the status: %+v", st)
	}
	content := func() string {
		t.Helper()
		var got stored
		b.do(http.MethodGet, "/memories/"+m.UUID, "").want(http.StatusOK).into(&got)
		return got.Content
	}
	shown, n := content(), len(st.Conflicts)
	b.do(http.MethodPost, "/undo", fmt.Sprintf(`{"operation":%q}`, st.Conflicts[0].UUID)).want(http.StatusOK)
	if content() == shown {
		t.Errorf("undone, and still %q", shown)
	}
	if b.do(http.MethodGet, "/sync", "").want(http.StatusOK).into(&st); len(st.Conflicts) != n-1 {
		t.Errorf("%d conflicts before, %d after one was undone", n, len(st.Conflicts))
	}
	a.do(http.MethodPost, "/sync/verify", "").want(http.StatusOK).into(&out)
	a.do(http.MethodPost, "/sync/rebuild", "").want(http.StatusOK)
	a.do(http.MethodPost, "/sync/retire", "{}").failed(http.StatusBadRequest, "invalid", "machine")
	a.do(http.MethodPost, "/sync/retire", `{"machine":"beta"}`).want(http.StatusOK)
	if body := string(b.do(http.MethodPost, "/sync/now", "").want(http.StatusOK).body); !strings.Contains(body, "this machine was retired by alpha") {
		t.Errorf("a retired machine syncs: %s", body)
	}
	a.do(http.MethodDelete, "/sync?carrier=/nowhere", "").failed(http.StatusNotFound, "not_found", "")
	var removed struct{ Removed, Last bool }
	if a.do(http.MethodDelete, "/sync", "").want(http.StatusOK).into(&removed); !removed.Removed || !removed.Last {
		t.Errorf("got %+v", removed)
	}
	a.do(http.MethodGet, "/sync", "").failed(http.StatusNotFound, "not_found", "")
}

// A folder that is away costs the status of its machines alone.
func TestSync_Unavailable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join(dir, "drop")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	at := &exchange.Served{Options: exchange.Options{Dir: filepath.Join(dir, "a"), Now: noon}}
	s := startWith(t, options{sync: at})
	err := at.Use(t.Context(), func(x *exchange.Remotes) error {
		_, _, err := x.Init(t.Context(), exchange.Carrier(folder), "alpha", nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if body := string(s.do(http.MethodPost, "/sync/now", "").want(http.StatusOK).body); !strings.Contains(body, "mount or make the folder first") {
		t.Errorf("got %s", body)
	}
	var st struct {
		Remotes []struct {
			Synced  string
			Failure struct {
				Code  string
				Times int
			}
			Error struct{ Message string }
		}
	}
	s.do(http.MethodGet, "/sync", "").want(http.StatusOK).into(&st)
	if r := st.Remotes[0]; r.Synced == "" || r.Failure.Code != "unavailable" || r.Failure.Times != 1 || r.Error.Message == "" {
		t.Errorf("got %+v", r)
	}
}

// The answer explains why a store does not need to sync, or cannot.
func TestSync_Unsupported(t *testing.T) {
	t.Parallel()
	for why, at := range map[string]*exchange.Served{
		"this server does not sync": nil, "a store in a database needs no sync": {Why: fmt.Errorf("%w: a store in a database needs no sync", hippo.ErrUnsupported)},
	} {
		s := startWith(t, options{sync: at})
		for _, request := range [][2]string{{http.MethodGet, "/sync"}, {http.MethodDelete, "/sync"}, {http.MethodPost, "/sync/now"}, {http.MethodPost, "/sync/verify"}} {
			if p := s.do(request[0], request[1], "").failed(http.StatusNotImplemented, "unsupported", ""); !strings.Contains(p.Detail, why) {
				t.Errorf("%v: %s", request, p.Detail)
			}
		}
	}
}
