package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/importer"
)

// importFlags are the flags of hippo import.
type importFlags struct {
	dryRun    bool
	columns   string
	as        string
	secrets   bool
	noEmbed   bool
	bringBack bool
}

func newImportCommand(s *shell) *cobra.Command {
	var f importFlags
	c := &cobra.Command{
		Use:   "import PATH",
		Short: "Import memories from another memory program, or documents",
		Long: `Import memories of other programs and of older versions. The format of a file or directory is recognised by its content; - reads
stdin. These formats are supported:

  ` + strings.Join(importer.Kinds(), ";\n  ") + `.

Importing the same source again adds no duplicates. Memories that changed in the source are updated, and memories that a file or folder no
longer contains are forgotten, unless they were changed here. What was forgotten or purged here stays that way. An export of Hippo also brings
edits, votes and forgetting that are newer than what is here. An import is one operation, which hippo undo reverts. The source is never
written to.`,
		Example: `  hippo import ~/.claude-mem/claude-mem.db --dry-run
  hippo import notes.csv --map content=text,tags=labels
  hippo import CLAUDE.md`,
		Args: oneArgument("a path"),
		RunE: func(c *cobra.Command, args []string) error { return runImport(c.Context(), s, f, args[0]) },
	}
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "show what would be added, updated and left out; store nothing")
	c.Flags().StringVar(&f.columns, "map", "", "read a CSV file: `FIELD=COLUMN,...`, such as content=text,tags=labels")
	c.Flags().BoolVar(&f.secrets, "allow-secret", false, "also import text that looks like a secret")
	also(c.Flags(), "allow-secret", "allow-secrets")
	c.Flags().BoolVar(&f.bringBack, "bring-back", false, "bring back what was forgotten or purged")
	also(c.Flags(), "bring-back", "again")
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
	src, err := f.open(ctx, s, cfg, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	if f.dryRun && errors.Is(exists(cfg.Store), hippo.ErrNotFound) {
		cfg.Store = config.Store{Kind: "memory"} // opening it would make it
	}
	left := 0
	defer func() { sayUnembedded(s, cfg, left) }()
	return s.withEngine(ctx, cfg, func(m *engine.Memories) error {
		m = engine.As(m, hippo.Operation{By: hippo.Source{Kind: hippo.SourceUser, Client: "hippo"}, Reason: s.reason})
		how, name := givenProject(s)
		o := &importer.Options{Preview: f.dryRun, BringBack: f.bringBack, Secrets: f.secrets, Project: name}
		if how >= memory.NamesNone {
			cfg.Project = "" // the flag says where it all goes
		}
		o.Here = app.Project(ctx, cfg, ".")
		bar := newBar(s, src.Count, "importing")
		o.Progress = bar.at
		r, err := src.Import(ctx, m, o)
		bar.finish()
		if r == nil {
			return err
		}
		err = printImported(ctx, s, imported{Report: r, path: path, dryRun: f.dryRun, bringBack: f.bringBack}, err)
		if r.Added > 0 && !f.dryRun && ctx.Err() == nil {
			err = errors.Join(err, offer(ctx, s, m))
		}
		if err == nil && !f.dryRun && !f.noEmbed {
			left = embedImported(ctx, s, m)
		}
		return err
	})
}

// sourceError is the error of a source that cannot be read: the advice about a store that is damaged, or lacks a memory, is not
// for it.
type sourceError struct{ error }

func (e sourceError) Unwrap() error { return e.error }

// open opens the source. Memories whose source names no project belong to the one of the setting, or else to that of their folder.
func (f *importFlags) open(ctx context.Context, s *shell, cfg config.Config, path string) (*importer.Source, error) {
	r, err := importer.NewReading(f.columns, f.as)
	if err != nil {
		return nil, err
	}
	how, name := memory.ReadProject(cfg.Project)
	if r.Project = name; name == "" && how != memory.NamesNone {
		r.Identify = func(dir string) string { return app.ProjectOf(ctx, dir).Name }
	}
	src, err := r.Open(ctx, path, s.in)
	if err != nil {
		return nil, sourceError{err}
	}
	return src, nil
}

