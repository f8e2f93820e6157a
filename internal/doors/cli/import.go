package cli

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/importer/peers"
	"github.com/hippo-memory/hippo/internal/store"
)

// importFlags are the flags of hippo import.
type importFlags struct {
	dryRun  bool
	columns string
	as      string
	secrets bool
	noEmbed bool
	again   bool
}

func newImportCommand(s *shell) *cobra.Command {
	var f importFlags
	c := &cobra.Command{
		Use:   "import PATH",
		Short: "Import memories from another memory program, or documents",
		Long: `Import memories of other programs and of older versions. The format of a file or directory is recognised by its content; - reads
stdin. These formats are supported:

  ` + strings.ReplaceAll(peers.KnownKinds, "; ", ";\n  ") + `.

Importing the same source again adds no duplicates. Memories that changed in the source are updated, and memories that a file or folder no
longer contains are forgotten, unless they were changed here. What was forgotten or purged here stays that way. An import is one operation,
which hippo undo reverts. The source is never written to.`,
		Example: `  hippo import ~/.claude-mem/claude-mem.db --dry-run
  hippo import notes.csv --map content=text,tags=labels
  hippo import CLAUDE.md`,
		Args: oneArgument("a path"),
		RunE: func(c *cobra.Command, args []string) error { return runImport(c.Context(), s, f, args[0]) },
	}
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "show what would be added, updated and left out; store nothing")
	c.Flags().StringVar(&f.columns, "map", "", "read a CSV file: `FIELD=COLUMN,...`, such as content=text,tags=labels")
	c.Flags().BoolVar(&f.secrets, "allow-secret", false, "also import text that looks like a secret")
	c.Flags().BoolVar(&f.again, "again", false, "bring back what was forgotten or purged")
	addReason(s, c.Flags())
	c.Flags().BoolVar(&f.noEmbed, "no-embed", false, "leave the embedding to later commands and servers")
	c.Flags().StringVar(&f.as, "as", "", "how to read a text file: notes (one memory per list item), markdown or text (documents)")
	return c
}

func runImport(ctx context.Context, s *shell, f importFlags, path string) (err error) {
	cfg, err := s.config()
	if err != nil {
		return err
	}
	o, err := f.options(ctx, cfg)
	if err != nil {
		return err
	}
	src, done, err := openSource(ctx, s, path, o)
	defer func() { err = errors.Join(err, done()) }()
	if err != nil {
		return sourceError{err}
	}
	if f.dryRun && errors.Is(exists(cfg.Store), hippo.ErrNotFound) {
		cfg.Store = config.Store{Kind: "memory"} // opening it would make it
	}
	left := 0
	defer func() { sayUnembedded(s, cfg, left) }()
	return s.withEngine(ctx, cfg, func(m *engine.Memories) error {
		m = engine.As(m, hippo.Operation{By: hippo.Source{Kind: hippo.SourceUser, Client: "hippo"}, Reason: s.reason})
		to, err := newFiling(ctx, s, cfg, m, src.Kind)
		if err != nil {
			return err
		}
		t := m.Transfer().At(src.Place).AllowSecretsOf(src.SecretAllowed).Logged(originOf(path, src))
		if f.again {
			t = t.Again()
		}
		if f.secrets {
			t = t.AllowSecrets()
		}
		shown := importPreview{}
		visit := to.visit
		if f.dryRun {
			t = t.Preview()
			visit = func(o store.Outcome, m *hippo.Memory) { to.visit(o, m); shown.visit(o, m) }
		}
		r, err := importFrom(ctx, s, t.Visit(visit), export{calendar: src.Calendar, count: src.Count, memories: to.place(src.Entries())})
		report := imported{ImportReport: r, kind: src.Kind, path: path, dryRun: f.dryRun, preview: shown, filing: to}
		report.elsewhere = to.elsewhere(ctx, m)
		if report.relations = len(src.Relations()); err == nil && !f.dryRun {
			report.relations, err = t.ImportRelations(ctx, src.Relations())
		}
		report.skipped = src.Skipped()
		err = printImported(ctx, s, report, err)
		if r.Added > 0 && !f.dryRun && ctx.Err() == nil {
			err = errors.Join(err, offer(ctx, s, m))
		}
		if err == nil && !f.dryRun && !f.noEmbed {
			left = embedImported(ctx, s, m)
		}
		return err
	})
}

// originOf returns where an import is from. What stdin says is no file that is read again.
func originOf(path string, src *formats.Source) engine.Origin {
	if path == "-" {
		return engine.Origin{Path: "stdin"}
	}
	full, err := config.Expand("file", path)
	if err == nil {
		full, err = filepath.Abs(full)
	}
	if err != nil {
		return engine.Origin{}
	}
	return engine.Origin{Path: filepath.ToSlash(full), Whole: src.Whole}
}

