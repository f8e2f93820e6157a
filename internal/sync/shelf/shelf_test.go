package shelf

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
)

func TestSync_two_machines(t *testing.T) {
	t.Parallel()
	f := newMem()
	laptop, _ := begin(t, f, "laptop")
	for i := range 20 {
		laptop.store.text(i, fmt.Sprint("note ", i))
	}
	laptop.sync()
	desktop := laptop.invite(f, "desktop")
	desktop.store.text(100, "of the desktop")
	if res := desktop.sync(); res.Entries != 20 || res.Read != 1 || res.Written != 2 || len(res.Skipped) > 0 {
		t.Errorf("got %+v", res)
	}
	laptop.sync()
	same(t, laptop, desktop)
	if !laptop.store.shows("of the desktop") {
		t.Error("the note of the desktop did not arrive")
	}
	desktop.sync()
	for _, m := range []*machine{laptop, desktop} {
		lists, gets, puts := f.lists, f.gets, f.puts
		if res := m.sync(); !res.Idle || f.lists != lists+1 || f.gets != gets || f.puts != puts {
			t.Errorf("%s: with nothing to do %+v, %d lists, %d gets", m.name, res, f.lists-lists, f.gets-gets)
		}
	}
	if text := strings.Join(f.names(""), "\n"); strings.Count(text, "keys/") != 3 { // two machines and the recovery key
		t.Errorf("got\n%s", text)
	}
	for name, b := range f.files {
		if strings.Contains(string(b), "note") || strings.Contains(string(b), "laptop") {
			t.Errorf("%s can be read without a key", name)
		}
	}
}

// Each machine fetches what it lacks and nothing else.
func TestSync_fetches_what_is_new(t *testing.T) {
	t.Parallel()
	f := newMem()
	ms := several(t, f, "a", "b")
	for i := range 10 {
		ms[0].store.text(i, "x")
		ms[0].sync()
		if res := ms[1].sync(); res.Read != 1 || res.Entries != 1 {
			t.Fatalf("round %d: %+v", i, res)
		}
	}
	same(t, ms...)
}

func TestSync_foreign_names(t *testing.T) {
	t.Parallel()
	f := newMem()
	ms := several(t, f, "a", "b")
	ms[0].store.text(1, "x")
	ms[0].sync()
	own := f.names("r/")[0]
	for _, name := range []string{
		strings.Replace(own, ".age", " (conflicted copy).age", 1), strings.Replace(own, ".age", ".sync-conflict-20261129-120000.age", 1), "r/." + own[2:] + ".icloud",
		"desktop.ini", "keys/desktop.ini", "r/._x", "._format", own + ".tmp", "hello", "r/x/1-1-1-" + digest(nil) + ".age",
	} {
		f.files[name] = []byte("foreign")
	}
	if res := ms[1].sync(); len(res.Skipped) > 0 || res.Entries != 1 {
		t.Errorf("got %+v", res)
	}
	if _, ok := f.files["hello"]; !ok {
		t.Error("a foreign file was removed")
	}
	same(t, ms...)
}

func TestSync_emptied_and_backwards(t *testing.T) {
	t.Parallel()
	f := newMem()
	ms := several(t, f, "a", "b", "c")
	old := f.clone().files
	for i, m := range ms {
		m.store.text(i, "text of "+m.name)
		m.sync()
	}
	for _, m := range ms {
		m.sync()
	}
	for name, files := range map[string]map[string][]byte{"emptied": {}, "restored": old} {
		f.files = files
		if res := ms[0].sync(); len(res.Backwards) != 3 || res.Entries > 0 {
			t.Errorf("%s: %+v", name, res)
		}
		for range 2 {
			for _, m := range ms {
				m.sync()
			}
		}
		same(t, ms...)
		if res := ms[0].sync(); !res.Idle || len(res.Backwards) > 0 {
			t.Errorf("%s: afterwards %+v", name, res)
		}
		fresh := ms[0].invite(f, "fresh")
		fresh.sync()
		same(t, ms[0], fresh)
	}
}

// What the recovery key opens is there again after the folder was emptied.
func TestSync_rewrites_the_recovery_key(t *testing.T) {
	t.Parallel()
	f := newMem()
	m, recovery := begin(t, f, "laptop")
	m.store.text(1, "x")
	m.sync()
	clear(f.files)
	m.sync()
	n := join(t, f, recovery, "new laptop")
	n.sync()
	same(t, m, n)
}

