package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo/internal/agents/setup/splice"
	"github.com/hippo-memory/hippo/internal/config"
)

// State is the outcome of a check.
type State string

// The states.
const (
	OK      State = "ok"
	Hint    State = "hint"    // set up as it should be; a step that only the user can take is left
	Warning State = "warning" // works, but not as well as it could
	Failure State = "failure" // does not work
)

// Check is one thing that the doctor looked at.
type Check struct {
	Client string `json:"client,omitempty"` // empty: the machine
	Scope  Scope  `json:"scope,omitempty"`
	Name   string `json:"check"`
	State  State  `json:"state"`
	Text   string `json:"text"`
	Fix    string `json:"fix,omitempty"` // what to do
}

// Doctor checks what is registered.
type Doctor struct {
	Host    *Host
	Binary  string        // of this program
	Version string        // of this program
	Hooks   bool          // this program has the command hook
	Limit   time.Duration // for each program that is started
	Report  func(Check)   // is called with each check as soon as it is done
	// Store is the store of this shell, and Imported says of a path whether its memories are in it; nil: of none.
	Store    config.Store
	Imported func(path string) bool
	// Unfit returns why a store must not be written, whoever may write it; nil if it may be.
	Unfit func(s config.Store) error
	// Unmerged reports whether a directory store lies in a clone of Git that would merge its files by lines; nil: none does.
	Unmerged func(ctx context.Context, dir string) bool
	// Shared returns what is in the file of another program, on a line, and what is odd about it.
	Shared func(ctx context.Context, s config.Store) (text string, odd []string, err error)
}

// Run checks the machine and the clients, all that are found if none is given.
func (d *Doctor) Run(ctx context.Context, clients []Client) {
	d.checkProgram()
	registered := 0
	stores := make(map[string]bool)
	for i := range clients {
		c := &clients[i]
		here, entries := 0, make(map[string]bool)
		for _, scope := range Scopes() {
			t, ok := c.server.targets[scope]
			if !ok {
				continue
			}
			// In the home folder, the file of a project is that of the user.
			entry := strings.Join(append(d.Host.keys(t), d.Host.choose(t.files)), "\n")
			if !entries[entry] && d.checkScope(ctx, c, scope, t, stores) {
				here++
			}
			entries[entry] = true
		}
		if here == 0 {
			d.Report(Check{Client: c.Name, Name: "server", State: Warning, Text: "not registered", Fix: "hippo setup " + c.Name})
		}
		registered += here
	}
	d.checkOwn(ctx, stores)
	if registered == 0 {
		d.Report(Check{Name: "clients", State: Failure, Text: "no client has the server registered", Fix: "hippo setup"})
	}
}

// checkProgram checks that a shell finds this program, and that it stays where it is.
func (d *Doctor) checkProgram() {
	_, err := d.Host.FindProgram("hippo")
	other := d.Host.OtherProgram(d.Binary)
	c := Check{Name: "program", State: OK, Text: d.Binary + ", version " + d.Version}
	switch {
	case IsTemporary(d.Binary, os.TempDir()):
		c.State, c.Text, c.Fix = Warning, d.Binary+" is in a temporary folder", "install it where it stays, then: hippo setup"
	case err != nil:
		c.State, c.Text, c.Fix = Warning, "hippo is not on the PATH of this shell", "add "+filepath.Dir(d.Binary)+" to PATH; the clients use the full path and do not need it"
	case other != "":
		c.State, c.Text, c.Fix = Warning, "a shell finds another hippo first on the PATH: "+other+"; this one is "+d.Binary, "remove one of them, or change the order of PATH"
	}
	d.Report(c)
}

func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// checkScope checks what a client has registered in a scope; false if it has nothing.
func (d *Doctor) checkScope(ctx context.Context, c *Client, scope Scope, t target, stores map[string]bool) bool {
	report := func(k Check) {
		k.Client, k.Scope = c.Name, scope
		d.Report(k)
	}
	fix := "hippo setup " + c.Name
	if scope != User {
		fix += " --scope " + string(scope)
	}
	path := d.Host.choose(t.files)
	f, err := d.Host.readFile(path)
	if err == nil && f.Exists {
		_, err = c.serverEdit(d.Host, t, Command{}).Apply(f.Content)
	}
	if err != nil {
		report(Check{Name: "file", State: Failure, Text: path + ": " + err.Error(), Fix: "repair the file, then: " + fix})
		return true
	}
	e, ok := c.readEntry(f.Content, d.Host.keys(t))
	if !ok {
		return false
	}
	report(d.checkServer(ctx, e, fix))
	if k, ok := d.checkStore(ctx, e, stores); ok {
		report(k)
	}
	d.checkHooks(ctx, c, scope, e, fix, report)
	d.checkGuidance(c, scope, e, fix, report)
	return true
}

