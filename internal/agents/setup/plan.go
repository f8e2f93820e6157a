package setup

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/agents/setup/splice"
)

// Options say what to set up.
type Options struct {
	Scope   Scope
	Command Command
	// KeepStore: an entry that names a store keeps it, instead of getting that of Command.
	KeepStore bool
	Hooks     bool
	Remove    bool
}

// Plan is what setup does for a client.
type Plan struct {
	Client  *Client
	Changes []Change
	// Notes are what is left to the user.
	Notes []string
	// Replaces says what the entry of another program starts that has our name and is replaced, for a sentence; empty: there is
	// none. The user is asked first; see [Plan.Decline].
	Replaces string
	// Err says why the client cannot be set up; then there are no changes.
	Err error
}

// Same reports whether there is nothing to do.
func (p *Plan) Same() bool {
	return p.Err == nil && !slices.ContainsFunc(p.Changes, func(c Change) bool { return !c.Same() })
}

// Planner plans for several clients, some of which share files.
type Planner struct {
	host *Host
	opts Options
	// planned are the texts of files after the plans so far, by resolved path.
	planned map[string][]byte
}

// NewPlanner returns a planner.
func NewPlanner(h *Host, o *Options) *Planner {
	return &Planner{host: h, opts: *o, planned: make(map[string][]byte)}
}

// Plan returns what to do for a client; it changes nothing.
func (p *Planner) Plan(c *Client) Plan {
	plan := Plan{Client: c}
	files, err := p.filesWithOthers(c)
	if err == nil {
		plan.Changes, err = p.changes(files)
	}
	if err != nil {
		plan.Changes, plan.Err = nil, err
		return plan
	}
	if !p.opts.Remove && !plan.Same() {
		plan.Notes, plan.Replaces = c.notesFor(p.opts), p.foreign(c)
	}
	return plan
}

// notesFor returns what is left to the user after a change.
func (c *Client) notesFor(o Options) []string {
	notes := slices.Concat(c.notes[""], c.notes[o.Scope])
	if o.Hooks && c.hooks.note != "" {
		notes = append(notes, c.hooks.note)
	}
	for _, f := range []struct {
		what        string
		unconfirmed bool
	}{
		{"server", c.server.targets[o.Scope].unconfirmed}, {"hooks", o.Hooks && c.hooks.targets[o.Scope].unconfirmed}, {"guidance", c.guidance[o.Scope].unconfirmed},
	} {
		if f.unconfirmed {
			notes = append(notes, "its documents do not name the file of the "+f.what+": check that it is read")
		}
	}
	if o.Scope == Project {
		notes = append(notes, "the files name paths of this machine: keep them out of the repository, or edit them")
	}
	return notes
}

// fileEdits are the edits of a file; see [Change].
type fileEdits struct {
	path                string
	edits, drop, others []splice.Edit
	folders             []string
}

// filesWithOthers returns the files of a client in the scope of the options, and which edits of its
// other scopes they may have.
func (p *Planner) filesWithOthers(c *Client) ([]fileEdits, error) {
	out, err := p.files(c, p.opts.Scope)
	if err != nil {
		return nil, err
	}
	for _, scope := range Scopes() {
		if scope == p.opts.Scope || !c.Has(scope) {
			continue
		}
		others, err := p.files(c, scope)
		if err != nil {
			return nil, err
		}
		for _, o := range others {
			if i := slices.IndexFunc(out, func(f fileEdits) bool { return f.path == o.path }); i >= 0 {
				out[i].others = slices.Concat(out[i].others, o.edits, o.drop)
			}
		}
	}
	return out, nil
}

