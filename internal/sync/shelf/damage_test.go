package shelf

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// damaged calls a function with each byte of a file changed, and each length cut.
func damaged(b []byte, step int, fn func(b []byte, what string, at int)) {
	for i := 0; i < len(b); i += step {
		c := slices.Clone(b)
		c[i] ^= 1 << (i % 8)
		fn(c, "byte", i)
		fn(b[:i:i], "length", i)
	}
}

// knows lets one machine write everything.
func knows(k *Key) func(*file, string) (*Member, error) {
	return func(*file, string) (*Member, error) { return &Member{key: k.public()}, nil }
}

// A reader meets a damaged file of each kind, names it, and uses all others.
func TestSync_damage(t *testing.T) {
	t.Parallel()
	f := newMem()
	ms := several(t, f, "a", "b", "c")
	ms[0].store.text(1, "of a")
	ms[0].sync()
	ms[1].store.text(2, "of b")
	ms[1].sync()
	ms[1].store.text(3, "of b later")
	ms[1].sync()
	first := f.names("r/" + ms[1].store.Replica.String() + "/")[0]
	step := 5
	if testing.Short() {
		step = 17
	}
	reader := ms[2]
	original, state := f.files, reader.state
	read := func(name string, b []byte, what string, at int) Result {
		m := *reader
		m.state = &State{Statements: state.Statements, Seen: state.Seen}
		m.store = reader.store.copy()
		own := newMem()
		own.files, own.refuse = maps.Clone(original), hippo.ErrReadOnly // it reads, and cannot write
		own.files[name] = b
		m.folder = own
		res, err := m.shelf().Sync(context.Background(), face{m.store})
		if err != nil && !errors.Is(err, hippo.ErrReadOnly) {
			if name == formatName && errors.Is(err, hippo.ErrUnsupported) { // the number of the format was changed
				return res
			}
			t.Fatalf("%s: %s %d: %v", name, what, at, err)
		}
		want := []string{"of a", "of b", "of b later"}
		if name == first {
			want = []string{"of a", "of b later"}
		}
		for _, text := range want {
			if !m.store.shows(`"` + text + `"`) {
				t.Fatalf("%s: %s %d: %q is missing", name, what, at, text)
			}
		}
		if name == formatName && len(res.Skipped) == 0 && json.Valid(b) { // another case of the name of a field
			return res
		}
		if len(res.Skipped) != 1 || res.Skipped[0].Name != name {
			t.Fatalf("%s: %s %d: got %+v", name, what, at, res)
		}
		return res
	}
	for _, name := range []string{formatName, f.names("keys/" + ms[1].key.id())[0], first} {
		damaged(original[name], 1, func(b []byte, what string, at int) {
			g := &mem{files: map[string][]byte{name: b}}
			if _, err := get(context.Background(), g, name); !errors.Is(err, hippo.ErrUnavailable) {
				t.Fatalf("%s: %s %d: %v", name, what, at, err)
			}
		})
		damaged(original[name], step, func(b []byte, what string, at int) { read(name, b, what, at) })
	}
}

// A file whose name matches its damaged content is refused as well.
func TestUnseal_damage(t *testing.T) {
	t.Parallel()
	f := newMem()
	ms := several(t, f, "a")
	ms[0].store.text(1, "text")
	ms[0].sync()
	v, _ := viewOf(context.Background(), f)
	x := v.segments[ms[0].store.Replica][0]
	know := knows(ms[0].key)
	plain, err := decrypt(f.files[x.path], ms[0].key.vault)
	if err != nil {
		t.Fatal(err)
	}
	damaged(f.files[x.path], 1, func(b []byte, what string, at int) {
		if _, err := ms[0].key.unseal(&x, b, know); !errors.Is(err, hippo.ErrCorrupt) && !errors.Is(err, hippo.ErrForbidden) {
			t.Fatalf("%s %d: %v", what, at, err)
		}
	})
	damaged(plain, 1, func(b []byte, what string, at int) {
		b, err := encrypt(b, ms[0].key.vault.Recipient()) // by somebody who knows the public key
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ms[0].key.unseal(&x, b, know); err == nil {
			t.Fatalf("%s %d of the plain text was not noticed", what, at)
		}
	})
}

func TestUnseal_another_name(t *testing.T) {
	t.Parallel()
	f := newMem()
	ms := several(t, f, "a", "b")
	ms[0].store.text(1, "text")
	ms[0].sync()
	v, _ := viewOf(context.Background(), f)
	x := v.segments[ms[0].store.Replica][0]
	for _, change := range []func(*file){
		func(x *file) { x.generation++ }, func(x *file) { x.to++ }, func(x *file) { x.from++; x.to++ }, func(x *file) { x.replica = ms[1].store.Replica },
	} {
		y := x
		change(&y)
		y.path = y.about() + x.path[len(x.about()):]
		g := &mem{files: maps.Clone(f.files)}
		g.files[y.path] = f.files[x.path]
		delete(g.files, x.path)
		m := *ms[1]
		m.folder, m.store, m.state = g, m.store.copy(), &State{}
		_, _ = m.shelf().Sync(context.Background(), face{m.store})
		if m.store.shows("text") {
			t.Errorf("%s was accepted", y.path)
		}
	}
}