// checkServer starts the server.
func (d *Doctor) checkServer(ctx context.Context, e Entry, fix string) Check {
	if !filepath.IsAbs(e.Command) {
		path, err := d.Host.FindProgram(e.Command)
		if err != nil {
			return Check{Name: "server", State: Failure, Text: e.Command + " is not on the PATH", Fix: fix}
		}
		e.Command = path
		k := d.checkServer(ctx, e, fix)
		if k.State == OK {
			k.State, k.Text, k.Fix = Warning, k.Text+"; the command is not a full path, which a program with a window may not find", fix
		}
		return k
	}
	if info, err := os.Stat(e.Command); err != nil {
		return Check{Name: "server", State: Failure, Text: e.Command + " does not exist", Fix: fix}
	} else if d.Host.GOOS != "windows" && info.Mode().Perm()&0o111 == 0 {
		return Check{Name: "server", State: Failure, Text: e.Command + " is not executable", Fix: "chmod +x " + quote(e.Command, d.Host.GOOS)}
	}
	ctx, cancel := context.WithTimeout(ctx, d.Limit)
	defer cancel()
	got, err := probeServer(ctx, e, d.Host.Dir, d.environment(e.Env))
	switch {
	case err != nil:
		return Check{Name: "server", State: Failure, Text: e.Command + ": " + err.Error(), Fix: "try: " + strings.Join(append([]string{e.Command}, e.Args...), " ")}
	case got.version != d.Version:
		return Check{Name: "server", State: Warning, Text: fmt.Sprintf("%s is version %s, this is %s", e.Command, got.version, d.Version), Fix: fix}
	}
	return Check{Name: "server", State: OK, Text: fmt.Sprintf("%s answers: %d tools, and a search", e.Command, got.tools)}
}

