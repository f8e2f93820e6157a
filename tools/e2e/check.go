package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // to lock a store
)

// What is in the store, and what the user says. A preference is injected at the start of a session; a detail from
// long ago only where a prompt reminds of it.
const (
	preference = "Every commit message of this repository is written in Latin"
	detail     = "The staging database listens on port 6543"
	fix        = "When the state lock of terraform is stale, run terraform force-unlock"
	recorded   = "Deploys freeze on Fridays"
	said       = "always use pnpm instead of npm in this repository"

	firstPrompt  = "On which port does the staging database listen? From now on, " + said + "."
	resumePrompt = "On which port does the staging database listen, again?"
	otherPrompt  = "Should I take pnpm or npm in this repository?"
)

// proof is what was found of one client.
type proof struct {
	*place
	out    io.Writer
	failed bool
}

// check reports one thing that must be so.
func (p *proof) check(what string, err error) {
	if err == nil {
		fmt.Fprintf(p.out, "ok      %s: %s\n", p.client.name, what)
		return
	}
	p.failed = true
	fmt.Fprintf(p.out, "FAILED  %s: %s: %v\n", p.client.name, what, err)
}

// checkHooks checks a step in which hooks must answer. A hook that runs out of time on a busy machine injects
// nothing, as it should; the step is then repeated.
func (p *proof) checkHooks(ctx context.Context, what string, step func(context.Context) error) {
	var err error
	for range 3 {
		before := p.timeouts()
		if err = step(ctx); p.timeouts() == before {
			break
		}
	}
	p.check(what, err)
}

// timeouts returns how often hooks ran out of time.
func (p *proof) timeouts() int {
	log, _ := os.ReadFile(filepath.Join(p.home, ".local", "state", "hippo", "hook.log")) // there is none before the first one
	return bytes.Count(log, []byte("no answer within"))
}

