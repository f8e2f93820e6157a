package exchange_test

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/exchange"
	"github.com/hippo-memory/hippo/internal/exchange/team"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
	"github.com/hippo-memory/hippo/internal/sync/shelf"
)

// fewerChecks lets a property be checked 20 times unless a flag says otherwise: each check opens and syncs several stores.
func fewerChecks() {
	if f := flag.Lookup("rapid.checks"); f != nil {
		_ = f.Value.Set("20") // a number is one
	}
}

// fatal is what tests and properties have in common.
type fatal interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// teammate is a machine with a store and its remotes.
type teammate struct {
	t     fatal
	dir   string
	store *store.Store
	clock *time.Time
}

func newTeammate(t fatal, dir string, clock *time.Time) *teammate {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	m := &teammate{t: t, dir: dir, clock: clock}
	m.store = m.open(filepath.Join(dir, "memory.db"), nil)
	return m
}

func (m *teammate) now() time.Time {
	*m.clock = m.clock.Add(time.Second)
	return *m.clock
}

func (m *teammate) open(path string, keep *hippo.Retention) *store.Store {
	m.t.Helper()
	b, err := sqlitestore.Open(context.Background(), path, nil)
	if err != nil {
		m.t.Fatal(err)
	}
	return store.New(b, &store.Options{Now: m.now, Zone: time.UTC, Retention: keep})
}

// remotes runs fn with the remotes of the store.
func (m *teammate) remotes(fn func(*exchange.Remotes)) {
	m.t.Helper()
	x, err := exchange.Open(context.Background(), m.open(filepath.Join(m.dir, "memory.db"), nil), exchange.Options{
		Dir: filepath.Join(m.dir, "sync"), Now: m.now,
		Screen: func(x *hippo.Memory) error {
			if strings.Contains(x.Content, "hunter2") {
				return hippo.ErrSecret
			}
			return nil
		},
		OpenCopy: func(_ context.Context, path string) (*store.Store, error) {
			return m.open(path, &hippo.Retention{}), nil
		},
	})
	if err != nil {
		m.t.Fatal(err)
	}
	fn(x)
	if err := x.Close(); err != nil {
		m.t.Fatal(err)
	}
}

func (m *teammate) sync() {
	m.t.Helper()
	m.remotes(func(x *exchange.Remotes) {
		list, err := x.Sync(context.Background())
		if err != nil {
			m.t.Fatal(err)
		}
		for _, o := range list {
			if o.Err != nil || len(o.Skipped) > 0 {
				m.t.Fatal(o.Err, o.Skipped)
			}
		}
	})
}

// begin begins a team in a folder, and join joins it by an invitation of another machine.
func (m *teammate) begin(folder string) {
	m.t.Helper()
	m.remotes(func(x *exchange.Remotes) {
		if _, out, err := x.Init(context.Background(), exchange.Carrier(folder), filepath.Base(m.dir), &shelf.Team{Projects: []string{"shop"}}); err != nil || out.Err != nil {
			m.t.Fatal(err, out.Err)
		}
	})
}

func (m *teammate) join(folder string, by *teammate, same bool) {
	m.t.Helper()
	var code string
	by.remotes(func(x *exchange.Remotes) {
		var err error
		if code, _, err = x.Invite(context.Background(), exchange.Carrier(folder), by.now().Add(time.Hour), same); err != nil {
			m.t.Fatal(err)
		}
	})
	m.remotes(func(x *exchange.Remotes) {
		if out, err := x.Join(context.Background(), code, exchange.Carrier(folder), filepath.Base(m.dir), &shelf.Team{Projects: []string{"shop"}}); err != nil || out.Err != nil {
			m.t.Fatal(err, out.Err)
		}
	})
}

func (m *teammate) record(text string, change func(*hippo.Memory)) hippo.ID {
	m.t.Helper()
	x := &hippo.Memory{Content: text, Project: "shop", Trust: hippo.TrustNormal, Importance: hippo.Importance{Base: .5}, Source: hippo.Source{Kind: hippo.SourceAgent}}
	change(x)
	if err := m.store.Add(context.Background(), x); err != nil {
		m.t.Fatal(err)
	}
	return x.ID
}

func (m *teammate) scoped() store.Scoped { return m.store.In(hippo.LocalScope("")) }

func (m *teammate) change(id hippo.ID, fn func(*hippo.Memory)) {
	m.t.Helper()
	_, err := store.Receive(context.Background(), m.store, &store.Received{Change: []store.Changed{{ID: id, Do: func(x *hippo.Memory, _ hippo.Day) error {
		fn(x)
		return nil
	}}}})
	if err != nil {
		m.t.Fatal(err)
	}
}