// maxShown is the number of rejections, and of memories of a preview, that are printed; all are
// counted.
const maxShown = 20

// imported is the outcome of an import.
type imported struct {
	*importer.Report
	path              string
	dryRun, bringBack bool
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
		"kind": r.Kind, "added": r.Added, "updated": r.Updated, "present": r.Present, "kept": r.Kept,
		"relations": r.Relations, "rejected": rejected, "left_out": r.Skipped,
		"gone": r.Gone, "stale": r.Stale, "forgotten": r.Forgotten, "purged": r.Purged, "projects": r.Projects,
	}
	if !r.Operation.IsZero() && !r.dryRun {
		out["operation"] = r.Operation
	}
	if r.dryRun {
		out["dry_run"], out["memories"] = true, append([]importer.Previewed{}, r.Memories...)
	}
	return out
}

func (r *imported) print(s *shell) {
	for _, o := range importer.Outcomes() {
		r.printPreview(s, o)
	}
	fmt.Fprintf(s.out, "%s: %s, %d rejected\n", r.Kind, strings.Join(r.counts(), ", "), len(r.Rejected))
	switch {
	case r.bringBack && r.Purged > 0:
		s.warn("what was purged in a store that syncs is purged on all its machines for good; to have the text again, record it anew")
	case r.Forgotten+r.Purged > 0:
		fmt.Fprintf(s.errw, "try: hippo import %s --bring-back brings back what was forgotten or purged here\n", termtext.Argument(r.path))
	}
	if !r.Operation.IsZero() && !r.dryRun {
		fmt.Fprintf(s.errw, "hippo undo %s takes this import back\n", r.Operation.Short())
	}
	if r.Kept > 0 && r.OfStore() && !r.dryRun {
		fmt.Fprintln(s.errw, "try: hippo log shows the versions that were left out; hippo undo takes one of them")
	}
	printFiled(s, r.Projects)
	if r.Elsewhere > 0 {
		s.warn("%d are already here in other projects and stay there; hippo project move ID --to current moves one here", r.Elsewhere)
	}
	for _, x := range r.Skipped {
		fmt.Fprintf(s.out, "left out: %d %s\n", x.Count, termtext.Line(x.What))
	}
}

// printPreview prints the memories of an outcome.
func (r *imported) printPreview(s *shell, o importer.Outcome) {
	shown := 0
	for _, p := range r.Memories {
		if p.Outcome != o {
			continue
		}
		if shown == maxShown {
			fmt.Fprintf(s.out, "%-6s  ... and %d more\n", o, r.Count(o)-maxShown)
			return
		}
		text := p.Content
		if p.Type != "" {
			text = p.Type + ": " + text
		}
		fmt.Fprintf(s.out, "%-6s  %s\n", o, termtext.Line(text))
		shown++
	}
}

// printFiled says where memories went.
func printFiled(s *shell, list []importer.Filed) {
	for _, x := range list[:min(len(list), maxShown)] {
		if !x.Untold {
			fmt.Fprintf(s.errw, "project %s: %d of %s\n", projectName(x.Project), x.Memories, termtext.Line(strings.Join(x.Names, ", ")))
			continue
		}
		fmt.Fprintf(s.errw, "project %s: %d, under the name that the source has, since no known repository is called so; in its repository, hippo project merge %[1]s current files them\n",
			termtext.Argument(x.Project), x.Memories)
	}
}

// counts says in words how many memories became what.
func (r *imported) counts() []string {
	kept := "%d changed here and kept"
	if r.OfStore() {
		kept = "%d newer here and kept"
	}
	words := []struct {
		n           int
		done, would string
		always      bool
	}{
		{r.Added, "%d added", "would add %d", true},
		{r.Updated, "%d changed", "change %d", r.dryRun || r.Gone > 0},
		{r.Gone, "%d gone from the source and forgotten", "forget %d that the source does not say any more", false},
		{r.Present, "%d already here", "%d already here", true},
		{r.Kept, kept, kept, false},
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
