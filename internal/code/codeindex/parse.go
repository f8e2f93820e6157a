package codeindex

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
	"github.com/hippo-memory/hippo/internal/code/codeindex/chunk"
	"github.com/hippo-memory/hippo/internal/code/codeindex/document"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
	"github.com/hippo-memory/hippo/internal/code/codeindex/walk"
)

// parsed is what an update found: the files that changed, in the order of paths.
type parsed struct {
	list    []outcome
	deleted []string
	// repeated are files with the same content of which the words lack chunks.
	repeated map[*catalog.Entry]bool
	// settled: files need not be read again if the state has the time of this update.
	settled bool
	// files counts those of the tree, changes those that have to be written.
	files, changes int
}

// outcome is what became of one file.
type outcome struct {
	file   walk.File
	stamp  catalog.Stamp
	same   *catalog.Entry // the content is that of this entry
	skip   *walk.Skip
	syntax *syntax.File
	chunks []chunk.Chunk
	failed error // the parser could not run
}

// draft returns the changes of a state, which is the base or empty.
func (p *parsed) draft(c *catalog.Catalog) (*catalog.Draft, error) {
	d, again := c.Draft(), make(map[*catalog.Entry]bool)
	for i := range p.list {
		switch o := &p.list[i]; {
		case o.skip != nil:
			d.Delete(o.file.Path)
		case o.same != nil && p.repeated[o.same]:
			if err := d.Repeat(o.same, o.stamp); err != nil {
				return nil, err
			}
			again[o.same] = true
		case o.same != nil:
			d.Touch(o.same, o.stamp)
		default:
			d.Put(o.file.Path, o.stamp, o.syntax, o.chunks)
		}
	}
	for _, gone := range p.deleted {
		d.Delete(gone)
	}
	for e := range p.repeated {
		if again[e] {
			continue
		}
		if err := d.Repeat(e, e.Stamp); err != nil {
			return nil, err
		}
	}
	return d, nil
}

const (
	// parseTimeout bounds the time for one file.
	parseTimeout = 30 * time.Second
	// headBytes is how much of a file says which language it is in.
	headBytes = 512
	// maxPlain is the size of the largest file in no known language that is indexed: what is larger is data.
	maxPlain = 128 << 10
)

// parse reads the files that may have changed, and parses those that did, on all processors.
func (u *update) parse(ctx context.Context, root *os.Root, found *walk.Tree) (*parsed, error) {
	p := &parsed{files: len(found.Files)}
	u.report.Skips, u.report.Folders = found.Skips, found.Folders
	var total int64
	there := make(map[string]bool, len(found.Files))
	for _, f := range found.Files {
		there[f.Path] = true
		if e := u.entry(f.Path); e != nil && e.Size == f.Size && e.Modified.Equal(f.Modified) && f.Modified.Before(u.base.Updated.Add(-racy)) {
			u.report.Unchanged++
			continue
		}
		if known, ok := u.tree.left[f.Path]; ok && known.file == f && f.Modified.Before(known.at.Add(-racy)) {
			p.list = append(p.list, outcome{file: f, skip: &known.skip})
			continue
		}
		p.list = append(p.list, outcome{file: f})
		total += f.Size
	}
	if u.base != nil {
		for _, e := range u.base.Entries() {
			if !there[e.Path] {
				p.deleted = append(p.deleted, e.Path)
			}
		}
	}
	if err := u.parseAll(ctx, root, p, total); err != nil {
		return nil, err
	}
	u.sum(p)
	return p, nil
}

// leftOut is a file that was left out because of what it contains, and when.
type leftOut struct {
	file walk.File
	skip walk.Skip
	at   time.Time
}

func (u *update) entry(name string) *catalog.Entry {
	if u.base == nil {
		return nil
	}
	return u.base.Entry(name)
}

// sum counts the outcomes, and drops those that change nothing.
func (u *update) sum(p *parsed) {
	r, kept := u.report, p.list[:0]
	former := u.tree.left
	u.tree.left = make(map[string]leftOut)
	p.warn(u.tree.config.logger())
	for _, o := range p.list {
		switch {
		case o.skip != nil:
			r.Skips = append(r.Skips, *o.skip)
			at := u.began
			if known, ok := former[o.file.Path]; ok && known.file == o.file {
				at = known.at
			}
			if o.skip.Reason != walk.Unread {
				u.tree.left[o.file.Path] = leftOut{o.file, *o.skip, at}
			}
			if u.entry(o.file.Path) == nil {
				continue
			}
			r.Removed++
		case o.same != nil:
			r.Unchanged++
			if o.same.Stamp == o.stamp {
				// It was read because its time was close to that of the last update, which it is not to this one.
				p.settled = p.settled || o.file.Modified.Before(u.began.Add(-racy))
				continue
			}
			r.Restored++
		default:
			r.Parsed++
			r.Bytes += o.file.Size
			r.Errors += o.syntax.Errors
			p.changes++
		}
		kept = append(kept, o)
	}
	p.list = kept
	r.Removed += len(p.deleted)
	p.changes += len(p.deleted)
}

