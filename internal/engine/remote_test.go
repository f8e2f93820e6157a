package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/rpc"
)

// remote returns the memory of a fixture as another process sees it. Each call is carried out twice if retry says so.
func (f *fixture) remote(scope hippo.Scope, retry bool) *engine.Memories {
	l := newLoopback(f.Engine)
	l.retry = retry
	return engine.NewRemote(l, &engine.Config{Now: f.now}, f.Zone()).In(scope)
}

// A call that is repeated because its result was lost is not carried out twice.
func TestRemote_RepeatsNothing(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	ctx := t.Context()
	voted, gone, hidden := f.record("voted", 0.8), f.record("purged", 0.5), f.record("forgotten", 0.5)
	r := f.remote(hippo.LocalScope(""), true)
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	first, err := memory.Record(ctx, r, &hippo.Memory{Content: "recorded", Importance: hippo.Importance{Base: 0.5}})
	ok(err)
	second, _, err := memory.RecordCompared(ctx, r, &hippo.Memory{Content: "instead", Importance: hippo.Importance{Base: 0.5}}, first.ID)
	ok(err)
	_, err = memory.Reinforce(ctx, r, nil, []hippo.ID{voted})
	ok(err)
	text := "voted and changed"
	m, err := memory.Modify(ctx, r, voted, api.Change{Content: &text, Vote: api.VoteDown})
	ok(err)
	if want := 0.2; m.Importance.Value != want {
		t.Errorf("importance %v after two downvotes of 0.8, want %v", m.Importance.Value, want)
	}
	tags := []string{"a mistake"}
	_, err = memory.Modify(ctx, r, voted, api.Change{Tags: &tags})
	ok(err)
	undone, err := memory.Undo(ctx, r, f.last(voted).ID)
	ok(err)
	if len(undone) != 1 || len(undone[0].Tags) != 0 {
		t.Errorf("tags after undoing twice: %v", undone)
	}
	_, err = memory.Forget(ctx, r, []hippo.ID{hidden})
	ok(err)
	ok(memory.Purge(ctx, r, []hippo.ID{gone}))
	link := hippo.Relation{From: voted, To: second.ID, Kind: "supports", Weight: 0.5}
	_, err = knowledge.Relate(ctx, r, []hippo.Relation{link})
	ok(err)
	ok(knowledge.Unrelate(ctx, r, []hippo.Relation{link}))
	all, err := memory.List(ctx, f.Memories, api.List{})
	ok(err)
	got := make([]string, len(all.Memories))
	for i, x := range all.Memories {
		got[i] = x.Content
	}
	slices.Sort(got)
	if want := []string{"instead", "recorded", text}; !slices.Equal(got, want) {
		t.Errorf("stored %q, want %q", got, want)
	}
}

// The scope of the caller holds in the process that answers.
func TestRemote_KeepsTheScope(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	id := f.record("of the default namespace", 0.5)
	ctx := t.Context()
	other := hippo.LocalScope("")
	other.Namespace = "other"
	if _, err := memory.Get(ctx, f.remote(other, false), []hippo.ID{id}); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("another namespace: %v", err)
	}
	writer := hippo.LocalScope("")
	writer.Rights = hippo.RightWrite
	text := "written without the right to read"
	for _, retry := range []bool{false, true} {
		m := f.remote(writer, retry)
		x, err := memory.Record(ctx, m, &hippo.Memory{Content: text, Importance: hippo.Importance{Base: 0.5}})
		if err != nil {
			t.Errorf("a writer records, twice: %v: %v", retry, err)
			continue
		}
		if _, err := memory.Modify(ctx, m, x.ID, api.Change{Metadata: &map[string]json.RawMessage{}, Vote: api.VoteUp}); err != nil {
			t.Errorf("a writer modifies, twice: %v: %v", retry, err)
		}
		if _, err := memory.Reinforce(ctx, m, []hippo.ID{x.ID}, nil); err != nil {
			t.Errorf("a writer votes, twice: %v: %v", retry, err)
		}
	}
	reader := hippo.Scope{Rights: hippo.RightRead}
	if _, err := memory.Forget(ctx, f.remote(reader, false), []hippo.ID{id}); !errors.Is(err, hippo.ErrForbidden) {
		t.Errorf("a reader forgets: %v", err)
	}
}

// Malformed calls are errors.
func TestDispatcher_RefusesMalformedCalls(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	d := rpc.NewDispatcher(func(context.Context) (*engine.Engine, error) { return f.Engine, nil })
	for _, call := range []string{"", "{}", `{"Verb":"nonsense"}`, `{"Verb":"search","Args":7}`, `{"Verb":"modify","Args":{"ID":"x"}}`, `{"Verb":"record","Args":{}}`} {
		reply, failed := d.Do(t.Context(), []byte(call))
		if err := rpc.Decode(reply, failed, nil); !failed || err == nil {
			t.Errorf("%q: reply %s, %v", call, reply, err)
		}
	}
}

// Types that travel hold nothing that JSON loses.
func TestProtocol_TypesTravel(t *testing.T) {
	t.Parallel()
	for _, problem := range unfit() {
		t.Error(problem)
	}
	if a, b := rpc.Protocol(), rpc.Protocol(); a != b || len(a) != 16 {
		t.Errorf("protocols %q and %q", a, b)
	}
}

// Values that travel arrive as they were sent, with every field.
func TestProtocol_ValuesTravel(t *testing.T) {
	t.Parallel()
	for what, lost := range lostOf(filled) {
		t.Errorf("%s: %s", what, lost)
	}
}

// filled sets all fields of a value.
func filled(v reflect.Value) {
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = time.Date(2026, 3, 1, 12, 0, 0, 1, time.UTC)
		return
	case *json.RawMessage:
		*x = json.RawMessage(`{"a":1}`)
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(.5)
	case reflect.String:
		v.SetString("x")
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		filled(v.Index(0))
	case reflect.Array:
		for i := range v.Len() {
			filled(v.Index(i))
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		filled(key)
		filled(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for _, field := range v.Fields() {
			filled(field)
		}
	default:
	}
}

// An error keeps its kind and its text, and the type that a caller looks for.
func TestRemote_ErrorsTravel(t *testing.T) {
	t.Parallel()
	for _, kind := range []error{
		hippo.ErrInvalid, hippo.ErrNotFound, hippo.ErrForbidden, hippo.ErrConflict, hippo.ErrUnsupported, hippo.ErrUnavailable,
		hippo.ErrCorrupt, hippo.ErrReadOnly, hippo.ErrSecret, hippo.ErrFull, context.Canceled, engine.ErrVersion,
	} {
		for _, err := range []error{kind, fmt.Errorf("the store of n: %w: no", kind)} {
			if got := engine.Travelled(err); !errors.Is(got, kind) || got.Error() != err.Error() || hippo.CodeOf(got) != hippo.CodeOf(err) {
				t.Errorf("%v arrives as %v", err, got)
			}
		}
	}
	if got := engine.Travelled(errors.New("of no kind")); got.Error() != "of no kind" || hippo.CodeOf(got) != hippo.CodeInternal {
		t.Error(got)
	}
	ambiguous := &hippo.AmbiguousError{Ref: "ab", Candidates: [][2]string{{"abc", "a text"}}}
	got, ok := errors.AsType[*hippo.AmbiguousError](engine.Travelled(fmt.Errorf("id: %w", ambiguous)))
	if diff := cmp.Diff(ambiguous, got); !ok || diff != "" {
		t.Error(diff)
	}
}
