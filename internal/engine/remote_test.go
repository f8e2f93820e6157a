package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
)

// remote returns the memory of a fixture as another process sees it. Each call is carried out twice if retry says so.
func (f *fixture) remote(scope hippo.Scope, retry bool) *engine.Memories {
	l := newLoopback(f.Engine)
	l.retry = retry
	return engine.NewRemote(l, &engine.Config{Now: f.now}, f.Zone()).In(scope)
}

// What a verb answers does not depend on the process that calls it.
func TestRemote_AnswersLikeLocal(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	a := f.record("the gateway times out after 30 s", 0.5, "gateway")
	b := f.record("the gateway times out after 60 s", 0.9, "gateway", "proxy")
	f.record("lunch is at noon", 0.1)
	r := f.remote(hippo.LocalScope(""), false)
	ctx := t.Context()
	for name, verb := range map[string]func(*engine.Memories) (any, error){
		"search": func(m *engine.Memories) (any, error) {
			return m.Search(ctx, hippo.Query{Text: "gateway", NoTouch: true, Detail: hippo.Detail{Explain: true}, Relevance: &hippo.Range{Min: 0, Max: math.Inf(1)}})
		},
		"search below": func(m *engine.Memories) (any, error) {
			return m.Search(ctx, hippo.Query{Text: "gateway", NoTouch: true, Relevance: &hippo.Range{Min: math.Inf(-1), Max: 0.5}})
		},
		"invalid":   func(m *engine.Memories) (any, error) { return m.Search(ctx, hippo.Query{Count: -1}) },
		"get":       func(m *engine.Memories) (any, error) { return m.Get(ctx, []hippo.ID{b, a}) },
		"unknown":   func(m *engine.Memories) (any, error) { return m.Get(ctx, []hippo.ID{{1}}) },
		"resolve":   func(m *engine.Memories) (any, error) { return m.Resolve(ctx, a.Short(), engine.PreferNone) },
		"no ref":    func(m *engine.Memories) (any, error) { return m.Resolve(ctx, "ffffffff0000", engine.PreferLive) },
		"list":      func(m *engine.Memories) (any, error) { return m.List(ctx, engine.ListQuery{Count: 2}) },
		"audit":     func(m *engine.Memories) (any, error) { return engine.Audit(ctx, m, engine.AuditOptions{}) },
		"clusters":  func(m *engine.Memories) (any, error) { return engine.ClustersOf(ctx, m) },
		"short ids": func(m *engine.Memories) (any, error) { return engine.ShortIDs(m, []hippo.ID{a, b}), nil },
		"status":    func(m *engine.Memories) (any, error) { return m.Status(ctx) },
		"projects":  func(m *engine.Memories) (any, error) { return m.Projects(ctx) },
		"context": func(m *engine.Memories) (any, error) {
			return engine.Context(ctx, m, briefing.Query{Prompt: "gateway", Known: func(x *hippo.Memory) bool { return x.ID == b }})
		},
		"compare": func(m *engine.Memories) (any, error) {
			return engine.Compare(ctx, m, &hippo.Memory{Content: "the gateway times out after 90 s"})
		},
		"secret": func(m *engine.Memories) (any, error) {
			return m.Record(ctx, &hippo.Memory{Content: "password = hunter2hunter2X9"})
		},
		"no metadata": func(m *engine.Memories) (any, error) {
			return m.Modify(ctx, a, engine.Modification{Metadata: new(map[string]json.RawMessage)})
		},
		"metadata": func(m *engine.Memories) (any, error) {
			_, err := m.Modify(ctx, a, engine.Modification{Metadata: &map[string]json.RawMessage{"a": json.RawMessage(`1`), "b": nil, "c": json.RawMessage("null")}})
			return nil, err
		},
		"no vote": func(m *engine.Memories) (any, error) { return m.Reinforce(ctx, []hippo.ID{a}, []hippo.ID{a}) },
		"log": func(m *engine.Memories) (any, error) {
			return engine.Operations(ctx, m, engine.OperationQuery{Memory: a})
		},
		"versions":     func(m *engine.Memories) (any, error) { return engine.Versions(ctx, m, engine.VersionQuery{Memory: a}) },
		"an operation": func(m *engine.Memories) (any, error) { return engine.ResolveOperation(ctx, m, "ffffffff") },
		"no operation": func(m *engine.Memories) (any, error) { return engine.Undo(ctx, m, hippo.ID{1}) },
		"relations": func(m *engine.Memories) (any, error) {
			return m.Relations().Of(ctx, []hippo.ID{a})
		},
	} {
		want, wantErr := verb(f.Memories)
		got, err := verb(r)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if hippo.CodeOf(err) != hippo.CodeOf(wantErr) || err != nil && (err.Error() != wantErr.Error() || reflect.TypeOf(err) != reflect.TypeOf(wantErr) && !isPlain(wantErr)) {
			t.Errorf("%s: error %v (%T), want %v (%T)", name, err, err, wantErr, wantErr)
		}
	}
}

