package hook_test

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/agents/hook"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/enginetest"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// fixture is a memory and the hooks on it.
type fixture struct {
	hook.Config
	t        *testing.T
	memories *engine.Memories
	opened   atomic.Int32
}

func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// start returns hooks on a memory with some insights of project p.
func start(t *testing.T) *fixture {
	t.Helper()
	e := enginetest.Open(t, enginetest.Options{Config: engine.Config{Now: noon}})
	f := &fixture{t: t, memories: e.In(hippo.LocalScope("p"))}
	f.Config = hook.Config{
		Open:    func(context.Context) (*engine.Engine, error) { f.opened.Add(1); return e, nil },
		Project: func(context.Context, string) project.Identity { return project.Identity{Name: "p"} }, Work: func(context.Context, string) api.Work { return api.Work{} },
		Scope: hippo.LocalScope(""), StateDir: t.TempDir(), Now: noon,
	}
	for _, text := range []string{"bread needs salt and water", "the train to the sea leaves at noon", "moss grows on the north side"} {
		f.record(hippo.Memory{Content: text, Importance: hippo.Importance{Base: .01}, EventTime: noon().AddDate(-1, 0, 0)})
	}
	f.record(hippo.Memory{Content: "Always run the linter before a commit", Type: "convention"})
	f.record(hippo.Memory{Content: "The gateway panics with \"connection reset\" when its certificate expires", Type: "decision"})
	return f
}

func (f *fixture) record(m hippo.Memory) {
	f.t.Helper()
	m.Project, m.Trust = "p", hippo.TrustDefault
	if m.Importance.Base == 0 {
		m.Importance.Base = .5
	}
	if _, err := memory.Record(f.t.Context(), f.memories, &m); err != nil {
		f.t.Fatal(err)
	}
}

type object = map[string]any

// run runs a hook and returns what it prints.
func (f *fixture) run(event hook.Event, client string, fields object) string {
	f.t.Helper()
	out, err := f.try(event, client, fields)
	if err != nil {
		f.t.Fatalf("%s of %s: %v", event, client, err)
	}
	return out
}

func (f *fixture) try(event hook.Event, client string, fields object) (string, error) {
	f.t.Helper()
	in := object{"session_id": "s", "cwd": "/work"}
	maps.Copy(in, fields)
	b, err := json.Marshal(in)
	if err != nil {
		f.t.Fatal(err)
	}
	out, err := hook.Run(f.t.Context(), event, client, strings.NewReader(string(b)), &f.Config)
	return string(out), err
}