// sourceError is the error of a source that cannot be read: the advice about a store that is damaged, or lacks a memory, is not
// for it.
type sourceError struct{ error }

func (e sourceError) Unwrap() error { return e.error }

// options returns how to read the source.
func (f *importFlags) options(ctx context.Context, cfg config.Config) (o peers.Options, err error) {
	if f.columns != "" {
		if o.Map, err = peers.ParseMap(f.columns); err != nil {
			return o, err
		}
	}
	switch o.As = formats.Kind(f.as); o.As {
	case "", peers.KindNotes, peers.KindMarkdown, peers.KindText:
	default:
		return o, hippo.Fieldf("as", "must be %s, %s or %s, got %q", peers.KindNotes, peers.KindMarkdown, peers.KindText, f.as)
	}
	switch cfg.Project {
	case "", hippo.AllProjects:
		o.Identify = func(dir string) string { return identify(ctx, dir).Name }
	case noProject:
	default:
		o.Project = cfg.Project
	}
	return o, nil
}

// openSource opens a source, and returns what to do after it was read. What a stream holds is
// detected from its beginning. One that has to be read more than once is copied to a file.
func openSource(ctx context.Context, s *shell, path string, o peers.Options) (src *formats.Source, done func() error, err error) {
	done = func() error { return nil }
	if path != "-" {
		full, err := config.Expand("file", path)
		if err != nil {
			return nil, done, err
		}
		src, err = peers.Open(ctx, full, o)
		if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("%w: there is no file or directory %s; - reads stdin", hippo.ErrNotFound, full)
		}
		return src, done, err
	}
	in := bufio.NewReaderSize(s.in, peers.SniffLength)
	if head, err := in.Peek(peers.SniffLength); (err == nil || errors.Is(err, io.EOF)) && peers.IsOwn(head, o) {
		src, err = formats.Read(in)
		return src, done, err
	}
	dir, err := os.MkdirTemp("", "hippo-import-")
	if err != nil {
		return nil, done, err
	}
	done = func() error { return os.RemoveAll(dir) }
	file := filepath.Join(dir, "stdin")
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		sum := sha256.New()
		_, err = io.Copy(io.MultiWriter(f, sum), in)
		err = errors.Join(err, f.Close())
		o.URI = "stdin:" + hex.EncodeToString(sum.Sum(nil)[:8]) // the same again is the same source
	}
	if err == nil {
		src, err = peers.Open(ctx, file, o)
	}
	return src, done, err
}

// maxShown is the number of rejections, and of memories of a preview, that are printed; all are
// counted.
const maxShown = 20

// maxListed is the number of memories of a preview that are listed as JSON.
const maxListed = 1000

// importPreview collects what an import would do, by outcome.
type importPreview map[store.Outcome][]previewed

// previewed is a memory of a preview.
type previewed struct {
	Outcome string   `json:"outcome"`
	ID      hippo.ID `json:"uuid"`
	Type    string   `json:"type,omitempty"`
	Content string   `json:"content"`
}

func (p importPreview) visit(o store.Outcome, m *hippo.Memory) {
	if name := outcomeName(o); name != "" && len(p[o]) < maxListed {
		p[o] = append(p[o], previewed{name, m.ID, m.Type, shortText(m.Content)})
	}
}

func shortText(text string) string {
	const most = 200
	return formats.Shorten(strings.Join(strings.Fields(text), " "), most)
}

// outcomeName names what a preview lists; empty for another outcome.
func outcomeName(o store.Outcome) string {
	switch o {
	case store.Added:
		return "add"
	case store.Updated:
		return "update"
	case store.Kept:
		return "keep"
	default:
		return ""
	}
}

// imported is the outcome of an import.
type imported struct {
	api.ImportReport
	kind      formats.Kind
	path      string
	dryRun    bool
	preview   importPreview
	relations int
	skipped   []formats.Skipped
	filing    *filing
	elsewhere int
}

// printImported prints the outcome of an import that ended with err.
func printImported(ctx context.Context, s *shell, r imported, err error) error {
	if ctx.Err() != nil {
		return &interruptedError{r.Added}
	}
	if errors.Is(err, hippo.ErrUnavailable) {
		err = fmt.Errorf("%w; run it again to go on: what is stored is not added twice", err)
	}
	return errors.Join(printReport(s, r), err)
}

