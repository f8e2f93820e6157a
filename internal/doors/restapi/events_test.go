package restapi_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
)

// event is one event as a client reads it.
type event struct{ name, id, data string }

// eventsOf returns the events of a stream, and its number of heartbeats.
func eventsOf(text string) (list []event, beats int) {
	var e event
	scan := bufio.NewScanner(strings.NewReader(text))
	for scan.Scan() {
		key, value, _ := strings.Cut(scan.Text(), ": ")
		switch key {
		case "":
			if value == "heartbeat" {
				beats++
			} else if e != (event{}) {
				list = append(list, e)
			}
			e = event{}
		case "event":
			e.name = value
		case "id":
			e.id = value
		case "data":
			e.data = value
		}
	}
	return list, beats
}

// stream opens a stream of events, runs a function while it is open, and returns what came.
func (s *server) stream(ctx context.Context, last string, scope hippo.Scope, during func()) ([]event, int) {
	ctx, cancel := context.WithCancel(ctx)
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/events", nil)
	r.Header.Set("Last-Event-ID", last)
	r.Header.Set(asScope(scope)[0], asScope(scope)[1])
	w := httptest.NewRecorder()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.handler.ServeHTTP(w, r)
	}()
	synctest.Wait()
	during()
	synctest.Wait()
	cancel()
	<-done
	if kind := w.Header().Get("Content-Type"); kind != "text/event-stream" {
		s.t.Errorf("the type is %q: %s", kind, w.Body)
	}
	return eventsOf(w.Body.String())
}

// TestEvents: changes within the scope arrive, the stream resumes after an event, and shows that it is alive.
func TestEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t)
		owner := hippo.LocalScope("")
		var m stored
		list, beats := s.stream(t.Context(), "", owner, func() {
			m = s.record(`{"content":"one","project":"p"}`)
			time.Sleep(time.Second)
			s.do(http.MethodPatch, "/memories/"+m.UUID, `{"content":"two"}`).want(http.StatusOK)
			time.Sleep(time.Second)
			s.do(http.MethodPost, "/forget", `{"uuids":["`+m.UUID+`"]}`).want(http.StatusOK)
			time.Sleep(time.Minute)
		})
		want := []event{
			{name: "ready", data: "{}"},
			{name: "change", data: `{"uuid":"` + m.UUID + `","version":1,"updated_at":"2026-03-01T12:00:00Z","forgotten":false,"project":"p"}`},
			{name: "change", data: `{"uuid":"` + m.UUID + `","version":2,"updated_at":"2026-03-01T12:00:00Z","forgotten":false,"project":"p"}`},
			{name: "change", data: `{"uuid":"` + m.UUID + `","version":2,"updated_at":"2026-03-01T12:00:00Z","forgotten":true,"project":"p"}`},
		}
		shown := make([]event, len(list))
		for i, e := range list {
			shown[i] = event{name: e.name, data: e.data}
		}
		if d := cmp.Diff(want, shown, cmp.AllowUnexported(event{})); d != "" || beats != 4 {
			t.Fatalf("%d heartbeats; %s", beats, d)
		}
		resumed, _ := s.stream(t.Context(), list[1].id, owner, func() { time.Sleep(time.Second) })
		if len(resumed) != 2 || resumed[0].name != "ready" || resumed[1].data != list[3].data {
			t.Errorf("resumed: %+v", resumed)
		}
		for _, last := range []string{"7", list[1].id + "x", strings.Repeat("A", 48)} {
			if got, _ := s.stream(t.Context(), last, owner, func() {}); len(got) != 1 || got[0].name != "reset" {
				t.Errorf("%q: %+v", last, got)
			}
		}
	})
}

// TestEvents_stayInScope: a caller gets no event of what it may not see, and none that shows that there was one.
func TestEvents_stayInScope(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t)
		for _, scope := range []hippo.Scope{{Namespace: "tenant", Rights: hippo.AllRights}, {Projects: []string{"q"}, Rights: hippo.AllRights}} {
			list, _ := s.stream(t.Context(), "", scope, func() {
				m := s.record(`{"content":"one","project":"p"}`)
				s.do(http.MethodPost, "/purge", `{"uuids":["`+m.UUID+`"]}`).want(http.StatusOK)
				time.Sleep(5 * time.Second)
			})
			if len(list) != 1 {
				t.Errorf("got %+v", list)
			}
		}
	})
}

// TestEvents_end: a stream ends after a time, so that the token is checked again, and their number has a limit.
func TestEvents_end(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t)
		others, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		open := func(ctx context.Context) {
			defer func() { done <- struct{}{} }()
			s.handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/events", nil))
		}
		const most = 256
		for range most - 1 {
			go open(others)
		}
		go open(t.Context())
		synctest.Wait()
		s.do(http.MethodGet, "/events", "").failed(http.StatusServiceUnavailable, "unavailable", "")
		cancel()
		for range most {
			<-done // for the last one the clock of the test goes on to its end
		}
	})
}
