// Package syncfile keeps a block of a text file, such as MEMORY.md, equal to what matters most in
// the store, and reads back what people edit there. The rest of the file is never changed.
//
// A line that was edited changes its memory, a new one becomes a memory, and the memory of a
// deleted one is forgotten, which can be undone. Deleting is not a downvote: a memory that its
// reader has removed must not come back with the next run. Where the store has changed a memory
// since the block was written, both sides are kept, and the report says so.
package syncfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
	"github.com/hippo-memory/hippo/internal/base/screen"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// DefaultBudget is the default of [Options.Budget]: about 1,000 tokens.
const DefaultBudget = 4000

// maxFile is the maximum size in bytes of a file.
const maxFile = 16 << 20

// Options say what the block holds; the zero value is useful.
type Options struct {
	// Budget is the number of bytes of the lines; 0 means [DefaultBudget]. Lines that people
	// wrote into the file, and pinned memories, stay although they exceed it.
	Budget int
	// Now decides which facts are valid; zero: all are.
	Now time.Time
	// Project is that of new memories; empty: none.
	Project string
	// DryRun changes neither the file nor the store.
	DryRun bool
}

// Report is what a run did.
type Report struct {
	Shown, Modified, Recorded, Forgotten int
	// Conflicts say what was changed on both sides, and Unsaved which lines could not be
	// stored and why. Those lines stay.
	Conflicts, Unsaved []string
	// Changed: the file was written, or would be.
	Changed bool
}

// Empty reports whether a run changed nothing and has nothing to say.
func (r *Report) Empty() bool {
	return r.Modified+r.Recorded+r.Forgotten+len(r.Conflicts)+len(r.Unsaved) == 0 && !r.Changed
}

// Sync reads back the edits of a file and writes its block. A file that does not exist is made.
// The file is replaced as a whole; if it was changed meanwhile the error is [hippo.ErrConflict],
// and running again goes on.
func Sync(ctx context.Context, m *engine.Memories, path string, o Options) (Report, error) {
	file, err := read(path)
	if err != nil {
		return Report{}, err
	}
	p, err := parse(file.Content)
	if err != nil {
		return Report{}, err
	}
	s := run{memories: m, options: o}
	if err := s.readBack(ctx, &p); err != nil {
		return s.report, err
	}
	shown, err := s.choose(ctx, &p)
	if err != nil {
		return s.report, err
	}
	s.report.Shown = len(shown)
	next := p.file(render(shown, s.unsaved, p.eol))
	s.report.Changed = !bytes.Equal(file.Content, next)
	if !s.report.Changed || o.DryRun {
		return s.report, nil
	}
	err = file.Replace(next)
	if errors.Is(err, atomicfile.ErrChanged) {
		err = fmt.Errorf("%w: %s was changed while it was read: run again", hippo.ErrConflict, file.Path)
	}
	s.report.Changed = err == nil
	return s.report, err
}

// read reads the file, which need not exist, in a folder that must.
func read(path string) (atomicfile.File, error) {
	f, err := atomicfile.Read(path, maxFile)
	if refused, ok := errors.AsType[*atomicfile.RefusedError](err); ok {
		return f, fmt.Errorf("%w: %w", hippo.ErrInvalid, refused)
	}
	if err != nil || f.Exists {
		return f, err
	}
	if _, err := os.Stat(filepath.Dir(f.Path)); err != nil {
		return f, fmt.Errorf("%w: the folder %s does not exist: create it first", hippo.ErrInvalid, filepath.Dir(path))
	}
	return f, nil
}

// run is one run of [Sync].
type run struct {
	memories *engine.Memories
	options  Options
	report   Report
	unsaved  []item
	recorded []hippo.ID // of lines that are new
}

// readBack brings the edits of a block into the store.
func (s *run) readBack(ctx context.Context, p *parsed) error {
	byRef := make(map[string]item, len(p.items))
	var fresh []item
	known := make(map[string]bool, len(p.entries))
	for _, e := range p.entries {
		known[e.ref] = true
	}
	for _, it := range p.items {
		if _, twice := byRef[it.ref]; it.ref == "" || !known[it.ref] || twice {
			fresh = append(fresh, it)
			continue
		}
		byRef[it.ref] = it
	}
	for _, e := range p.entries {
		it, there := byRef[e.ref]
		if err := s.compare(ctx, e, it.text, there); err != nil {
			return err
		}
	}
	for _, it := range fresh {
		if err := s.record(ctx, it.text); err != nil {
			return err
		}
	}
	return nil
}

// compare brings the edit of one item into the store. there: its line was not deleted.
func (s *run) compare(ctx context.Context, e entry, text string, there bool) error {
	if there && hashOf(text) == e.hash {
		return nil
	}
	ms, err := memory.Get(ctx, s.memories, []hippo.ID{e.id})
	if err != nil && !errors.Is(err, hippo.ErrNotFound) {
		return err
	}
	found := err == nil && live(ms[0])
	now, used := "", 0
	if found {
		now, used = shown(ms[0])
	}
	switch {
	case !there && !found, there && text == now:
		return nil // the same on both sides
	case !found:
		s.conflict("%q was edited, and its memory was forgotten or replaced: the line is kept as a new memory", text)
		return s.record(ctx, text)
	case hashOf(now) != e.hash && !there:
		s.conflict("%q was deleted, and its memory was changed: the memory is kept", now)
		return nil
	case hashOf(now) != e.hash:
		s.conflict("%q was edited, and its memory was changed to %q: both are kept", text, now)
		return s.record(ctx, text)
	case !there:
		err = s.forget(ctx, ms[0])
	default:
		err = s.modify(ctx, ms[0], whole(ms[0], text, now, used))
	}
	if errors.Is(err, engine.ErrVersion) { // somebody was faster: what they wrote counts
		return s.compare(ctx, e, text, there)
	}
	return err
}