// want returns an error that describes what is not so.
func want(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// prove runs all checks of a client.
func (p *proof) prove(ctx context.Context) {
	_, err := p.run(ctx, p.hippo, "setup", p.client.name)
	p.check("setup", err)
	p.check("the server is registered", p.registered(ctx))
	if p.client.validate != nil {
		p.check("the plugin and its marketplace are valid", p.plugin(ctx))
	}
	p.check("the store", p.fill(ctx))
	p.checkHooks(ctx, "what a session and a prompt remind of is injected once, and the tools work", p.session)
	p.checkHooks(ctx, "nothing is injected again when the session goes on", p.resumed)
	p.checkHooks(ctx, "what the user said is captured, and injected into another session", p.captured)
	p.check("a search finds it", p.shown(ctx))
	p.checkHooks(ctx, "a command that failed reminds of its fix", p.failing)
	p.check("a locked store does not stop a session", p.locked(ctx))
	p.check("a damaged store does not stop a session", p.damaged(ctx))
}

// registered checks that client and doctor reach the server.
func (p *proof) registered(ctx context.Context) error {
	out, errs, err := p.outputs(ctx, p.client.program, p.client.connected...)
	if err != nil {
		return err
	}
	out += errs // Gemini CLI prints the list on stderr
	if !regexp.MustCompile(p.client.pattern).MatchString(out) {
		return fmt.Errorf("no %q in %s", p.client.pattern, out)
	}
	out, _ = p.run(ctx, p.hippo, "doctor", p.client.name, "--json") // other checks may fail here, such as that of PATH
	var checks []struct{ Client, Check, State, Text string }
	if err := json.Unmarshal([]byte(out), &checks); err != nil {
		return err
	}
	seen := 0
	for _, c := range checks {
		if c.Client != p.client.name {
			continue
		}
		seen++
		if c.State == "failure" {
			return fmt.Errorf("doctor: %s: %s", c.Check, c.Text)
		}
	}
	return want(seen > 0, "doctor says nothing: %s", out)
}

// plugin checks the folders that setup writes for a marketplace.
func (p *proof) plugin(ctx context.Context) error {
	dir := filepath.Join(p.home, "plugins")
	_, err := p.run(ctx, p.hippo, "setup", "--plugin", dir)
	for _, folder := range []string{p.client.name, p.client.name + "/plugins/hippo"} {
		_, failed := p.run(ctx, p.client.program, append(slices.Clip(p.client.validate), filepath.Join(dir, folder))...)
		err = errors.Join(err, failed)
	}
	return err
}

// fill records what is there before the first session.
func (p *proof) fill(ctx context.Context) error {
	_, err := p.run(ctx, p.hippo, "record", preference, "--type", "preference", "--pin")
	if err != nil {
		return err
	}
	for _, text := range []string{detail, fix} {
		if _, err := p.run(ctx, p.hippo, "record", text, "--importance", "0.01", "--event-time", "2024-01-01"); err != nil {
			return err
		}
	}
	return nil
}

// ask runs the client with a prompt and returns what its model was sent.
func (p *proof) ask(ctx context.Context, args []string, prompt string, script ...call) ([]request, error) {
	p.model.begin(script...)
	out, err := p.run(ctx, p.client.program, append(slices.Clip(args), prompt)...)
	requests := p.model.seen()
	switch {
	case err != nil:
		return nil, err
	case len(requests) == 0:
		return nil, errors.New("the model was not asked")
	case !strings.Contains(out, modelAnswer):
		return nil, fmt.Errorf("printed %q", out)
	}
	return requests, nil
}

// session checks a first session, in which the model uses two tools.
func (p *proof) session(ctx context.Context) error {
	requests, err := p.ask(
		ctx, p.client.start, firstPrompt,
		call{tool{name: "hippo_search_insights"}, `{"query":"port of the staging database"}`},
		call{tool{name: "hippo_record_insight"}, `{"content":"` + recorded + `","situation":["planning a deploy"],"importance":0.6}`},
	)
	if err != nil {
		return err
	}
	last := &requests[len(requests)-1]
	found := strings.Contains(memoryFrame.ReplaceAllString(last.Text, ""), detail)
	m, err := p.find(ctx, recorded)
	return errors.Join(
		err, once("the first request", &requests[0], preference, detail), once("the last request", last, preference, detail),
		want(found, "the model does not see what the search found"), want(m.Source.Kind == "agent", "what the model recorded: %+v", m),
	)
}

// failing checks a session in which a command fails.
func (p *proof) failing(ctx context.Context) error {
	c := p.client.shell
	c.args = strings.Replace(c.args, "COMMAND", "echo 'Error: the state lock of terraform cannot be acquired'; exit 1", 1)
	requests, err := p.ask(ctx, p.client.start, "Apply it.", c)
	if err != nil {
		return err
	}
	last := &requests[len(requests)-1]
	return errors.Join(want(strings.Contains(last.Text, "cannot be acquired"), "the command did not run"), once("the last request", last, fix))
}

// once checks that texts were injected once.
func once(where string, r *request, texts ...string) error {
	var errs []error
	for _, text := range texts {
		if n := r.injected(text); n != 1 {
			errs = append(errs, fmt.Errorf("%s has %q injected %d times", where, text, n))
		}
	}
	return errors.Join(errs...)
}

// resumed checks that the session goes on with all that was said and injected.
func (p *proof) resumed(ctx context.Context) error {
	requests, err := p.ask(ctx, p.client.resume, resumePrompt)
	if err != nil {
		return err
	}
	last := &requests[len(requests)-1]
	return errors.Join(once("the request", last, preference, detail), want(strings.Contains(last.Text, said), "the first prompt is lost"))
}

// captured checks what the sessions left in the store.
func (p *proof) captured(ctx context.Context) error {
	m, err := p.find(ctx, said)
	if err != nil {
		return err
	}
	if m.Source.Kind != "hook" || m.Source.Author != "hook" || m.Trust == "low" {
		return fmt.Errorf("the memory is %+v", m)
	}
	requests, err := p.ask(ctx, p.client.start, otherPrompt)
	if err != nil {
		return err
	}
	first := &requests[0]
	return errors.Join(once("another session", first, said), once("another session", first, preference))
}

// shown checks that a search finds what was captured.
func (p *proof) shown(ctx context.Context) error {
	found, err := p.run(ctx, p.hippo, "search", "pnpm or npm")
	return errors.Join(err, want(strings.Contains(found, said), "a search finds %s", found))
}

// locked checks a session while another program holds the store.
func (p *proof) locked(ctx context.Context) (err error) {
	db, err := sql.Open("sqlite", p.database())
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, q := range []string{"PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "CREATE TABLE lock (x)"} {
		if _, err := db.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	return p.without(ctx)
}

// damaged checks a session with a store that is no database.
func (p *proof) damaged(ctx context.Context) error {
	files, err := filepath.Glob(p.database() + "*")
	if err != nil || len(files) == 0 {
		return fmt.Errorf("files %v: %w", files, err)
	}
	for _, f := range files {
		err = errors.Join(err, os.WriteFile(f, []byte(strings.Repeat("not a database ", 1000)), 0o600))
	}
	if err != nil {
		return err
	}
	return p.without(ctx)
}

// without checks a session in which nothing can be injected.
func (p *proof) without(ctx context.Context) error {
	requests, err := p.ask(ctx, p.client.start, otherPrompt)
	if err != nil {
		return err
	}
	return want(requests[0].injected(preference) == 0, "something was injected")
}

// removed checks, in a place that the client never saw, that set-up can be undone byte for byte.
func (p *proof) removed(ctx context.Context) error {
	before, err := p.files()
	if err != nil {
		return err
	}
	if _, err := p.run(ctx, p.hippo, "setup", p.client.name); err != nil {
		return err
	}
	set, err := p.files()
	if err != nil {
		return err
	}
	if _, err := p.run(ctx, p.hippo, "setup", "--remove", p.client.name); err != nil {
		return err
	}
	after, err := p.files()
	return errors.Join(
		err, want(!maps.Equal(before, set), "setup changes nothing"), want(maps.Equal(before, after), "before %q, after %q", before, after),
	)
}