// all returns the memories that are not forgotten.
func (m *teammate) all() (out []*hippo.Memory) {
	m.t.Helper()
	for x, err := range m.scoped().All(context.Background()) {
		if err != nil {
			m.t.Fatal(err)
		}
		if !x.Forgotten() {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b *hippo.Memory) int { return strings.Compare(a.Content, b.Content) })
	return out
}

func (m *teammate) texts() (out []string) {
	for _, x := range m.all() {
		out = append(out, x.Content)
	}
	return out
}

// team returns the path of the copy, with the ID of the vault, and the key of the person whose machine this is.
func (m *teammate) team() (path, vault string) {
	m.t.Helper()
	list, err := filepath.Glob(filepath.Join(m.dir, "sync", "*.team.db"))
	if err != nil || len(list) != 1 {
		m.t.Fatal("no copy", err)
	}
	return list[0], strings.TrimSuffix(filepath.Base(list[0]), ".team.db")
}

// plain returns all that the segments of a shelf hold, decrypted and unpacked.
func (m *teammate) plain(folder string) string {
	m.t.Helper()
	keys, err := filepath.Glob(filepath.Join(m.dir, "sync", "*.key"))
	if err != nil || len(keys) != 1 {
		m.t.Fatal("no key", err)
	}
	var file struct{ Key string }
	var key struct{ Vault string }
	b, err := os.ReadFile(keys[0])
	if err != nil || json.Unmarshal(b, &file) != nil || json.Unmarshal([]byte(file.Key), &key) != nil {
		m.t.Fatal("the key", err)
	}
	id, err := age.ParseX25519Identity(key.Vault)
	if err != nil {
		m.t.Fatal(err)
	}
	var out strings.Builder
	err = fs.WalkDir(os.DirFS(folder), "hippo-sync/r", func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // nothing was sent
		}
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		r, err := age.Decrypt(bytes.NewReader(b), id)
		if err != nil {
			return err
		}
		plain, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		_, body, _ := bytes.Cut(plain, []byte("\n"))
		text, err := io.ReadAll(flate.NewReader(bytes.NewReader(body)))
		out.Write(text)
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return out.String()
}

func newClock() *time.Time {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	return &at
}

// A member who writes to the memories of others, or claims to be somebody else, reaches nobody.
func TestTeam_HostileMember(t *testing.T) {
	t.Parallel()
	dir, at := t.TempDir(), newClock()
	folder := filepath.Join(dir, "drop")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	ann, bob, mallory := newTeammate(t, filepath.Join(dir, "ann"), at), newTeammate(t, filepath.Join(dir, "bob"), at), newTeammate(t, filepath.Join(dir, "mallory"), at)
	mine := ann.record("the shop deploys on Fridays", func(*hippo.Memory) {})
	ann.begin(folder)
	bob.join(folder, ann, false)
	mallory.join(folder, ann, false)
	got := bob.all()
	if len(got) != 1 || got[0].Content != "the shop deploys on Fridays" || got[0].Trust != hippo.TrustLow || !strings.HasPrefix(got[0].Source.Author, "ann (key ") {
		t.Fatalf("bob has %+v", got)
	}

	// mallory changes, forgets and purges the memory of ann in her own copy, and writes as ann
	path, vault := mallory.team()
	copied := mallory.open(path, &hippo.Retention{})
	var theirs *hippo.Memory
	for m, err := range copied.In(hippo.LocalScope("")).All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		theirs = m
	}
	evil, made := theirs.Clone(), theirs.Clone()
	evil.Content, evil.Version = "the shop deploys from the server of mallory", 9
	made.ID, made.Content = hippo.ID{1, 2, 3}, "mallory is the boss"
	for _, r := range []store.Reflection{{Put: []*hippo.Memory{evil, made}}, {Purge: []hippo.ID{theirs.ID}}} {
		if err := store.Reflect(t.Context(), copied, &r); err != nil {
			t.Fatal(err)
		}
		if err := copied.Close(); err != nil {
			t.Fatal(err)
		}
		mallory.sync()
		if text := ann.plain(folder); len(r.Put) > 0 && !strings.Contains(text, "mallory is the boss") {
			t.Fatal("mallory has sent nothing")
		}
		for _, m := range []*teammate{ann, bob, ann, bob} {
			m.sync()
		}
		if got := bob.all(); len(got) != 1 || got[0].Content != "the shop deploys on Fridays" {
			t.Errorf("bob has %q", bob.texts())
		}
		if got := ann.all(); len(got) != 1 || got[0].ID != mine || got[0].Trust != hippo.TrustNormal {
			t.Errorf("ann has %q", ann.texts())
		}
		copied = mallory.open(path, &hippo.Retention{})
	}
	if err := copied.Close(); err != nil {
		t.Fatal(err)
	}
	ann.change(mine, func(m *hippo.Memory) { m.Content = "the shop deploys on Mondays" })
	ann.sync()
	bob.sync()
	if got := bob.texts(); len(got) != 1 || got[0] != "the shop deploys on Mondays" {
		t.Errorf("bob has %q: mallory has stopped ann", got)
	}
	if team.CopyID(vault, "x", mine) == mine {
		t.Error("the copy has the IDs of the store")
	}
}