// files returns the files of a client in a scope, with their edits.
func (p *Planner) files(c *Client, scope Scope) ([]fileEdits, error) {
	t, ok := c.server.targets[scope]
	if !ok {
		return nil, fmt.Errorf("%s has no scope %s: want %s", c.Title, scope, strings.Join(c.scopes(), " or "))
	}
	path := p.host.choose(t.files)
	cmd := p.command(c, path, t)
	out := []fileEdits{p.fileOf(c, t.files, path, c.serverEdit(p.host, t, cmd))}
	if t, ok := c.hooks.targets[scope]; ok {
		hooks := p.fileOf(c, t.files, p.host.choose(t.files), c.hookEdits(p.host.GOOS, cmd)...)
		if !p.opts.Hooks && !p.opts.Remove {
			hooks.edits, hooks.drop = nil, hooks.edits
		}
		out = append(out, hooks)
	}
	if g, ok := c.guidance[scope]; ok {
		out = append(out, p.guidanceFiles(c, g)...)
	}
	if a, ok := c.approvals[scope]; ok {
		out = append(out, p.fileOf(c, a.files, p.host.choose(a.files), a.edits()...))
	}
	return merged(out), nil
}

// guidanceFiles returns the files of the instructions.
func (p *Planner) guidanceFiles(c *Client, g guidance) (out []fileEdits) {
	text := Guidance()
	if g.text != "" {
		out = append(out, p.fileOf(c, []string{g.text}, p.host.expand(g.text), splice.Whole{Text: text, Mark: guidanceMark}))
		text = "@" + g.ref
	}
	edit := splice.Edit(splice.Block{Text: block(text)})
	switch {
	case g.form != nil:
		edit = splice.Whole{Text: g.form(text), Mark: guidanceMark}
	case g.own:
		edit = splice.Whole{Text: g.header + text, Mark: guidanceMark}
	}
	return append(out, p.fileOf(c, g.files, p.host.choose(g.files), edit))
}

// guidanceMark is in every file of instructions that belongs to us alone.
const guidanceMark = "# Memory: Hippo"

// merged joins the edits of one file, such as settings that hold servers and hooks.
func merged(files []fileEdits) []fileEdits {
	var out []fileEdits
	for _, f := range files {
		i := slices.IndexFunc(out, func(o fileEdits) bool { return o.path == f.path })
		if i < 0 {
			out = append(out, f)
			continue
		}
		out[i].edits, out[i].drop = append(out[i].edits, f.edits...), append(out[i].drop, f.drop...)
	}
	return out
}

func (p *Planner) fileOf(c *Client, templates []string, path string, edits ...splice.Edit) fileEdits {
	return fileEdits{path: path, edits: edits, folders: p.host.foldersOf(c, templates[len(templates)-1], path)}
}

// foldersOf returns the folders of a file that setup may have to create, innermost first: up
// to one that shows that the client is installed.
func (h *Host) foldersOf(c *Client, template, path string) []string {
	root, _, _ := strings.Cut(template, "}")
	stop := []string{h.expand(root + "}")}
	for _, t := range c.traces {
		stop = append(stop, h.expand(t))
	}
	var out []string
	for dir := filepath.Dir(path); !slices.Contains(stop, dir) && strings.HasPrefix(dir, stop[0]); dir = filepath.Dir(dir) {
		out = append(out, dir)
	}
	return out
}

// scopes returns the names of the scopes that a client has.
func (c *Client) scopes() []string {
	var out []string
	for _, s := range Scopes() {
		if _, ok := c.server.targets[s]; ok {
			out = append(out, string(s))
		}
	}
	return out
}

// changes plans the edits of all files, of none if one cannot be edited.
func (p *Planner) changes(files []fileEdits) ([]Change, error) {
	out := make([]Change, 0, len(files))
	after := make(map[string][]byte)
	for _, e := range files {
		f, err := p.host.readFile(e.path)
		if err != nil {
			return nil, err
		}
		if text, ok := p.planned[f.Path]; ok {
			f.Content, f.Exists = text, text != nil
		}
		c := Change{Path: e.path, host: p.host, edits: e.edits, drop: e.drop, others: e.others, remove: p.opts.Remove, folders: e.folders, Before: f.Content}
		if len(c.edits) == 0 { // a file of hooks alone
			c.edits, c.drop, c.remove = c.drop, nil, true
		}
		if f.Exists && c.Before == nil {
			c.Before = []byte{}
		}
		if c.After, err = c.next(&f); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
		after[f.Path] = c.After
		out = append(out, c)
	}
	maps.Copy(p.planned, after)
	return out, nil
}