// printReport prints the outcome of an import; rejections make it an error.
func printReport(s *shell, r imported) error {
	if s.json {
		if err := s.printJSON(r.json()); err != nil {
			return err
		}
	} else {
		r.print(s)
	}
	for _, x := range r.Rejected[:min(len(r.Rejected), maxShown)] {
		fmt.Fprintf(s.errw, "rejected: %s\n", termtext.Line(x.Err.Error()))
	}
	if len(r.Rejected) == 0 {
		return nil
	}
	others := r.Added + r.Updated + r.Present + r.Kept + r.Forgotten + r.Purged
	if others == 0 {
		return fmt.Errorf("all %d entries were rejected", len(r.Rejected))
	}
	rest := "the others are stored"
	if r.dryRun {
		rest = "the others can be stored"
	}
	return fmt.Errorf("%d of %d entries were rejected; %s", len(r.Rejected), others+len(r.Rejected), rest)
}

func (r *imported) json() map[string]any {
	rejected := make([]string, len(r.Rejected))
	for i, x := range r.Rejected {
		rejected[i] = x.Err.Error()
	}
	out := map[string]any{
		"kind": r.kind, "added": r.Added, "updated": r.Updated, "present": r.Present, "kept": r.Kept,
		"relations": r.relations, "rejected": rejected, "left_out": r.skipped,
		"gone": r.Gone, "stale": r.Stale, "forgotten": r.Forgotten, "purged": r.Purged, "projects": r.filing.report(),
	}
	if !r.Operation.IsZero() && !r.dryRun {
		out["operation"] = r.Operation
	}
	if r.dryRun {
		listed := []previewed{}
		for _, o := range []store.Outcome{store.Added, store.Updated, store.Kept} {
			listed = append(listed, r.preview[o]...)
		}
		out["dry_run"], out["memories"] = true, listed
	}
	return out
}

func (r *imported) print(s *shell) {
	for _, o := range []store.Outcome{store.Added, store.Updated, store.Kept} {
		list := r.preview[o]
		for _, p := range list[:min(len(list), maxShown)] {
			fmt.Fprintf(s.out, "%-6s  %s\n", p.Outcome, termtext.Line(p.line()))
		}
		if n := r.count(o) - maxShown; n > 0 && len(list) > maxShown {
			fmt.Fprintf(s.out, "%-6s  ... and %d more\n", outcomeName(o), n)
		}
	}
	fmt.Fprintf(s.out, "%s: %s, %d rejected\n", r.kind, strings.Join(r.counts(), ", "), len(r.Rejected))
	if r.Forgotten+r.Purged > 0 {
		fmt.Fprintf(s.errw, "try: hippo import %s --again brings back what was forgotten or purged here\n", termtext.Argument(r.path))
	}
	if !r.Operation.IsZero() && !r.dryRun {
		fmt.Fprintf(s.errw, "hippo undo %s takes this import back\n", r.Operation.Short())
	}
	r.filing.say(s)
	if r.elsewhere > 0 {
		s.warn("%d are already here in other projects and stay there; hippo project move ID --to current moves one here", r.elsewhere)
	}
	for _, x := range r.skipped {
		fmt.Fprintf(s.out, "left out: %d %s\n", x.Count, termtext.Line(x.What))
	}
}

// counts says in words how many memories became what.
func (r *imported) counts() []string {
	words := []struct {
		n           int
		done, would string
		always      bool
	}{
		{r.Added, "%d added", "would add %d", true},
		{r.Updated, "%d changed", "change %d", r.dryRun || r.Gone > 0},
		{r.Gone, "%d gone from the source and forgotten", "forget %d that the source does not say any more", false},
		{r.Present, "%d already here", "%d already here", true},
		{r.Kept, "%d changed here and kept", "%d changed here and kept", false},
		{r.Stale, "%d gone from the source, but changed here and kept", "%d gone from the source, but changed here and kept", false},
		{r.Forgotten, "%d forgotten here, and left so", "%d forgotten here, and left so", false},
		{r.Purged, "%d purged here, and left so", "%d purged here, and left so", false},
	}
	var out []string
	for _, w := range words {
		format := w.done
		if r.dryRun {
			format = w.would
		}
		if w.n > 0 || w.always {
			out = append(out, fmt.Sprintf(format, w.n))
		}
	}
	return out
}

func (r *imported) count(o store.Outcome) int {
	return map[store.Outcome]int{store.Added: r.Added, store.Updated: r.Updated, store.Kept: r.Kept}[o]
}

// line is a memory in the list of a preview.
func (p previewed) line() string {
	if p.Type == "" {
		return p.Content
	}
	return p.Type + ": " + p.Content
}