// What a signed file holds is still checked: its machine may be hostile, or its program wrong.
func TestUnseal_content(t *testing.T) {
	t.Parallel()
	m, _ := begin(t, newMem(), "a")
	r := m.store.Replica
	seg := func(r clock.Replica, from, to uint64) *entry.Segment {
		return &entry.Segment{Replica: r, From: from, To: to, Vector: entry.Vector{}}
	}
	for name, list := range map[string][]*entry.Segment{
		"none": {}, "another replica": {seg(clock.Replica{1}, 1, 9)}, "too early": {seg(r, 1, 4)}, "a gap": {seg(r, 1, 4), seg(r, 6, 9)}, "twice": {seg(r, 1, 9), seg(r, 1, 9)},
		"beyond": {seg(r, 1, 10)}, "late": {seg(r, 2, 9)},
	} {
		x := &file{replica: r, generation: 1, from: 1, to: 9}
		b, err := m.key.seal(x, noon(), list)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.key.unseal(x, b, knows(m.key)); !errors.Is(err, hippo.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	x := &file{replica: r, generation: 1, from: 1, to: 9}
	bomb := seg(r, 1, 9)
	for i := range 9 {
		e, err := entry.Parse(r, []byte(`{"n":`+string(rune('1'+i))+`,"t":"0000019acfe60000","p":{"x":"`+strings.Repeat("a", entry.MaxLine-100)+`"}}`))
		if err != nil {
			t.Fatal(err)
		}
		bomb.Entries = append(bomb.Entries, e)
	}
	b, err := m.key.seal(x, noon(), []*entry.Segment{bomb})
	if err != nil {
		t.Fatal(err)
	}
	o, err := m.key.unseal(x, b, knows(m.key))
	if err != nil || o.entries != 9 {
		t.Errorf("nine long entries: %v", err)
	}
}

func TestSync_forged(t *testing.T) {
	t.Parallel()
	f := newMem()
	ms := several(t, f, "a", "b", "c")
	replica := ms[0].store.Replica
	seal := func(k *Key) *mem {
		list := []*entry.Segment{{Replica: replica, From: 1, To: 1, Vector: entry.Vector{}}}
		e, err := entry.Parse(replica, []byte(`{"n":1,"t":"0000019acfe60000","id":"`+memoryID(1).String()+`","p":{"text":{"content":"forged"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		list[0].Entries = []*entry.Entry{e}
		x := &file{replica: replica, generation: 1, from: 1, to: 1}
		b, err := k.seal(x, noon(), list)
		if err != nil {
			t.Fatal(err)
		}
		g := &mem{files: maps.Clone(f.files)}
		g.files[x.path] = b
		return g
	}
	stranger, err := randomKey(ms[0].key.vault, ms[0].key.root)
	if err != nil {
		t.Fatal(err)
	}
	posing := *stranger // it names a machine of the vault
	posing.sign = append(slices.Clone(stranger.sign[:32]), ms[0].key.public()...)
	admitting := seal(stranger) // it admits itself, and claims the replica
	statements := slices.Concat(ms[0].state.Statements, []signed{
		stranger.signed(statement{Admit: stranger.admission(stranger, "a", Machine)}), stranger.signed(statement{Claim: replica.String()}),
		stranger.signed(statement{Retire: &retirement{ms[0].key.id(), nil}}),
	})
	r := &run{Shelf: Open(admitting, stranger, &State{Statements: statements}, noon), view: &view{}}
	if err := r.writeRecord(context.Background(), &Member{ID: stranger.id(), recipient: stranger.self.Recipient().String()}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		f  *mem
		is error
	}{
		"by a stranger": {seal(stranger), hippo.ErrUnavailable}, "by a stranger who poses": {seal(&posing), hippo.ErrForbidden}, "by a stranger who admits itself": {admitting, hippo.ErrUnavailable},
		"by another machine": {seal(ms[1].key), hippo.ErrForbidden},
	} {
		m := *ms[2]
		m.folder, m.store = c.f, m.store.copy()
		res := m.sync()
		if len(res.Skipped) != 1 || !errors.Is(res.Skipped[0].Err, c.is) || m.store.shows("forged") {
			t.Errorf("%s: %+v", name, res)
		}
	}
	m := *ms[2]
	m.folder, m.store = seal(ms[0].key), m.store.copy()
	if m.sync(); !m.store.shows("forged") {
		t.Error("the test forges nothing")
	}
}