// live reports whether a memory can be found.
func live(m *hippo.Memory) bool { return !m.Forgotten() && m.SupersededBy.IsZero() }

// whole returns an edited text with what the file does not show of its memory.
func whole(m *hippo.Memory, text, now string, used int) string {
	if before, ok := strings.CutSuffix(text, strings.TrimSpace(more)); ok && strings.HasSuffix(now, more) {
		content := strings.ReplaceAll(strings.TrimSpace(m.Content), "\r\n", "\n")
		return strings.TrimRight(before, " ") + tail(content, now, used)
	}
	return text
}

// tail returns what follows the part of a content that is shown.
func tail(content, now string, used int) string {
	prefix := strings.TrimSuffix(now, more)
	if strings.HasPrefix(content, prefix) {
		return content[len(prefix):]
	}
	return content[min(used, len(content)):]
}

func (s *run) conflict(format string, texts ...any) {
	for i, t := range texts {
		if text, ok := t.(string); ok {
			texts[i] = excerpt(text)
		}
	}
	s.report.Conflicts = append(s.report.Conflicts, fmt.Sprintf(format, texts...))
}

// excerpt returns the beginning of a text for a message, without the secrets in it.
func excerpt(text string) string { return formats.Shorten(screen.Redact(text), 80) }

// forget forgets a memory that nobody has changed since it was read.
func (s *run) forget(ctx context.Context, m *hippo.Memory) (err error) {
	if !s.options.DryRun {
		_, err = memory.Modify(ctx, s.memories, m.ID, api.Change{Forget: true, IfVersion: m.Version})
	}
	if err == nil {
		s.report.Forgotten++
	}
	return err
}

// modify changes the content of a memory that nobody has changed since it was read; a text that is refused stays in the file.
func (s *run) modify(ctx context.Context, m *hippo.Memory, text string) error {
	err := memory.Screen(&hippo.Memory{Content: text})
	if err == nil && !s.options.DryRun {
		m, err = memory.Modify(ctx, s.memories, m.ID, api.Change{Content: &text, IfVersion: m.Version})
	}
	if err == nil && !live(m) {
		err = engine.ErrVersion
	}
	switch {
	case refused(err):
		s.keep(text, err)
		return nil
	case err == nil:
		s.report.Modified++
	}
	return err
}

// refused reports whether an error is about a text, such as a secret in it, so that the other lines
// can be stored.
func refused(err error) bool {
	return errors.Is(err, hippo.ErrInvalid) || errors.Is(err, hippo.ErrSecret)
}

// keep leaves a line in the file that cannot be stored.
func (s *run) keep(text string, err error) {
	s.unsaved = append(s.unsaved, item{text: text})
	if errors.Is(err, hippo.ErrSecret) {
		s.report.Unsaved = append(s.report.Unsaved, err.Error()) // the text is not repeated in a log
		return
	}
	s.report.Unsaved = append(s.report.Unsaved, fmt.Sprintf("%q: %v", excerpt(text), err))
}

// importanceOfLine is that of a memory that somebody wrote into the file.
const importanceOfLine = 0.8

// record stores a new line. Its ID is that of its text, so that a run that was interrupted
// before it wrote the file records nothing twice.
func (s *run) record(ctx context.Context, text string) error {
	s.report.Recorded++
	m := &hippo.Memory{
		ID: formats.ImportID("sync-file", text), Content: text, Source: hippo.Source{Kind: hippo.SourceSync, Client: "sync-file"}, Trust: hippo.TrustNormal,
		Importance: hippo.Importance{Base: importanceOfLine}, Project: s.options.Project,
	}
	err := memory.Screen(m)
	if err == nil && s.options.DryRun {
		s.unsaved = append(s.unsaved, item{text: text})
		return nil
	}
	if err == nil {
		err = s.store(ctx, m)
	}
	if refused(err) {
		s.report.Recorded--
		s.keep(text, err)
		return nil
	}
	s.recorded = append(s.recorded, m.ID)
	return err
}

// store records a memory. One that has its ID, because the line was there before, is made live again.
func (s *run) store(ctx context.Context, m *hippo.Memory) error {
	_, err := memory.Record(ctx, s.memories, m)
	if !errors.Is(err, hippo.ErrConflict) {
		return err
	}
	ms, err := memory.Restore(ctx, s.memories, []hippo.ID{m.ID})
	if err != nil || ms[0].Content == m.Content {
		return err
	}
	_, err = memory.Modify(ctx, s.memories, m.ID, api.Change{Content: &m.Content, IfVersion: ms[0].Version})
	return err
}
