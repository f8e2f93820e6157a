package exchange_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/exchange"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// two are machines that sync by a folder.
type two struct {
	*testing.T
	at   exchange.Carrier
	a, b *machine
}

func newTwo(t *testing.T) *two {
	t.Helper()
	p := &two{t, newFolder(t), newMachine(t, "a"), newMachine(t, "b")}
	p.a.record("of a")
	p.b.record("of b")
	p.a.init(p.at)
	p.b.join(p.a.invite(), p.at)
	p.a.mustSync()
	return p
}

// files returns the files of the folder whose names match.
func (p *two) files(pattern string) []string {
	p.Helper()
	files, err := filepath.Glob(filepath.Join(string(p.at), "hippo-sync", pattern))
	if err != nil || len(files) == 0 {
		p.Fatalf("%s: %v, %v", pattern, files, err)
	}
	return files
}

// refused fails unless a sync fails with an error that says what to do, and changes nothing in the folder.
func (m *machine) refused(p *two, want error, says string) {
	m.Helper()
	before := p.snapshot()
	out := m.sync()
	if !errors.Is(out.Err, want) || !strings.Contains(fmt.Sprint(out.Err), says) {
		m.Errorf("got %v, want %v that says %q", out.Err, want, says)
	}
	if after := p.snapshot(); after != before {
		m.Errorf("the folder was changed from %s to %s", before, after)
	}
}

// snapshot lists the folder.
func (p *two) snapshot() string {
	p.Helper()
	var out []string
	err := filepath.WalkDir(string(p.at), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			out = append(out, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		p.Fatal(err)
	}
	return strings.Join(out, " ")
}

func (p *two) remove(files ...string) {
	p.Helper()
	for _, file := range files {
		if err := os.RemoveAll(file); err != nil {
			p.Fatal(err)
		}
	}
}

func (p *two) write(file, content string) {
	p.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		p.Fatal(err)
	}
}