// environment is what a program gets from a desktop: a short PATH, and no variables of a shell.
func (d *Doctor) environment(extra map[string]string) []string {
	path := "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
	if d.Host.GOOS == "windows" {
		path = d.Host.Env("PATH")
	}
	env := []string{"HOME=" + d.Host.Home, "USERPROFILE=" + d.Host.Home, "PATH=" + path}
	for _, name := range []string{"USER", "LOGNAME", "LANG", "TMPDIR", "TEMP", "TMP", "SystemRoot", "SystemDrive", "ComSpec", "PATHEXT", "APPDATA", "LOCALAPPDATA"} {
		if v := d.Host.Env(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	for name, v := range extra {
		env = append(env, name+"="+v)
	}
	return env
}

// checkStore checks the permissions of the store of an entry, and what is in the file of another program, once for
// each store.
func (d *Doctor) checkStore(ctx context.Context, e Entry, seen map[string]bool) (Check, bool) {
	if e.store() == "" || seen[e.store()] {
		return Check{}, false
	}
	seen[e.store()] = true
	s, err := config.ParseStore(e.store())
	if err != nil {
		return Check{Name: "store", State: Failure, Text: err.Error(), Fix: "hippo setup --store URL"}, true
	}
	info, err := os.Stat(s.Path)
	synced, isSynced := d.checkSynced(s)
	switch {
	case s.Remote():
		return Check{Name: "store", State: OK, Text: s.String() + " is on a server"}, true
	case s.Kind == "memory":
		return Check{Name: "store", State: Warning, Text: "it is kept in memory and ends with the session", Fix: "hippo setup --store sqlite:PATH"}, true
	case isSynced:
		return synced, true
	case err != nil:
		return Check{Name: "store", State: OK, Text: s.String() + " is empty: the first record creates it"}, true
	case d.Host.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 && !info.IsDir():
		return Check{Name: "store", State: Warning, Text: s.Path + " can be read by other users", Fix: "chmod 600 " + quote(s.Path, d.Host.GOOS)}, true
	case d.Unfit != nil && d.Unfit(s) != nil:
		return Check{Name: "store", State: Failure, Text: d.Unfit(s).Error()}, true
	case s.Kind == "shared" && d.Shared != nil:
		return d.checkShared(ctx, s), true
	case d.isUnmerged(ctx, s):
		return d.unmerged(s), true
	}
	return Check{Name: "store", State: OK, Text: s.String()}, true
}

// isUnmerged reports whether Git would merge a store by lines.
func (d *Doctor) isUnmerged(ctx context.Context, s config.Store) bool {
	return s.Kind == "dir" && d.Unmerged != nil && d.Unmerged(ctx, s.Path)
}

func (d *Doctor) unmerged(s config.Store) Check {
	return Check{
		Name: "store", State: Hint, Text: s.String() + " is under Git, which merges its files by lines: two votes on one memory are a conflict",
		Fix: "hippo merge-file --setup " + quote(s.Path, d.Host.GOOS),
	}
}

// checkShared checks the file of another program.
func (d *Doctor) checkShared(ctx context.Context, s config.Store) Check {
	ctx, cancel := context.WithTimeout(ctx, d.Limit)
	defer cancel()
	text, odd, err := d.Shared(ctx, s)
	switch {
	case err != nil:
		return Check{Name: "store", State: Failure, Text: s.String() + ": " + err.Error(), Fix: "hippo check --store " + quote(s.String(), d.Host.GOOS)}
	case len(odd) > 0:
		return Check{Name: "store", State: Hint, Text: s.String() + ", " + text + "; odd: " + strings.Join(odd, "; ")}
	default:
		return Check{Name: "store", State: OK, Text: s.String() + ", " + text}
	}
}

// checkHooks runs each hook that is registered.
func (d *Doctor) checkHooks(ctx context.Context, c *Client, scope Scope, e Entry, fix string, report func(Check)) {
	t, ok := c.hooks.targets[scope]
	if !ok {
		return
	}
	path := d.Host.choose(t.files)
	f, err := d.Host.readFile(path)
	if err != nil {
		report(Check{Name: "hooks", State: Failure, Text: path + ": " + err.Error(), Fix: "repair the file, then: " + fix})
		return
	}
	commands := c.hookCommands(f.Content, d.Host.GOOS, e)
	if len(commands) == 0 {
		k := Check{Name: "hooks", State: Warning, Text: "none registered: nothing is recalled or recorded unprompted", Fix: fix}
		if !d.Hooks {
			k.Text, k.Fix = "none registered: this hippo has no command hook", "update hippo, then: "+fix
		}
		report(k)
		return
	}
	if command, err := d.runHooks(ctx, commands); err != nil {
		k := Check{Name: "hooks", State: Failure, Text: command + ": " + err.Error()}
		if _, logged := errors.AsType[*loggedError](err); !logged {
			k.Fix = "update hippo, then: " + fix
		}
		report(k)
		return
	}
	k := Check{Name: "hooks", State: OK, Text: fmt.Sprintf("%d run", len(commands))}
	if c.Name == "codex" && !d.codexTrusts(f.Path, f.Content, c.hooks.events) {
		k.State, k.Text, k.Fix = Hint, k.Text+"; codex runs each after you trust it", "start codex once, and trust the hooks when it asks, or under /hooks"
	}
	report(k)
}

// runHooks runs commands in a state folder of their own, so that the sample leaves nothing
// behind. It returns the first one that fails. A hook ends with exit code 0 even if it fails, and
// writes the reason to its log.
func (d *Doctor) runHooks(ctx context.Context, commands []string) (failed string, err error) {
	state, err := os.MkdirTemp("", "hippo-doctor-")
	if err != nil {
		return "hooks", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(state)) }()
	env := append(d.environment(nil), "XDG_STATE_HOME="+state)
	for _, command := range commands {
		limited, cancel := context.WithTimeout(ctx, d.Limit)
		err := probeHook(limited, d.Host.GOOS, command, d.Host.Dir, env)
		cancel()
		if err != nil {
			return command, err
		}
		log, err := os.ReadFile(filepath.Join(state, "hippo", "hook.log"))
		if at := bytes.Index(log, []byte("level=ERROR")); err == nil && at >= 0 {
			return command, &loggedError{string(bytes.TrimSpace(log[at:]))}
		}
	}
	return "", nil
}

// loggedError is what a hook wrote to its log: it runs, and its store or settings are wrong, which another check is about.
type loggedError struct{ line string }

func (e *loggedError) Error() string { return "its log says: " + e.line }

// hookCommands returns the commands of the hooks in a file that setup wrote.
func (c *Client) hookCommands(text []byte, goos string, e Entry) []string {
	var out []string
	if c.hooks.script != nil {
		if c.hookEdits(goos, Command{})[0].Has(text) {
			for _, ev := range c.hooks.events {
				out = append(out, c.shellCommand(ev, goos, Command{Binary: e.Command, Store: e.store()}))
			}
		}
		return out
	}
	for _, ev := range c.hooks.events {
		for _, command := range commandsIn(splice.Value(text, []string{"hooks", ev.name})) {
			if isHookCommand(command) {
				out = append(out, command)
			}
		}
	}
	return out
}

// checkGuidance checks that the instructions are there, and those of this version.
func (d *Doctor) checkGuidance(c *Client, scope Scope, e Entry, fix string, report func(Check)) {
	if _, ok := c.guidance[scope]; !ok {
		return
	}
	p := NewPlanner(d.Host, &Options{Scope: scope, Command: Command{Binary: e.Command, Store: e.store()}})
	files, err := p.files(c, scope)
	if err != nil {
		return
	}
	k := Check{Name: "guidance", State: OK, Text: "there"}
	for _, f := range files {
		if !slices.ContainsFunc(f.edits, isGuidance) {
			continue
		}
		text, err := d.Host.readFile(f.path)
		change := Change{edits: f.edits}
		switch {
		case err != nil:
			k = Check{Name: "guidance", State: Failure, Text: f.path + ": " + err.Error(), Fix: "repair the file, then: " + fix}
		case !change.has(text.Content):
			k = Check{Name: "guidance", State: Warning, Text: f.path + " does not have it", Fix: fix}
		default:
			if next, err := applyAll(f.edits, text.Content); err != nil || string(next) != string(text.Content) {
				k = Check{Name: "guidance", State: Warning, Text: f.path + " has that of another version", Fix: fix}
			}
		}
		if k.State != OK {
			break
		}
	}
	report(k)
}

// isGuidance reports whether an edit writes instructions.
func isGuidance(e splice.Edit) bool {
	switch x := e.(type) {
	case splice.Block:
		return true
	case splice.Whole:
		return x.Mark == guidanceMark
	default:
		return false
	}
}
