package script_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/script"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// changed records a memory and changes it twice; the last change is its tags.
func (f *fixture) changed() (id string) {
	f.t.Helper()
	m, err := memory.Record(f.t.Context(), f.Memories, &hippo.Memory{Content: "the pump needs oil", Importance: hippo.Importance{Base: .5}})
	if err != nil {
		f.t.Fatal(err)
	}
	text := "the pump needs grease"
	because := engine.Because(f.Memories, "read the manual")
	for _, change := range []api.Change{{Content: &text, Vote: api.VoteNone}, {Tags: &[]string{"pump"}, Vote: api.VoteNone}} {
		if _, err := memory.Modify(f.t.Context(), because, m.ID, change); err != nil {
			f.t.Fatal(err)
		}
	}
	return m.ID.Short()
}

// TestRun_past: a program lists operations, compares versions and undoes, what it changed itself too.
func TestRun_past(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, want string }{
		"log":         {`l = log(); [len(l), l.more, l[0].verb, l[0].reason, l[0].memories == [ID], l[0].at, l[0].undoes]`, "2\nfalse\nmodify\nread the manual\ntrue\n2026-03-15T12:00:00Z\nnull"},
		"log_page":    {`l = log(limit=1, offset=0); [len(l), l.more, log(limit=1, offset=1)[0].id != l[0].id, len(log(offset=2))]`, "1\ntrue\ntrue\n0"},
		"log_of_one":  {`n = store("new"); update(n, tags=["x"]); [len(log(n)), len(log(get(ID))), len(log())]`, "1\n2\n3\nstored 2"},
		"diff":        {`d = diff(ID); [d.changed, d.before.tags, d.after.tags]`, "[\"tags\",\"version\"]\n[]\n[\"pump\"]"},
		"diff_older":  {`d = diff(ID, 2, 1); ["content" in d.changed, "tags" in d.changed, d.before.content, d.after.content]`, "true\nfalse\nthe pump needs oil\nthe pump needs grease"},
		"diff_same":   {`d = diff(get(ID), from_version=0, to_version=0); [len(d.changed), d.before.content]`, "0\nthe pump needs grease"},
		"undo":        {`ids = undo(log(ID)[0].id); [ids == [ID], get(ID).tags, log()[0].verb, log()[0].undoes == log(offset=1)[0].id]`, "true\n[]\nundo\ntrue\nstored 1"},
		"undo_struct": {`l = log(); undo(l[0]); undo(l[1], reason="wrong"); [get(ID).content, log()[0].reason]`, "the pump needs oil\nwrong\nstored 2"},
		"undo_own":    {`update(ID, content="changed by mistake"); undo(log()[0]); get(ID).content`, "the pump needs grease\nstored 2"},
		"undo_undo":   {`undo(log()[0]); undo(log()[0]); get(ID).tags`, "pump\nstored 2"},
		"undo_forget": {`forget(ID); undo(log(ID)[0]); get(ID).forgotten`, "false\nstored 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := open(t)
			id := f.changed()
			if d := cmp.Diff(c.want, f.text(strings.ReplaceAll(c.source, "ID", `"`+id+`"`))); d != "" {
				t.Errorf("%s (-want +got):\n%s", c.source, d)
			}
		})
	}
}

// TestRun_past_is_stored: an undo is stored as one operation when the program ends, with its reason, and can be undone.
func TestRun_past_is_stored(t *testing.T) {
	t.Parallel()
	f := open(t)
	id := f.changed()
	if got := f.text(`undo(log()[0], reason="by mistake"); None`); got != "stored 1" {
		t.Errorf("report is %q", got)
	}
	page, err := memory.Operations(t.Context(), f.Memories, api.Operations{})
	if err != nil || len(page.Operations) != 3 || page.Operations[0].Verb != hippo.VerbUndo || page.Operations[0].Reason != "by mistake" {
		t.Fatalf("operations are %+v, %v", page, err)
	}
	if _, err := memory.Undo(t.Context(), f.Memories, page.Operations[0].ID); err != nil {
		t.Fatal(err)
	}
	if got := f.text(`get("` + id + `").tags`); got != "pump" {
		t.Errorf("tags are %q", got)
	}
}