// command returns what to register: with the store of an entry that is there, if the user
// named none.
func (p *Planner) command(c *Client, path string, t target) Command {
	cmd := p.opts.Command
	if !p.opts.KeepStore {
		return cmd
	}
	if f, err := p.host.readFile(path); err == nil {
		if e, ok := c.readEntry(f.Content, p.host.keys(t)); ok && e.store() != "" {
			cmd.Store = e.store()
		}
	}
	return cmd
}

// keys returns where the entry of the server stands.
func (h *Host) keys(t target) []string {
	keys := make([]string, 0, len(t.keys)+1)
	for _, k := range t.keys {
		if k == "{project}" {
			k = h.Dir
		}
		keys = append(keys, k)
	}
	return append(keys, ServerName)
}

// serverEdit returns the edit that registers the server.
func (c *Client) serverEdit(h *Host, t target, cmd Command) splice.Edit {
	path := h.keys(t)
	if c.server.entry != nil {
		return splice.Member{Dialect: c.server.dialect, Path: path, Value: c.server.entry(cmd), Ours: written}
	}
	return splice.Table{Path: path, Ours: written, Keys: []splice.Key{
		{Name: "command", Value: cmd.Binary}, {Name: "args", Value: cmd.args()}, {Name: "startup_timeout_sec", Value: startTimeout},
	}}
}

// versionKey is the key of the version of the format in a file of hooks.
const versionKey = "version"

// hookEdits returns the edits that register the hooks.
func (c *Client) hookEdits(goos string, cmd Command) []splice.Edit {
	if c.hooks.script != nil {
		return []splice.Edit{splice.Whole{Text: c.hooks.script(cmd), Mark: scriptMark}}
	}
	var out []splice.Edit
	if c.hooks.version > 0 {
		out = append(out, splice.Member{Dialect: c.hooks.dialect, Path: []string{versionKey}, Value: c.hooks.version, Default: true, Ours: func([]byte) bool { return false }})
	}
	for _, e := range c.hooks.events {
		out = append(out, splice.Element{
			Dialect: c.hooks.dialect, Path: []string{"hooks", e.name}, Value: c.hooks.entry(e, c.shellCommand(e, goos, cmd)), Ours: isHook,
		})
	}
	return out
}

// shellCommand returns the line that a client gives to a shell for a hook.
func (c *Client) shellCommand(e event, goos string, cmd Command) string {
	return strings.Join([]string{quote(cmd.Binary, goos), "hook", e.command, "--client", c.Name, "--store", quote(cmd.Store, goos)}, " ")
}

// quote quotes a word for the shell of a system, if it must be. On Windows double quotes are
// those of cmd, PowerShell and Git Bash.
func quote(word, goos string) string {
	switch {
	case regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`).MatchString(word):
		return word
	case goos == "windows":
		return `"` + word + `"`
	default:
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
}

// isHook reports whether an element of a list of hooks was written by setup: all its commands
// are hooks of ours.
func isHook(element []byte) bool {
	commands := commandsIn(element)
	return len(commands) > 0 && !slices.ContainsFunc(commands, func(c string) bool { return !isHookCommand(c) })
}

// isHookCommand reports whether a command is a hook of ours.
func isHookCommand(command string) bool {
	return regexp.MustCompile(`\bhook (session-start|user-prompt|pre-tool|post-tool|subagent-start|pre-compact|stop|subagent-stop|session-end) --client [a-z-]+\b`).MatchString(command)
}

// commandsIn returns the texts at all keys "command" in a JSON value.
func commandsIn(raw []byte) []string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	var out []string
	var walk func(v any)
	walk = func(v any) {
		switch x := v.(type) {
		case []any:
			for _, e := range x {
				walk(e)
			}
		case map[string]any:
			for key, e := range x {
				if s, ok := e.(string); ok && key == "command" {
					out = append(out, s)
				}
				walk(e)
			}
		}
	}
	walk(v)
	return out
}
