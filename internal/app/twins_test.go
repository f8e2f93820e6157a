package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/rpc"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

// failer is what a test and a check of rapid have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// twins are two stores with the same memories, which are asked the same, such as one in SQLite and one in Postgres.
type twins struct {
	engines [2]*engine.Engine
	calls   [2]*rpc.Dispatcher
	at      atomic.Int64 // the clock of both, in nanoseconds
	done    int          // operations
}

// newTwins returns twins that are not open.
func newTwins() *twins {
	w := &twins{}
	w.at.Store(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC).UnixNano())
	return w
}

// openTwins opens two empty stores with a model, until t ends. namespace is that of the one in Postgres.
func openTwins(t *testing.T, url, namespace, model string) *twins {
	t.Helper()
	w := newTwins()
	w.open(t, 0, config.Config{Store: config.Store{Kind: "sqlite", Path: filepath.Join(t.TempDir(), "memory.db")}, Model: config.Model{Name: model}})
	w.open(t, 1, config.Config{Store: databaseOf(t, url), Namespace: namespace, Model: config.Model{Name: model}})
	return w
}

// open opens one of the twins, until t ends.
func (w *twins) open(t *testing.T, i int, c config.Config) {
	t.Helper()
	e, err := app.Open(t.Context(), c, &app.Options{Now: w.now, Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	w.be(i, e)
}

// be makes an engine one of the twins.
func (w *twins) be(i int, e *engine.Engine) { w.engines[i], w.calls[i] = e, dispatcherOf(e) }

func dispatcherOf(e *engine.Engine) *rpc.Dispatcher {
	return rpc.NewDispatcher(func(context.Context) (*engine.Engine, error) { return e, nil })
}

// databaseOf returns the store of a URL.
func databaseOf(t *testing.T, url string) config.Store {
	t.Helper()
	s, err := config.ParseStore(url)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// twinsURL returns the URL of a database for twins.
func twinsURL(t *testing.T) string {
	t.Helper()
	return pgtest.With(t, pgtest.URL(t), "pool_max_conns", "8")
}

func (w *twins) now() time.Time { return time.Unix(0, w.at.Load()).UTC() }

// pass moves the clock.
func (w *twins) pass(d time.Duration) { w.at.Add(int64(d)) }

// call calls a verb in both stores, fails if the answers differ, and decodes the second one into out, unless that is nil. It
// returns the error of the verb.
func (w *twins) call(t failer, verb string, args, out any) error {
	t.Helper()
	w.done++
	encoded := callOf(t, "x", w.done, verb, args)
	var replies [2][]byte
	var failed [2]bool
	for i, d := range w.calls {
		replies[i], failed[i] = d.Do(context.Background(), encoded)
	}
	if d := different(t, replies); d != "" || failed[0] != failed[1] {
		t.Fatalf("%s %s differs%s\n%s\n%s", verb, encoded, d, replies[0], replies[1])
	}
	if out == nil {
		var raw json.RawMessage
		out = &raw
	}
	return rpc.Decode(replies[1], failed[1], out)
}

// callOf returns an encoded call in a namespace, as the nth operation.
func callOf(t failer, namespace string, n int, verb string, args any) []byte {
	t.Helper()
	scope := hippo.LocalScope("")
	scope.Namespace = namespace
	encoded, err := rpc.Encode(&engine.Call{Verb: verb, Scope: scope, Operation: hippo.Operation{ID: idOf(n, 7)}, Args: args})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return encoded
}

// settle stores what is pending.
func (w *twins) settle(t failer) {
	t.Helper()
	for _, verb := range settling() {
		if err := w.call(t, verb, engine.None{}, nil); err != nil {
			t.Fatalf("%s: %v", verb, err)
		}
	}
}

// settling are the verbs that wait until nothing is pending.
func settling() []string { return []string{"flush", "score_waiting", "ready"} }

// different says where two replies differ by more than the last digits of numbers; empty: nowhere.
func different(t failer, replies [2][]byte) string {
	t.Helper()
	var values [2]any
	for i, r := range replies {
		d := json.NewDecoder(bytes.NewReader(r))
		d.UseNumber()
		if err := d.Decode(&values[i]); err != nil {
			t.Fatalf("%v: %s", err, r)
		}
	}
	return diff("", values[0], values[1])
}

// diff compares decoded JSON, but for the order in which one transaction changed memories: that of their revisions, and so of the
// entries of an export. A list that is null has no elements, and where the next page of an export begins is a secret of the store.
func diff(at string, a, b any) string {
	if isEmpty(a) && isEmpty(b) || strings.HasSuffix(at, ".Next") || strings.HasSuffix(at, ".Revision") {
		return ""
	}
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return " at " + at
		}
		for k, v := range x {
			if d := diff(at+"."+k, v, y[k]); d != "" {
				return d
			}
		}
		return ""
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return " at " + at
		}
		if at == ".Entries" || at == ".Changes" {
			x, y = byID(x), byID(y)
		}
		for i, v := range x {
			if d := diff(fmt.Sprintf("%s[%d]", at, i), v, y[i]); d != "" {
				return d
			}
		}
		return ""
	case json.Number:
		y, ok := b.(json.Number)
		if ok && (x == y || near(x, y)) {
			return ""
		}
		return fmt.Sprintf(" at %s: %v, %v", at, a, b)
	default:
		if a == b {
			return ""
		}
		return fmt.Sprintf(" at %s: %v, %v", at, a, b)
	}
}

// byID returns the elements of a list in the order of their IDs.
func byID(list []any) []any {
	return slices.SortedFunc(slices.Values(list), func(a, b any) int { return strings.Compare(idIn(a), idIn(b)) })
}

// idIn returns the ID of the memory of an entry.
func idIn(entry any) string {
	e, _ := entry.(map[string]any)
	m, _ := e["Memory"].(map[string]any)
	return fmt.Sprint(m["ID"], e["ID"])
}

func isEmpty(v any) bool {
	list, ok := v.([]any)
	return v == nil || ok && len(list) == 0
}

// near reports whether two numbers that are no integers are equal to 1e-9.
func near(a, b json.Number) bool {
	if !strings.ContainsAny(a.String()+b.String(), ".e") {
		return false
	}
	x, errX := a.Float64()
	y, errY := b.Float64()
	return errX == nil && errY == nil && math.Abs(x-y) <= 1e-9
}

// memories returns all memories of the second store, forgotten ones as well.
func (w *twins) memories(t failer) (all []*hippo.Memory) {
	t.Helper()
	for c, err := range w.engines[1].Store.Changes(context.Background(), 0) {
		if err != nil {
			t.Fatalf("%v", err)
		}
		if c.Memory != nil {
			all = append(all, c.Memory)
		}
	}
	slices.SortFunc(all, func(a, b *hippo.Memory) int { return a.ID.Compare(b.ID) })
	return all
}
