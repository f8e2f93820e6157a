package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/agents/ingest"
	"github.com/hippo-memory/hippo/internal/agents/transcript"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/enginetest"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// fixture is an engine in RAM, and captures into it.
type fixture struct {
	t      *testing.T
	engine *engine.Engine
	config ingest.Config
	opened int // calls of Config.Memories
}

func open(t *testing.T) *fixture {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC) }
	f := &fixture{t: t, engine: enginetest.Open(t, enginetest.Options{Config: engine.Config{Now: now}})}
	f.config = ingest.Config{
		Memories: func(_ context.Context, id project.Identity) (*engine.Memories, error) {
			f.opened++
			return f.in(id.Name), nil
		},
		Project: func(_ context.Context, dir string) project.Identity {
			return project.Identity{Name: filepath.Base(dir)}
		},
		StateDir: t.TempDir(), Now: now,
	}
	return f
}

func (f *fixture) in(name string) *engine.Memories { return f.engine.In(hippo.LocalScope(name)) }

// said writes a transcript in which the user says some things; the IDs of turns begin with the
// session.
func said(session string, texts ...string) string {
	var b strings.Builder
	for i, s := range texts {
		fmt.Fprintf(&b, `{"type":"user","uuid":"%s-0000-0000-%04d","sessionId":%q,"cwd":"/src/app","timestamp":"2026-11-01T10:00:00Z","message":{"role":"user","content":%q}}`+"\n", session, i, session, s)
	}
	return b.String()
}

func (f *fixture) write(name, content string) string {
	f.t.Helper()
	path := filepath.Join(f.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		f.t.Fatal(err)
	}
	return path
}

func (f *fixture) capture(path string, o ingest.Options) *ingest.Report {
	f.t.Helper()
	r, err := ingest.File(f.t.Context(), &f.config, path, o)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

// actions returns what became of the candidates.
func actions(r *ingest.Report) []ingest.Action {
	var out []ingest.Action
	for _, o := range r.Outcomes {
		out = append(out, o.Action)
	}
	return out
}

func (f *fixture) memories() []*hippo.Memory {
	f.t.Helper()
	l, err := memory.List(f.t.Context(), f.in("app"), api.List{})
	if err != nil {
		f.t.Fatal(err)
	}
	return l.Memories
}

func wantActions(t *testing.T, r *ingest.Report, want ...ingest.Action) {
	t.Helper()
	if d := cmp.Diff(want, actions(r)); d != "" {
		t.Fatalf("%s (%+v)", d, r)
	}
}

// A preference, or a habit, that the user states in a session holds in every repository; what is about one stays there.
func TestFile_PreferencesHoldEverywhere(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.capture(f.write("a", said("s1", "fix the build", "I prefer pytest over unittest", "Always use podman compose", "Always use ninja here, never make",
		"We decided to use SQLite for the cart")), ingest.Options{})
	got := make(map[string]string)
	for _, m := range f.memories() {
		got[m.Content] = m.Project
		if (m.Project == "") != m.UserPreference() && m.Type == "preference" {
			t.Errorf("%q in %q is no preference of the user", m.Content, m.Project)
		}
	}
	want := map[string]string{}
	for text := range got {
		want[text] = "app"
		if strings.Contains(text, "pytest") || strings.Contains(text, "podman") {
			want[text] = ""
		}
	}
	if d := cmp.Diff(want, got); d != "" || len(got) != 4 {
		t.Errorf("%d: %s", len(got), d)
	}
}

func TestFile_RecordsAsAHook(t *testing.T) {
	t.Parallel()
	f := open(t)
	r := f.capture(f.write("a", said("s1", "fix the build", "No, always use pnpm instead of npm here")), ingest.Options{})
	wantActions(t, r, ingest.Added)
	m := f.memories()[0]
	want := hippo.Source{Kind: hippo.SourceHook, Author: "hook", Client: string(transcript.ClaudeCode), Session: "s1"}
	if d := cmp.Diff(want, m.Source); d != "" || m.Trust != hippo.TrustNormal || m.Project != "app" || m.Type != "correction" || m.ID != r.Outcomes[0].Memory {
		t.Errorf("%s %+v", d, m)
	}
	if m.EventTime.Day() != 1 || len(m.Metadata["capture"]) == 0 || m.Importance.Base != 0.7 {
		t.Errorf("event %v, metadata %s, importance %+v", m.EventTime, m.Metadata["capture"], m.Importance)
	}
}

// What the user typed in plain words is confirmed by being said; what may be pasted, quoted or a guess of a rule waits.
func TestFile_WhatWasSaidIsConfirmed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]hippo.Trust{
		"Always use podman compose":                               hippo.TrustNormal,
		"I prefer small commits":                                  hippo.TrustNormal,
		"let's go with S3 multipart, we don't want a daemon":      hippo.TrustNormal,
		"btw staging redis is at redis.internal:6380":             hippo.TrustLow,
		"the wiki has \"always deploy from main\" as a rule here": hippo.TrustLow,
		"these are the rules\nalways use tabs\nnever use spaces in Go\nwe use gofumpt\nwe never vendor\nwe always squash": hippo.TrustLow,
	} {
		f := open(t)
		f.capture(f.write("a", said("s1", "fix the build", text)), ingest.Options{})
		ms := f.memories()
		if len(ms) == 0 {
			t.Errorf("%q is not kept", text)
		}
		for _, m := range ms {
			if m.Trust != want {
				t.Errorf("%q: trust %v, want %v", text, m.Trust, want)
			}
		}
	}
}