// A vault of one kind is never used as one of the other kind.
func TestTeam_Kinds(t *testing.T) {
	t.Parallel()
	dir, at := t.TempDir(), newClock()
	folder := filepath.Join(dir, "drop")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	ann, bob := newTeammate(t, filepath.Join(dir, "ann"), at), newTeammate(t, filepath.Join(dir, "bob"), at)
	ann.begin(folder)
	bob.join(folder, ann, false)
	bob.record("private to bob", func(m *hippo.Memory) { m.Project = "" })
	keys, err := filepath.Glob(filepath.Join(bob.dir, "sync", "*.key"))
	if err != nil || len(keys) != 1 {
		t.Fatal(err)
	}
	b, err := os.ReadFile(keys[0])
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]json.RawMessage
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	delete(file, "team")
	if b, err = json.Marshal(file); err == nil {
		err = os.WriteFile(keys[0], b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	bob.remotes(func(x *exchange.Remotes) {
		list, err := x.Sync(t.Context())
		if err != nil || len(list) != 1 || list[0].Err == nil || !strings.Contains(list[0].Err.Error(), "the vault is one of a team") {
			t.Errorf("%+v %v", list, err)
		}
	})
	if text := ann.plain(folder); strings.Contains(text, "private to bob") {
		t.Error("a private memory was sent to a team")
	}
}

// Whatever is done to memories, no file of the shelf has the text of one that must not leave, once its machine has synced; and the other
// machine has what may leave.
func TestTeam_NothingLeaks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "team")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir) //nolint:errcheck // it is a folder for a test
		folder, at := filepath.Join(dir, "drop"), newClock()
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		ann, bob := newTeammate(t, filepath.Join(dir, "ann"), at), newTeammate(t, filepath.Join(dir, "bob"), at)
		ann.begin(folder)
		bob.join(folder, ann, false)
		changes := map[string]func(*hippo.Memory){
			"private": func(m *hippo.Memory) { m.Tags = []string{"private"} }, "open": func(m *hippo.Memory) { m.Tags = nil },
			"away": func(m *hippo.Memory) { m.Project = "garden" }, "back": func(m *hippo.Memory) { m.Project = "shop" },
			"forget": func(m *hippo.Memory) { m.ForgottenAt = *at }, "restore": func(m *hippo.Memory) { m.ForgottenAt = time.Time{} },
			"distrust": func(m *hippo.Memory) { m.Trust = hippo.TrustLow }, "trust": func(m *hippo.Memory) { m.Trust = hippo.TrustNormal },
		}
		var ids []hippo.ID
		gone := make(map[string]bool) // the texts that were purged, and former ones
		texts := 0
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			step := rapid.SampledFrom([]string{"record", "change", "change", "edit", "purge", "sync", "bob"}).Draw(t, "step")
			if step == "record" || len(ids) == 0 {
				texts++
				ids = append(ids, ann.record(fmt.Sprintf("text %d of ann", texts), changes[rapid.SampledFrom([]string{"private", "open", "away", "distrust"}).Draw(t, "as")]))
				continue
			}
			id := rapid.SampledFrom(ids).Draw(t, "memory")
			switch step {
			case "change":
				ann.change(id, changes[rapid.SampledFrom(slices.Sorted(maps.Keys(changes))).Draw(t, "to")])
			case "edit":
				texts++
				ann.change(id, func(m *hippo.Memory) { m.Content = fmt.Sprintf("text %d of ann", texts) })
			case "purge":
				ms, err := ann.scoped().Get(context.Background(), []hippo.ID{id})
				if err != nil {
					t.Fatal(err)
				}
				gone[ms[0].Content] = true
				if err := ann.scoped().Purge(context.Background(), []hippo.ID{id}); err != nil {
					t.Fatal(err)
				}
				ids = slices.DeleteFunc(ids, func(x hippo.ID) bool { return x == id })
			case "sync":
				ann.sync()
			case "bob":
				bob.sync()
			}
		}
		ann.sync()
		bob.sync()
		plain := ann.plain(folder)
		var want []string
		ms, err := ann.scoped().Get(context.Background(), ids)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range ms {
			may := m.Project == "shop" && !m.Forgotten() && len(m.Tags) == 0 && m.Trust == hippo.TrustNormal
			if may {
				want = append(want, m.Content)
			} else if gone[m.Content] = true; strings.Contains(plain, m.Content) {
				t.Fatalf("the shelf has %q, which must not leave", m.Content)
			}
		}
		for text := range gone {
			if strings.Contains(plain, fmt.Sprintf("%q", text)) {
				t.Fatalf("the shelf still has %q", text)
			}
		}
		slices.Sort(want)
		if got := bob.texts(); !slices.Equal(got, want) {
			t.Fatalf("bob has %q, want %q", got, want)
		}
	})
}