// What may befall a folder, a key or a clock. Whatever it is, afterwards both machines have all that either has written.
func TestSync_bad_input(t *testing.T) {
	t.Parallel()
	const lost = "run hippo sync join with an invitation from another machine"
	for name, befall := range map[string]func(p *two){
		"a damaged key": func(p *two) {
			replace(p.T, p.a.key(), "AGE-SECRET-KEY-1", "AGE-SECRET-KEY-X")
			p.a.refused(p, hippo.ErrForbidden, lost)
			p.a.join(p.b.invite(), p.at)
		},
		"a key file that is no JSON": func(p *two) {
			file := p.a.key()
			p.write(file, "{")
			p.a.refused(p, hippo.ErrCorrupt, "delete it, and run hippo sync join")
			p.remove(file)
			p.a.join(p.b.invite(), p.at)
		},
		"the key of another vault": func(p *two) {
			other := newMachine(p.T, "other")
			other.init(newFolder(p.T))
			var theirs, ours map[string]any
			for file, to := range map[string]*map[string]any{other.key(): &theirs, p.a.key(): &ours} {
				b, err := os.ReadFile(file)
				if err = errors.Join(err, json.Unmarshal(b, to)); err != nil {
					p.Fatal(err)
				}
			}
			ours["key"] = theirs["key"]
			b, err := json.Marshal(ours)
			if err != nil {
				p.Fatal(err)
			}
			p.write(p.a.key(), string(b))
			p.remove(strings.TrimSuffix(p.a.key(), ".key") + ".state")
			p.a.refused(p, hippo.ErrForbidden, lost)
			p.a.join(p.b.invite(), p.at)
		},
		"a folder that was emptied": func(p *two) {
			p.remove(filepath.Join(string(p.at), "hippo-sync"))
			if out := p.a.mustSync(); len(out.Backwards) == 0 {
				p.Error("nobody is told")
			}
		},
		"a folder that is not mounted": func(p *two) {
			aside := string(p.at) + ".aside"
			if err := os.Rename(string(p.at), aside); err != nil {
				p.Fatal(err)
			}
			if out := p.a.sync(); !errors.Is(out.Err, hippo.ErrUnavailable) || !strings.Contains(out.Err.Error(), "mount or make the folder first") {
				p.Errorf("got %v", out.Err)
			}
			if err := os.Rename(aside, string(p.at)); err != nil {
				p.Fatal(err)
			}
		},
		"a folder that went backwards": func(p *two) {
			p.a.record("of a, then lost in the folder")
			old := p.snapshot()
			p.a.mustSync()
			for _, file := range p.files("r/*/*") {
				if !strings.Contains(old, filepath.Base(file)) {
					p.remove(file)
				}
			}
			if out := p.a.mustSync(); len(out.Backwards) != 1 {
				p.Errorf("backwards: %v", out.Backwards)
			}
			p.b.mustSync()
			p.b.has("of a, then lost in the folder")
		},
		"a newer format": func(p *two) {
			file := p.files("format")[0]
			p.write(file, `{"format":9}`)
			p.a.record("of a, which a newer program has to send")
			p.a.refused(p, hippo.ErrUnsupported, "use a newer hippo")
			p.write(file, `{"format":1}`)
		},
		"a format that was cut": func(p *two) {
			p.write(p.files("format")[0], "")
			p.a.mustSync()
		},
		"files that were cut": func(p *two) {
			for _, file := range p.files("r/*/*") {
				if err := os.Truncate(file, 40); err != nil {
					p.Fatal(err)
				}
			}
			p.a.mustSync()
			p.b.mustSync()
		},
		"a file of somebody else": func(p *two) {
			for _, file := range p.files("r/*/*") {
				p.write(filepath.Join(filepath.Dir(file), "conflicted copy of "+filepath.Base(file)), "x")
				p.write(filepath.Join(filepath.Dir(file), "9-1-99-"+strings.Repeat("0", 32)+".age"), "forged")
			}
			out := p.a.mustSync()
			if len(out.Skipped) == 0 {
				p.Error("the forged files are not named")
			}
		},
		"a clock in 2031": func(p *two) {
			now := p.b.now
			p.b.now = time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
			id := p.b.record("of 2031")
			p.b.mustSync()
			p.a.mustSync()
			p.a.edit(id, "edited by a, who has seen it")
			p.b.now = now
			p.a.mustSync()
			p.b.mustSync()
			p.b.has("edited by a, who has seen it")
		},
		"a folder that cannot be written": func(p *two) {
			keep := filepath.Join(string(p.at), "hippo-sync", "r")
			if err := os.Rename(keep, keep+".aside"); err != nil {
				p.Fatal(err)
			}
			p.write(keep, "")
			p.a.record("of a, while the folder cannot be written")
			if out := p.a.sync(); out.Err == nil {
				p.Error("no error")
			}
			p.remove(keep)
			if err := os.Rename(keep+".aside", keep); err != nil {
				p.Fatal(err)
			}
		},
		"two devices with one key and one store": func(p *two) {
			c := newMachine(p.T, "copy")
			p.remove(c.dir)
			if err := os.CopyFS(c.dir, os.DirFS(p.a.dir)); err != nil {
				p.Fatal(err)
			}
			c.record("of the copy")
			p.a.record("of the original")
			p.a.mustSync()
			c.mustSync()
			p.a.mustSync()
			c.mustSync()
			c.has("of the original")
			p.a.has("of the copy")
		},
		"entries of a newer program": func(p *two) {
			p.a.foreign(`{"n":%d,"t":"01a30000000000%02x","id":"0198f2b5-0000-7000-8000-00000000000%d","p":{"mood":{"of":"a newer program"}},"why":1}`)
			p.a.mustSync()
			p.b.mustSync()
			if !p.b.holds("a newer program") {
				p.Error("they were not passed on")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTwo(t)
			befall(p)
			p.a.record("of a, afterwards")
			p.b.record("of b, afterwards")
			for range 2 {
				p.a.mustSync()
				p.b.mustSync()
			}
			p.a.has("of a", "of b", "of a, afterwards", "of b, afterwards")
			p.b.has("of a", "of b", "of a, afterwards", "of b, afterwards")
		})
	}
}

func (m *machine) edit(id hippo.ID, text string) {
	m.Helper()
	m.must(func(ctx context.Context, _ *exchange.Remotes) error {
		_, err := m.store.In(hippo.LocalScope("")).Update(ctx, []hippo.ID{id}, func(x *hippo.Memory, _ hippo.Day) error { x.Content = text; return nil })
		return err
	})
}

// foreign joins entries of another replica, as one that syncs with this machine by another carrier.
func (m *machine) foreign(line string) {
	m.Helper()
	s := &entry.Segment{Replica: [16]byte{1, 2, 3}, From: 1, To: 3, Vector: entry.Vector{}}
	for n := 1; n <= 3; n++ {
		e, err := entry.Parse(s.Replica, fmt.Appendf(nil, line, n, n, n))
		if err != nil {
			m.Fatal(err)
		}
		s.Entries = append(s.Entries, e)
	}
	m.must(func(ctx context.Context, _ *exchange.Remotes) error {
		_, err := store.Join(ctx, m.store, []*entry.Segment{s})
		return err
	})
}

// holds reports whether the store has an entry with a text.
func (m *machine) holds(text string) (found bool) {
	m.Helper()
	m.must(func(ctx context.Context, _ *exchange.Remotes) error {
		for s, err := range store.Segments(ctx, m.store, nil) {
			if err != nil {
				return err
			}
			for _, e := range s.Entries {
				found = found || strings.Contains(string(e.Line()), text)
			}
		}
		return nil
	})
	return found
}