func TestFile_AgainCapturesNothing(t *testing.T) {
	t.Parallel()
	f := open(t)
	text := said("s1", "fix the build", "No, always use pnpm instead of npm here")
	path := f.write("a", text)
	f.capture(path, ingest.Options{})
	opened := f.opened
	r := f.capture(path, ingest.Options{})
	wantActions(t, r)
	if r.Turns != 0 || r.Reason == "" || f.opened != opened || len(f.memories()) != 1 {
		t.Fatalf("%+v, opened %d times", r, f.opened-opened)
	}
	grown := text + said("s2", "we never commit generated files")
	if err := os.WriteFile(path, []byte(grown), 0o600); err != nil {
		t.Fatal(err)
	}
	r = f.capture(path, ingest.Options{})
	wantActions(t, r, ingest.Added)
	if r.Turns != 1 || r.From != int64(len(text)) || r.To != int64(len(grown)) {
		t.Fatalf("%+v", r)
	}
	// without its ledger the session is known by what it recorded
	f.config.StateDir = t.TempDir()
	wantActions(t, f.capture(path, ingest.Options{}), ingest.Known, ingest.Known)
}

func TestFile_AnotherFileAtThePathBeginsAgain(t *testing.T) {
	t.Parallel()
	f := open(t)
	path := f.write("a", said("s1", "fix the build", "No, always use pnpm instead of npm here"))
	f.capture(path, ingest.Options{})
	if err := os.WriteFile(path, []byte(said("s2", "we never commit generated files")), 0o600); err != nil {
		t.Fatal(err)
	}
	wantActions(t, f.capture(path, ingest.Options{}), ingest.Added)
}

// A session that is rewound loses its end, and what follows is new although it is before the place
// where the last capture ended.
func TestFile_CutFileIsReadAgain(t *testing.T) {
	t.Parallel()
	f := open(t)
	head := said("s1", "fix the build", strings.Repeat("what does this function do and who calls it? ", 60))
	path := f.write("a", head+said("s1", "No, always use pnpm instead of npm here", strings.Repeat("and what does that one do? ", 200)))
	wantActions(t, f.capture(path, ingest.Options{}), ingest.Added)
	if err := os.WriteFile(path, []byte(head+said("s2", "we never commit generated files")), 0o600); err != nil {
		t.Fatal(err)
	}
	wantActions(t, f.capture(path, ingest.Options{}), ingest.Added)
	wantActions(t, f.capture(path, ingest.Options{}))
}

func TestFile_RepeatIsAVoteOfAnotherSession(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.capture(f.write("a", said("s1", "fix it", "No, always use pnpm instead of npm here")), ingest.Options{})
	before := f.memories()[0]
	r := f.capture(f.write("b", said("s2", "add a page", "no, always use pnpm here instead of npm please")), ingest.Options{})
	wantActions(t, r, ingest.Repeated)
	after := f.memories()
	if len(after) != 1 || after[0].Importance.Value <= before.Importance.Value || r.Outcomes[0].Memory != before.ID {
		t.Errorf("before %+v, after %+v", before.Importance, after[0].Importance)
	}
	// a fork of the session repeats its turns with their IDs
	fork := strings.ReplaceAll(said("s1", "fix it", "No, always use pnpm instead of npm here"), `"sessionId":"s1"`, `"sessionId":"s3"`)
	wantActions(t, f.capture(f.write("c", fork), ingest.Options{}), ingest.Known)
}