// Two machines of one person are one author; what arrives at both by their own remote is no memory of somebody else, and an older state of
// the one takes back nothing of the other.
func TestTeam_OnePerson(t *testing.T) {
	t.Parallel()
	dir, at := t.TempDir(), newClock()
	folder, own := filepath.Join(dir, "drop"), filepath.Join(dir, "own")
	for _, d := range []string{folder, own} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	desk, lap, bob := newTeammate(t, filepath.Join(dir, "desk"), at), newTeammate(t, filepath.Join(dir, "lap"), at), newTeammate(t, filepath.Join(dir, "bob"), at)
	desk.begin(folder)
	bob.join(folder, desk, false)
	lap.join(folder, desk, true)
	id := desk.record("the shop deploys on Fridays", func(*hippo.Memory) {})
	for _, m := range []*teammate{desk, lap, bob} {
		m.sync()
	}
	if got := lap.all(); len(got) != 1 || !strings.HasPrefix(got[0].Source.Author, "desk (key ") || got[0].ID == id {
		t.Fatalf("lap has %+v", got)
	}
	var code string
	desk.remotes(func(x *exchange.Remotes) {
		if _, out, err := x.Init(t.Context(), exchange.Carrier(own), "desk", nil); err != nil || out.Err != nil {
			t.Fatal(err, out.Err)
		}
		var err error
		if code, _, err = x.Invite(t.Context(), exchange.Carrier(own), desk.now().Add(time.Hour), false); err != nil {
			t.Fatal(err)
		}
	})
	lap.remotes(func(x *exchange.Remotes) {
		if out, err := x.Join(t.Context(), code, exchange.Carrier(own), "lap", nil); err != nil || out.Err != nil {
			t.Fatal(err, out.Err)
		}
	})
	lap.sync()
	lap.sync()
	if got := lap.all(); len(got) != 1 || got[0].ID != id || got[0].Trust != hippo.TrustNormal {
		t.Fatalf("lap has %q", lap.texts())
	}
	lap.change(id, func(m *hippo.Memory) { m.Content = "the shop deploys on Mondays" })
	only := func(m *teammate, carrier string) { // syncs by one carrier
		t.Helper()
		aside := filepath.Join(dir, "aside")
		for _, step := range [][2]string{{carrier, aside}, {aside, carrier}} {
			if step[0] == aside {
				m.remotes(func(x *exchange.Remotes) {
					if _, err := x.Sync(t.Context()); err != nil {
						t.Fatal(err)
					}
				})
			}
			if err := os.Rename(step[0], step[1]); err != nil {
				t.Fatal(err)
			}
		}
	}
	only(lap, own)  // the team has the edit, the desk has not
	only(desk, own) // and does not take it back
	bob.sync()
	if got := bob.texts(); len(got) != 1 || got[0] != "the shop deploys on Mondays" {
		t.Errorf("bob has %q", got)
	}
	for _, m := range []*teammate{lap, desk, lap, desk, bob} {
		m.sync()
	}
	for _, m := range []*teammate{desk, lap, bob} {
		if got := m.texts(); len(got) != 1 || got[0] != "the shop deploys on Mondays" {
			t.Errorf("%s has %q", filepath.Base(m.dir), got)
		}
	}
}

// A team of a few thousand memories.
func BenchmarkTeam(b *testing.B) {
	dir, at := b.TempDir(), newClock()
	folder := filepath.Join(dir, "drop")
	if err := os.Mkdir(folder, 0o700); err != nil {
		b.Fatal(err)
	}
	ann := newTeammate(b, filepath.Join(dir, "ann"), at)
	var list []*hippo.Memory
	for i := range 5000 {
		list = append(list, &hippo.Memory{
			Content: fmt.Sprintf("note %d: the shop deploys on Fridays, and the till counts in cents", i), Project: "shop", Trust: hippo.TrustNormal,
			Importance: hippo.Importance{Base: .5}, Source: hippo.Source{Kind: hippo.SourceAgent},
		})
	}
	if err := ann.store.Add(b.Context(), list...); err != nil {
		b.Fatal(err)
	}
	ann.begin(folder)
	ann.sync()
	for b.Loop() {
		ann.sync()
	}
}