// warn logs once that the parser could not run.
func (p *parsed) warn(log *slog.Logger) {
	var failed error
	n := 0
	for i := range p.list {
		if o := &p.list[i]; o.failed != nil {
			n, failed = n+1, o.failed
		}
	}
	if n > 0 {
		log.Warn("the parser cannot run: files are indexed as text until the next update", "files", n, "error", failed)
	}
}

// parseAll fills in the outcomes.
func (u *update) parseAll(ctx context.Context, root *os.Root, p *parsed, total int64) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	files := walk.NewReader(root)
	jobs := make(chan int)
	var mu sync.Mutex
	var done int64
	var group sync.WaitGroup
	began := u.tree.config.Now()
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range jobs {
				if err := u.one(ctx, files, &p.list[i]); err != nil {
					cancel(err)
					continue
				}
				mu.Lock()
				done += p.list[i].file.Size
				u.tell(api.CodeProgress{Phase: api.CodeParsing, Done: done, Total: total, Left: left(u.tree.config.Now().Sub(began), done, total)})
				mu.Unlock()
			}
		})
	}
	for i := range p.list {
		if p.list[i].skip != nil {
			continue
		}
		select {
		case jobs <- i:
		case <-ctx.Done():
		}
	}
	close(jobs)
	group.Wait()
	return context.Cause(ctx)
}

// left estimates how long the rest takes.
func left(took time.Duration, done, total int64) time.Duration {
	const enough = 200 * time.Millisecond
	if done == 0 || took < enough {
		return 0
	}
	return time.Duration(float64(took) / float64(done) * float64(total-done)).Round(100 * time.Millisecond)
}

// one reads and parses a file. The error is that of ctx; what is wrong with the file is a skip.
func (u *update) one(ctx context.Context, files *walk.Reader, o *outcome) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	text, why, err := files.Read(o.file.Path)
	switch {
	case err != nil:
		o.skip = &walk.Skip{Path: o.file.Path, Reason: walk.Unread, Detail: err.Error()}
		return nil
	case why != "":
		o.skip = &walk.Skip{Path: o.file.Path, Reason: why}
		return nil
	}
	o.stamp = catalog.Stamp{Hash: catalog.HashOf(text), Size: o.file.Size, Modified: o.file.Modified}
	if e := u.entry(o.file.Path); e != nil && e.Hash == o.stamp.Hash && e.Size != 0 {
		o.same = e
		return nil
	}
	f, failed, err := u.tree.config.syntaxOf(ctx, o.file.Path, text)
	if err != nil {
		return err
	}
	if o.failed = failed; failed != nil {
		o.stamp.Size = 0
	}
	if f == nil {
		o.skip = &walk.Skip{Path: o.file.Path, Reason: walk.Data}
		return nil
	}
	o.syntax, o.chunks = f, chunk.Split(text, f)
	return nil
}

// syntaxOf parses a file. A parser that cannot run, which failed says, leaves a file without symbols, which is
// indexed by its paragraphs. Nil: the file is data. The error is that of ctx.
func (c *Config) syntaxOf(ctx context.Context, name string, text []byte) (f *syntax.File, failed, err error) {
	if f, ok := document.Parse(name, text); ok {
		return &f, nil, nil
	}
	language := ""
	if c.Parser != nil {
		language = c.Parser.Language(name, text[:min(len(text), headBytes)])
	}
	if language != "" {
		limited, cancel := context.WithTimeout(ctx, parseTimeout)
		defer cancel()
		f, failed := c.Parser.Parse(limited, language, text)
		if failed == nil {
			return &f, nil, nil
		}
		if ctx.Err() != nil {
			return nil, nil, fmt.Errorf("code index: %w", ctx.Err())
		}
		return &syntax.File{Language: language, Errors: 1, Partial: true}, failed, nil
	}
	if len(text) > maxPlain {
		return nil, nil, nil
	}
	return &syntax.File{Language: plain(name)}, nil, nil
}

// plain names the language of a file without a parser: its suffix.
func plain(name string) string {
	if ext := strings.TrimPrefix(path.Ext(name), "."); ext != "" && len(ext) < 12 {
		return strings.ToLower(ext)
	}
	return "text"
}