func TestFile_ChangeSupersedes(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.capture(f.write("a", said("s1", "hello", "remember that the request timeout is 30 seconds")), ingest.Options{})
	old := f.memories()[0]
	r := f.capture(f.write("b", said("s2", "hello", "remember that the request timeout is 60 seconds")), ingest.Options{})
	wantActions(t, r, ingest.Changed)
	if d := cmp.Diff([]hippo.ID{old.ID}, r.Outcomes[0].Supersedes); d != "" {
		t.Error(d)
	}
}

func TestFile_ChangeDoesNotSupersedeWhatAUserRecorded(t *testing.T) {
	t.Parallel()
	f := open(t)
	own := &hippo.Memory{Content: "The request timeout is 30 seconds.", Source: hippo.Source{Kind: hippo.SourceUser}, Trust: hippo.TrustDefault, Project: "app"}
	if _, err := memory.Record(t.Context(), f.in("app"), own); err != nil {
		t.Fatal(err)
	}
	r := f.capture(f.write("b", said("s2", "hello", "remember that the request timeout is 60 seconds")), ingest.Options{})
	wantActions(t, r, ingest.Added)
	if len(f.memories()) != 2 {
		t.Error("the user's memory was superseded")
	}
}

func TestFile_OppositeIsNoRepeat(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.capture(f.write("a", said("s1", "hi", "always use pnpm, never npm")), ingest.Options{})
	r := f.capture(f.write("b", said("s2", "hi", "always use npm, never pnpm")), ingest.Options{})
	if a := actions(r); len(a) != 1 || a[0] == ingest.Repeated || a[0] == ingest.Known {
		t.Fatal(a)
	}
}

