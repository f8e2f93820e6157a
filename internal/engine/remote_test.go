package engine_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/briefing"
	"github.com/hippo-memory/hippo/internal/engine"
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
	next := f.note(fact("lunch is at one"), f.record("lunch is at eleven", 0.1))
	r := f.remote(hippo.LocalScope(""), false)
	ctx := t.Context()
	for name, verb := range map[string]func(*engine.Memories) (any, error){
		"search": func(m *engine.Memories) (any, error) {
			return m.Search(ctx, hippo.Query{Text: "gateway", NoTouch: true, Explain: true, Relevance: &hippo.Range{Min: 0, Max: math.Inf(1)}})
		},
		"search below": func(m *engine.Memories) (any, error) {
			return m.Search(ctx, hippo.Query{Text: "gateway", NoTouch: true, Relevance: &hippo.Range{Min: math.Inf(-1), Max: 0.5}})
		},
		"invalid":   func(m *engine.Memories) (any, error) { return m.Search(ctx, hippo.Query{Count: -1}) },
		"get":       func(m *engine.Memories) (any, error) { return m.Get(ctx, []hippo.ID{b, a}) },
		"unknown":   func(m *engine.Memories) (any, error) { return m.Get(ctx, []hippo.ID{{1}}) },
		"resolve":   func(m *engine.Memories) (any, error) { return m.Resolve(ctx, a.Short(), engine.PreferLive) },
		"no ref":    func(m *engine.Memories) (any, error) { return m.Resolve(ctx, "ffffffff0000", engine.PreferNone) },
		"list":      func(m *engine.Memories) (any, error) { return m.List(ctx, engine.ListQuery{Count: 2}) },
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
		"no vote": func(m *engine.Memories) (any, error) { return m.Reinforce(ctx, []hippo.ID{a}, []hippo.ID{a}) },
		"relations": func(m *engine.Memories) (any, error) {
			return m.Relations().Of(ctx, []hippo.ID{a})
		},
		"created":      func(m *engine.Memories) (any, error) { return engine.Created(ctx, m, engine.ListQuery{}) },
		"predecessors": func(m *engine.Memories) (any, error) { return engine.Predecessors(ctx, m, next.ID) },
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
	_, err = r.Forget(ctx, []hippo.ID{hidden})
	ok(err)
	ok(r.Purge(ctx, []hippo.ID{gone}))
	link := hippo.Relation{From: voted, To: second.ID, Kind: "supports", Weight: 0.5}
	ok(r.Relations().Declare(ctx, []hippo.Relation{link}))
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
	reader := hippo.Scope{Rights: hippo.RightRead}
	if _, err := f.remote(reader, false).Forget(ctx, []hippo.ID{id}); !errors.Is(err, hippo.ErrForbidden) {
		t.Errorf("a reader forgets: %v", err)
	}
}

// broken is a process that cannot be reached.
type broken struct{}

var errNobody = errors.New("nobody answers")

func (broken) Call(context.Context, *engine.Call, any) error { return errNobody }
func (broken) Here(context.Context) (*engine.Engine, error)  { return nil, errNobody }
func (broken) Close() error                                  { return nil }

// Every verb asks the other process, and none reaches for a store that is not open here.
func TestRemote_CarriesEveryVerb(t *testing.T) {
	t.Parallel()
	e := engine.NewRemote(broken{}, &engine.Config{Now: func() time.Time { return time.Unix(0, 0) }}, time.UTC)
	m := e.In(hippo.LocalScope(""))
	silent := []string{
		"Close", "IsRemote", "Zone", "Importance", "Warm", "In", "Scope", "Relations", // nothing of the store
		"Transfer", "Embed", "Stage", // of an engine of this process only, see Here
	}
	for method := range reflect.TypeOf(m).Methods() {
		if slices.Contains(silent, method.Name) {
			continue
		}
		args := []reflect.Value{reflect.ValueOf(m)}
		for in := range method.Type.Ins() {
			switch {
			case in == reflect.TypeOf(m): // the receiver
			case in == reflect.TypeFor[context.Context]():
				args = append(args, reflect.ValueOf(t.Context()))
			case in == reflect.TypeFor[*hippo.Memory]():
				args = append(args, reflect.ValueOf(&hippo.Memory{Content: "x"}))
			default:
				args = append(args, reflect.Zero(in))
			}
		}
		t.Run(method.Name, func(t *testing.T) {
			call := method.Func.Call
			if method.Type.IsVariadic() {
				call = method.Func.CallSlice
			}
			out := call(args)
			err, _ := out[len(out)-1].Interface().(error)
			if !errors.Is(err, errNobody) && hippo.CodeOf(err) != hippo.CodeInvalid {
				t.Errorf("it returned %v", err)
			}
		})
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