// isPlain reports whether an error has none of the types that callers look for.
func isPlain(err error) bool {
	var field *hippo.FieldError
	var unknown *hippo.UnknownError
	var secret *hippo.SecretError
	return !errors.As(err, &field) && !errors.As(err, &unknown) && !errors.As(err, &secret)
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
	first, err := r.Record(ctx, &hippo.Memory{Content: "recorded", Importance: hippo.Importance{Base: 0.5}})
	ok(err)
	second, _, err := r.RecordCompared(ctx, &hippo.Memory{Content: "instead", Importance: hippo.Importance{Base: 0.5}}, first.ID)
	ok(err)
	_, err = r.Reinforce(ctx, nil, []hippo.ID{voted})
	ok(err)
	text := "voted and changed"
	m, err := r.Modify(ctx, voted, engine.Modification{Content: &text, Vote: engine.VoteDown})
	ok(err)
	if want := 0.2; m.Importance.Value != want {
		t.Errorf("importance %v after two downvotes of 0.8, want %v", m.Importance.Value, want)
	}
	tags := []string{"a mistake"}
	_, err = r.Modify(ctx, voted, engine.Modification{Tags: &tags})
	ok(err)
	undone, err := engine.Undo(ctx, r, f.last(voted).ID)
	ok(err)
	if len(undone) != 1 || len(undone[0].Tags) != 0 {
		t.Errorf("tags after undoing twice: %v", undone)
	}
	_, err = r.Forget(ctx, []hippo.ID{hidden})
	ok(err)
	ok(r.Purge(ctx, []hippo.ID{gone}))
	link := hippo.Relation{From: voted, To: second.ID, Kind: "supports", Weight: 0.5}
	_, err = r.Relations().Declare(ctx, []hippo.Relation{link})
	ok(err)
	ok(r.Relations().Remove(ctx, []hippo.Relation{link}))
	all, err := f.List(ctx, engine.ListQuery{})
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
	if _, err := f.remote(other, false).Get(ctx, []hippo.ID{id}); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("another namespace: %v", err)
	}
	writer := hippo.LocalScope("")
	writer.Rights = hippo.RightWrite
	text := "written without the right to read"
	for _, retry := range []bool{false, true} {
		m := f.remote(writer, retry)
		x, err := m.Record(ctx, &hippo.Memory{Content: text, Importance: hippo.Importance{Base: 0.5}})
		if err != nil {
			t.Errorf("a writer records, twice: %v: %v", retry, err)
			continue
		}
		if _, err := m.Modify(ctx, x.ID, engine.Modification{Metadata: &map[string]json.RawMessage{}, Vote: engine.VoteUp}); err != nil {
			t.Errorf("a writer modifies, twice: %v: %v", retry, err)
		}
		if _, err := m.Reinforce(ctx, []hippo.ID{x.ID}, nil); err != nil {
			t.Errorf("a writer votes, twice: %v: %v", retry, err)
		}
	}
	reader := hippo.Scope{Rights: hippo.RightRead}
	if _, err := f.remote(reader, false).Forget(ctx, []hippo.ID{id}); !errors.Is(err, hippo.ErrForbidden) {
		t.Errorf("a reader forgets: %v", err)
	}
}

// Malformed calls are errors.
func TestDispatcher_RefusesMalformedCalls(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	d := engine.NewDispatcher(func(context.Context) (*engine.Engine, error) { return f.Engine, nil })
	for _, call := range []string{"", "{}", `{"Verb":"nonsense"}`, `{"Verb":"search","Args":7}`, `{"Verb":"modify","Args":{"ID":"x"}}`, `{"Verb":"record","Args":{}}`} {
		reply, failed := d.Do(t.Context(), []byte(call))
		if err := engine.Decode(reply, failed, nil); !failed || err == nil {
			t.Errorf("%q: reply %s, %v", call, reply, err)
		}
	}
}

// Types that travel hold nothing that JSON loses.
func TestProtocol_TypesTravel(t *testing.T) {
	t.Parallel()
	for _, problem := range engine.Untravelled() {
		t.Error(problem)
	}
	if a, b := engine.Protocol(), engine.Protocol(); a != b || len(a) != 16 {
		t.Errorf("protocols %q and %q", a, b)
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