// TestRun_past_refuses: wrong arguments and undos say what is right and change nothing.
func TestRun_past_refuses(t *testing.T) {
	t.Parallel()
	f := open(t)
	id := f.changed()
	fresh := f.fill(1)[0]
	before := f.state()
	for source, want := range map[string]string{
		`log(limit=-1)`:                         "limit: must be between 1 and 1000, got -1",
		`log(limit=1001)`:                       "limit: must be between",
		`log(offset=-1)`:                        "offset: must not be negative",
		`log("ffffffff")`:                       "no memory with id",
		`log([])`:                               "id: is required",
		`diff()`:                                "id: is required",
		`diff("` + fresh + `")`:                 "was not changed, or its former versions are not kept",
		`diff("` + id + `", 3)`:                 "from_version: must be from 0 to 2, got 3",
		`diff("` + id + `", 1, -1)`:             "to_version: must not be negative, got -1",
		`diff(["` + id + `", "` + fresh + `"])`: "id: must be one id, got 2",
		`undo()`:                                "operation: is required",
		`undo("zz")`:                            "operation: must be a UUID",
		`undo("00000000-0000-7000-8000-000000000000")`: "no operation with id",
		`undo(struct(a=1))`:                            "operation: must be a string, or what log returned",
		`undo(3)`:                                      "operation: must be",
		`undo(log()[0], reason="x" * 5000)`:            "reason: must",
		`undo(log()[1])`:                               "was changed since, by operation",
	} {
		_, err := f.run(verb.Program{Source: source})
		var failed *script.Error
		if !errors.As(err, &failed) || !strings.Contains(err.Error(), want) || failed.Line != 1 {
			t.Errorf("%s: %v\nwant: %s", source, err, want)
		}
	}
	if _, err := f.run(verb.Program{Source: `undo(log()[0])`, ReadOnly: true}); err == nil || !strings.Contains(err.Error(), "read_only") {
		t.Errorf("an undo with read_only: %v", err)
	}
	if r, err := f.run(verb.Program{Source: `[len(log()), diff("` + id + `").changed]`, ReadOnly: true}); err != nil || r.Text != "2\n[\"tags\",\"version\"]" {
		t.Errorf("reading with read_only: %+v, %v", r, err)
	}
	r, err := f.run(verb.Program{Source: `undo(log()[0])`, DryRun: true})
	if err != nil || !strings.Contains(r.Text, "undo ") || !strings.Contains(r.Text, "memories: 1") {
		t.Errorf("a dry run: %+v, %v", r, err)
	}
	if d := cmp.Diff(before, f.state()); d != "" {
		t.Errorf("the store changed:\n%s", d)
	}
}

// TestRun_past_stays_in_the_scope: operations on what a caller does not see are not listed, and one without the right cannot undo.
func TestRun_past_stays_in_the_scope(t *testing.T) {
	t.Parallel()
	f := open(t)
	id := f.changed()
	page, err := memory.Operations(t.Context(), f.Memories, api.Operations{})
	if err != nil {
		t.Fatal(err)
	}
	operation := page.Operations[0].ID.String()
	f.caller.Scope = hippo.Scope{Namespace: "other", Rights: hippo.RightRead | hippo.RightWrite}
	if r, err := f.run(verb.Program{Source: `len(log())`}); err != nil || r.Text != "0" {
		t.Errorf("the log: %+v, %v", r, err)
	}
	for _, source := range []string{`diff("` + id + `")`, `log("` + id + `")`, `undo("` + operation + `")`} {
		if _, err := f.run(verb.Program{Source: source}); err == nil || !strings.Contains(err.Error(), "no ") {
			t.Errorf("%s: %v", source, err)
		}
	}
	f.caller.Scope = hippo.LocalScope("")
	f.caller.Scope.Rights = hippo.RightRead
	if r, err := f.run(verb.Program{Source: `len(log())`}); err != nil || r.Text != "2" {
		t.Errorf("the log with the right to read: %+v, %v", r, err)
	}
	if _, err := f.run(verb.Program{Source: `undo("` + operation + `")`}); err == nil || !strings.Contains(err.Error(), "no right") {
		t.Errorf("an undo without the right: %v", err)
	}
}