func TestSync_lost_or_wrong_key(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{}", "x", `{"secret":"AGE-SECRET-KEY-1X"}`} {
		if _, err := ParseKey(text); !errors.Is(err, hippo.ErrForbidden) || !strings.Contains(err.Error(), "hippo sync join") {
			t.Errorf("%q: %v", text, err)
		}
	}
	f := newMem()
	ms := several(t, f, "a", "b")
	other, _ := begin(t, newMem(), "other")
	stranger, err := randomKey(ms[0].key.vault, ms[0].key.root) // who has the identity of the vault, and was not admitted
	if err != nil {
		t.Fatal(err)
	}
	ms[0].store.text(1, "x")
	moved := *other // its settings name the folder of another vault
	moved.folder = f
	before := f.puts
	if _, err := moved.trySync(); !errors.Is(err, hippo.ErrForbidden) || f.puts != before {
		t.Errorf("another folder: %v, %d files written", err, f.puts-before)
	}
	for name, key := range map[string]*Key{"of another vault": other.key, "of a stranger": stranger} {
		m := *ms[0]
		m.key, m.state = key, &State{}
		puts := f.puts
		if _, err := m.trySync(); !errors.Is(err, hippo.ErrForbidden) || !strings.Contains(err.Error(), "hippo sync join") || f.puts != puts {
			t.Errorf("%s: %v, %d files written", name, err, f.puts-puts)
		}
	}
}

func TestSync_newer_format(t *testing.T) {
	t.Parallel()
	f := newMem()
	ms := several(t, f, "a", "b")
	ms[0].store.text(1, "x")
	ms[1].store.text(2, "y")
	ms[1].sync()
	good := f.clone().files
	check := func(name string) {
		puts := f.puts
		m := *ms[0]
		if _, err := m.shelf().Sync(context.Background(), face{m.store.copy()}); !errors.Is(err, hippo.ErrUnsupported) || f.puts != puts {
			t.Errorf("%s: %v, %d files written", name, err, f.puts-puts)
		}
		f.files = good
	}
	f.files = f.clone().files
	f.files[formatName] = []byte(`{"format":2,"other":true}`)
	check("format")

	f.files = f.clone().files
	b, err := encrypt([]byte(`{"format":2,"vault":7}`), ms[1].key.vault.Recipient())
	if err != nil {
		t.Fatal(err)
	}
	f.files[named("keys/"+ms[1].key.id(), b)] = b
	check("the file of a holder")

	// a file of entries is named, and the others are used
	f.files = f.clone().files
	v, _ := viewOf(context.Background(), f)
	x := v.segments[ms[1].store.Replica][0]
	b, err = encrypt([]byte("hippo-sync 2 later\n"), ms[1].key.vault.Recipient())
	if err != nil {
		t.Fatal(err)
	}
	x.from, x.to = x.to+1, x.to+1
	x.path = named(x.about(), b)
	f.files[x.path] = b
	res := ms[0].sync()
	if len(res.Skipped) != 1 || !errors.Is(res.Skipped[0].Err, hippo.ErrUnsupported) || !ms[0].store.shows(`"y"`) {
		t.Errorf("got %+v", res)
	}
}

func TestJoin_refuses(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	f := newMem()
	m, recovery := begin(t, f, "a")
	m.sync()
	code, err := m.shelf().Invite(ctx, noon().Add(-1))
	if err != nil {
		t.Fatal(err)
	}
	if err := Join(ctx, f, code, "b", noon, nil); !errors.Is(err, hippo.ErrForbidden) {
		t.Errorf("expired: %v", err)
	}
	typo := "Q" + code[1:]
	if typo == code {
		typo = "P" + code[1:]
	}
	if err := Join(ctx, f, typo, "b", noon, nil); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("with a typo: %v", err)
	}
	if err := Join(ctx, newMem(), recovery, "b", noon, nil); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("an empty folder: %v", err)
	}
	other, foreign := begin(t, newMem(), "other")
	other.sync()
	if err := Join(ctx, f, foreign, "b", noon, nil); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("of another folder: %v", err)
	}
	if code, err = m.shelf().Invite(ctx, noon().Add(1)); err != nil {
		t.Fatal(err)
	}
	spaced := " " + strings.ToLower(code[:20]) + " \n" + code[20:]
	join(t, f, spaced, "b").sync()
	if err := Join(ctx, f, code, "c", noon, nil); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("used: %v", err)
	}
	if _, err := Init(ctx, f, "d", nil, nil, noon, nil); !errors.Is(err, hippo.ErrConflict) {
		t.Errorf("a second vault: %v", err)
	}
	m.sync()
	if n := len(f.names("keys/")); n != 3 {
		t.Errorf("%d holders, want two machines and the recovery key", n)
	}
}