func TestFile_ErrorAndFixInTwoCaptures(t *testing.T) {
	t.Parallel()
	f := open(t)
	line := func(kind, id, content string) string {
		return fmt.Sprintf(`{"type":%q,"uuid":%q,"sessionId":"s","cwd":"/src/app","message":{"role":%q,"content":%s}}`+"\n", kind, id, kind, content)
	}
	call := func(id, command string) string {
		return line("assistant", "c"+id, fmt.Sprintf(`[{"type":"tool_use","id":%q,"name":"Bash","input":{"command":%q}}]`, id, command))
	}
	result := func(id, output string, failed bool) string {
		return line("user", "r"+id, fmt.Sprintf(`[{"type":"tool_result","tool_use_id":%q,"content":%q,"is_error":%v}]`, id, output, failed))
	}
	first := call("1", "mix test") + result("1", "tcp connect (localhost:5432): connection refused", true)
	path := f.write("a", first)
	wantActions(t, f.capture(path, ingest.Options{}))
	if err := os.WriteFile(path, []byte(first+call("2", "PGPORT=5433 mix test")+result("2", "0 failures", false)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := f.capture(path, ingest.Options{Recent: true})
	wantActions(t, r, ingest.Added)
	if c := r.Outcomes[0].Content; !strings.Contains(c, "5432") || !strings.Contains(c, "PGPORT=5433 mix test") {
		t.Error(c)
	}
}

func TestFile_DeadlineLosesNothing(t *testing.T) {
	t.Parallel()
	f := open(t)
	path := f.write("a", said("s1", "hi", "always use pnpm, never npm", "we never commit generated files to this repo"))
	ctx, cancel := context.WithCancel(t.Context())
	memories := f.config.Memories
	f.config.Memories = func(ctx context.Context, id project.Identity) (*engine.Memories, error) {
		cancel()
		return memories(ctx, id)
	}
	if _, err := ingest.File(ctx, &f.config, path, ingest.Options{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	f.config.Memories = memories
	f.capture(path, ingest.Options{})
	if n := len(f.memories()); n != 2 {
		t.Fatalf("%d memories", n)
	}
}

// What the store refuses is reported, and does not stand in the way of what follows.
func TestFile_RefusedCandidatesAreLeftOut(t *testing.T) {
	t.Parallel()
	f := open(t)
	memories := f.config.Memories
	f.config.Memories = func(context.Context, project.Identity) (*engine.Memories, error) {
		return f.engine.In(hippo.Scope{Rights: hippo.AllRights, Projects: []string{"another"}}), nil
	}
	text := said("s1", "hi", "always use pnpm, never npm")
	path := f.write("a", text)
	r := f.capture(path, ingest.Options{})
	wantActions(t, r, ingest.Refused)
	if r.Outcomes[0].Err == nil || !strings.Contains(r.Reason, "refused") {
		t.Errorf("%+v", r)
	}
	f.config.Memories = memories
	if err := os.WriteFile(path, []byte(text+said("s2", "we never commit generated files")), 0o600); err != nil {
		t.Fatal(err)
	}
	wantActions(t, f.capture(path, ingest.Options{}), ingest.Added)
}

// Nothing of a candidate that is refused for a secret is shown: the secret may be in any field.
func TestFile_RefusedCandidateShowsNothing(t *testing.T) {
	t.Parallel()
	secret := "gh" + "p_" + "x7Kd92LmQ0vTzR4bN8cY" + "w1HsJ5fGpE3uAi6o"
	text := said("s1", "we always squash commits")
	for name, text := range map[string]string{
		"session": strings.ReplaceAll(text, "s1", secret),
		"folder":  strings.ReplaceAll(text, "/src/app", "/src/"+secret),
		"turn":    strings.ReplaceAll(text, `"uuid":"`, `"uuid":"`+secret+`-`),
		"content": said("s1", "we always squash commits with "+secret),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := open(t)
			r := f.capture(f.write("a", text), ingest.Options{})
			if len(r.Outcomes) != 1 {
				t.Fatalf("outcomes: %+v", r.Outcomes)
			}
			if shown := fmt.Sprintf("%+v", r); strings.Contains(shown, secret) {
				t.Errorf("the report has the secret: %s", shown)
			}
			lasts, err := ingest.Lasts(f.config.StateDir)
			if shown := fmt.Sprintf("%+v %v", lasts, err); len(lasts) != 1 || strings.Contains(shown, secret) {
				t.Errorf("the last capture: %s", shown)
			}
		})
	}
}

func TestFile_DryRunStoresNothing(t *testing.T) {
	t.Parallel()
	f := open(t)
	path := f.write("a", said("s1", "hi", "always use pnpm, never npm"))
	for range 2 {
		wantActions(t, f.capture(path, ingest.Options{DryRun: true}), ingest.Found)
	}
	if files, err := os.ReadDir(f.config.StateDir); err != nil || len(files) > 0 || f.opened > 0 {
		t.Errorf("files %v (%v), opened %d", files, err, f.opened)
	}
}

func TestStream_AgainCapturesNothing(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.capture(f.write("a", said("s1", "hi", "always use pnpm, never npm")), ingest.Options{})
	for i, want := range [][]ingest.Action{{ingest.Repeated}, nil} {
		r, err := ingest.Stream(t.Context(), &f.config, strings.NewReader(said("s2", "hi", "always use pnpm, never npm")), ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, actions(r)); d != "" {
			t.Fatalf("%d: %s", i, d)
		}
	}
}

func TestLasts_SaysWhyNothingWasKept(t *testing.T) {
	t.Parallel()
	f := open(t)
	path := f.write("a", said("s1", "what is a monad?"))
	f.capture(path, ingest.Options{})
	f.capture(path, ingest.Options{}) // nothing new: the last one stays
	if _, err := ingest.File(t.Context(), &f.config, f.write("b", "a letter\n"), ingest.Options{}); !errors.Is(err, transcript.ErrUnknownFormat) {
		t.Fatal(err)
	}
	got, err := ingest.Lasts(f.config.StateDir)
	want := []ingest.Last{
		{Client: transcript.ClaudeCode, At: f.config.Now(), Session: "s1", Turns: 1, Reason: "nothing worth keeping in one turn"},
		{Client: "unknown", At: f.config.Now(), Reason: transcript.ErrUnknownFormat.Error()},
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Error(d, err)
	}
}

// A hook knows its client. A session that ended at once has no transcript, or an empty one.
func TestLasts_NamesTheCaller(t *testing.T) {
	t.Parallel()
	f := open(t)
	empty := f.write("a.jsonl", "")
	missing := filepath.Join(filepath.Dir(empty), "b.jsonl")
	f.capture(empty, ingest.Options{Caller: "codex"})
	if _, err := ingest.File(t.Context(), &f.config, missing, ingest.Options{Caller: "claude-code"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a transcript: %v", err)
	}
	if _, err := ingest.File(t.Context(), &f.config, f.write("c.jsonl", "a letter\n"), ingest.Options{Caller: "cursor"}); err == nil {
		t.Error("no transcript: no error")
	}
	got, err := ingest.Lasts(f.config.StateDir)
	want := []ingest.Last{
		{Client: "claude-code", At: f.config.Now(), Reason: "there is no transcript at " + missing},
		{Client: "codex", At: f.config.Now(), Reason: "the transcript is empty"},
		{Client: "cursor", At: f.config.Now(), Reason: transcript.ErrUnknownFormat.Error()},
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%s %v", d, err)
	}
}

// The path of a transcript that is missing is shown without the key in it.
func TestLasts_ShowsNoSecret(t *testing.T) {
	t.Parallel()
	f := open(t)
	key := "ghp_" + strings.Repeat("aB3dE5fG7h", 4)[:36]
	if _, err := ingest.File(t.Context(), &f.config, filepath.Join(t.TempDir(), key+".jsonl"), ingest.Options{Caller: "codex"}); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	got, err := ingest.Lasts(f.config.StateDir)
	if err != nil || len(got) != 1 || strings.Contains(got[0].Reason, key) || !strings.Contains(got[0].Reason, "[redacted]") {
		t.Errorf("got %+v (%v)", got, err)
	}
}

// However many ledgers there are, old ones go.
func TestFile_OldLedgersGoBehindManyOthers(t *testing.T) {
	t.Parallel()
	f := open(t)
	dir := filepath.Join(f.config.StateDir, "capture", "ledgers")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	ledger := func(name string, days int) string {
		path := filepath.Join(dir, name)
		used := f.config.Now().AddDate(0, 0, -days)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, used, used)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for i := range 600 {
		ledger(fmt.Sprintf("0000-%04d.json", i), 1)
	}
	old := ledger("zzzz.json", 91)
	f.capture(f.write("a", said("s1", "hi")), ingest.Options{})
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old ledger is there: %v", err)
	}
}

func TestFile_DamagedLedgerIsEmpty(t *testing.T) {
	t.Parallel()
	f := open(t)
	path := f.write("a", said("s1", "hi", "always use pnpm, never npm"))
	f.capture(path, ingest.Options{})
	files, err := filepath.Glob(filepath.Join(f.config.StateDir, "capture", "ledgers", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte(`{"offset": 99`), 0o600); err != nil {
		t.Fatal(err)
	}
	wantActions(t, f.capture(path, ingest.Options{}), ingest.Known)
}

// What a subagent found out names it as its author, and what it was asked to do is nobody's wish. Its last message may not be in
// the file yet.
func TestFile_FindingsOfASubagent(t *testing.T) {
	t.Parallel()
	const report = "I looked through the sync. The upload fails because the proxy closes idle connections after 30 seconds. Maybe the cache fails because of the disk."
	line := func(kind, id, content string) string {
		return fmt.Sprintf(`{"type":%q,"uuid":%q,"sessionId":"s","agentId":"a1","isSidechain":true,"cwd":"/src/app","message":{"role":%q,"content":%s}}`+"\n", kind, id, kind, content)
	}
	asked := line("user", "u1", `"Always use pnpm, never npm. Find out why the upload fails"`) + line("assistant", "c1", `[{"type":"text","text":"I look at the proxy."}]`)
	for name, tc := range map[string]struct {
		file string
		o    ingest.Options
		want int
	}{
		"written":     {asked + line("assistant", "c2", fmt.Sprintf(`[{"type":"text","text":%q}]`, report)), ingest.Options{Agent: "Explore", Report: report}, 1},
		"not yet":     {asked, ingest.Options{Agent: "Explore", Report: report}, 1},
		"not marked":  {strings.ReplaceAll(asked, `"isSidechain":true,`, ""), ingest.Options{Agent: "Explore"}, 0},
		"not an end":  {asked + line("assistant", "c2", `[{"type":"tool_use","id":"1","name":"Bash","input":{"command":"ls"}}]`), ingest.Options{Agent: "Explore"}, 0},
		"of the user": {strings.ReplaceAll(asked, `"isSidechain":true,`, ""), ingest.Options{}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := open(t)
			path := f.write("a", tc.file)
			f.capture(path, tc.o)
			f.capture(path, tc.o)
			ms := f.memories()
			if len(ms) != tc.want {
				t.Fatalf("got %d memories: %+v", len(ms), ms)
			}
			for _, m := range ms {
				want := "hook"
				if tc.o.Agent != "" {
					want = tc.o.Agent
				}
				if m.Source.Author != want || m.Source.Kind != hippo.SourceHook {
					t.Errorf("%q is of %+v, want %s", m.Content, m.Source, want)
				}
				if tc.o.Agent != "" && (!strings.Contains(m.Content, "idle connections after 30 seconds") || m.Trust >= hippo.TrustNormal) {
					t.Errorf("got %q, trust %v", m.Content, m.Trust)
				}
			}
		})
	}
}
