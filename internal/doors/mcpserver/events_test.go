package mcpserver_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
)

// after returns the events of a stream after an index, joined.
func after(t *testing.T, s mcp.EventStore, session, stream string, index int) (string, error) {
	t.Helper()
	var out []string
	for data, err := range s.After(t.Context(), session, stream, index) {
		if err != nil {
			return strings.Join(out, " "), err
		}
		out = append(out, string(data))
	}
	return strings.Join(out, " "), nil
}

// TestEvents_Bound: the streams that were opened first are dropped whole, and what asks for them gets an error
// instead of a part.
func TestEvents_Bound(t *testing.T) {
	t.Parallel()
	const size = 1000
	s := mcpserver.NewEventStore(4*size, func(string) {})
	for _, id := range []string{"", "a", "b", "c"} {
		if err := s.Open(t.Context(), "s", id); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"a", "b", "c"} {
		if err := s.Append(t.Context(), "s", id, []byte(strings.Repeat(id, size))); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Append(t.Context(), "s", "a", []byte("dropped, too")); err != nil {
		t.Fatal(err)
	}
	if got, err := after(t, s, "s", "a", -1); !errors.Is(err, mcp.ErrEventsPurged) || got != "" {
		t.Errorf("a: %q, %v", got, err)
	}
	if got, err := after(t, s, "s", "c", -1); err != nil || len(got) != size {
		t.Errorf("c: %d bytes, %v", len(got), err)
	}
	for _, text := range []string{"x", "y", "z"} { // of the stream of the session only the end stays
		if err := s.Append(t.Context(), "s", "", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := after(t, s, "s", "", 2); err != nil || got != "" {
		t.Errorf("all seen: %q, %v", got, err)
	}
	if got, err := after(t, s, "s", "", -1); !errors.Is(err, mcp.ErrEventsPurged) || got != "" {
		t.Errorf("from the beginning: %q, %v", got, err)
	}
	if err := s.SessionClosed(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if _, err := after(t, s, "s", "c", -1); !errors.Is(err, mcp.ErrEventsPurged) {
		t.Errorf("closed: %v", err)
	}
	if n := mcpserver.EventBytes(s); n != 0 {
		t.Errorf("%d bytes are left", n)
	}
}

// TestEvents_Property: a stream returns what was appended after any index, or an error, and never a part; and the
// size stays within the bound.
func TestEvents_Property(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		const limit = 4000
		s := mcpserver.NewEventStore(limit, func(string) {})
		type key struct{ session, stream string }
		want := map[key][]string{}
		for range rapid.IntRange(1, 40).Draw(r, "steps") {
			k := key{rapid.SampledFrom([]string{"s", "t"}).Draw(r, "session"), rapid.StringMatching(`[a-c]`).Draw(r, "stream")}
			switch rapid.IntRange(0, 9).Draw(r, "what") {
			case 0:
				_ = s.SessionClosed(t.Context(), k.session) // it never fails
				for other := range want {
					if other.session == k.session {
						delete(want, other)
					}
				}
			case 1, 2, 3:
				if _, ok := want[k]; !ok {
					_ = s.Open(t.Context(), k.session, k.stream) // it never fails
					want[k] = []string{}
				}
			default:
				if _, ok := want[k]; ok {
					text := rapid.StringMatching(`[x-z]{1,200}`).Draw(r, "text")
					_ = s.Append(t.Context(), k.session, k.stream, []byte(text)) // it never fails
					want[k] = append(want[k], text)
				}
			}
			if n := mcpserver.EventBytes(s); n < 0 || n > limit {
				r.Fatalf("%d bytes", n)
			}
			for k, texts := range want {
				index := rapid.IntRange(-1, len(texts)-1).Draw(r, "index")
				got, err := after(t, s, k.session, k.stream, index)
				if err != nil {
					if !errors.Is(err, mcp.ErrEventsPurged) || got != "" {
						r.Fatalf("%v: %q, %v", k, got, err)
					}
					delete(want, k)
				} else if d := cmp.Diff(strings.Join(texts[index+1:], " "), got); d != "" {
					r.Fatalf("%v after %d (-want +got):\n%s", k, index, d)
				}
			}
		}
	})
}
