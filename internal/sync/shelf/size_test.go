package shelf

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/entry"
	"github.com/hippo-memory/hippo/internal/sync/folder"
)

// notes returns texts of some 630 characters, of the documents of this repository: as long as notes of people and agents are on average.
func notes(t testing.TB, n int) []string {
	t.Helper()
	list, err := filepath.Glob("../../../docs/*.md")
	if err != nil || len(list) == 0 {
		t.Fatal("no documents", err)
	}
	var all []string
	for _, name := range list {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for words := strings.Fields(string(b)); len(words) > 100; words = words[100:] {
			all = append(all, strings.ToValidUTF8(strings.Join(words[:100], " "), ""))
		}
	}
	out := make([]string, n)
	for i := range out {
		out[i] = all[i%len(all)] + fmt.Sprint(" ", i)
	}
	return out
}

// record writes the entries of a new memory, as package store does.
func (s *store) record(i int, text string) {
	s.now = s.now.Add(37 * time.Second)
	id := newID(s.now)
	m := &hippo.Memory{
		ID: id, Content: text, CreatedAt: s.now, UpdatedAt: s.now, Version: 1, Project: fmt.Sprint("github.com/someone/project", i%7), Tags: []string{"decision", fmt.Sprint("area", i%20)}, Type: "insight",
		Importance: hippo.Importance{Base: .6, Value: .6, SetDay: 12, SetAt: s.now}, Source: hippo.Source{Kind: hippo.SourceAgent, Client: "claude-code", Session: fmt.Sprint("session-", i/20)}, Trust: hippo.TrustNormal,
	}
	cal := hippo.Calendar{Day: 12, Date: "2026-11-29"}
	for _, h := range s.Write(s.now, s.subject(id), s.subject(id).Changed(nil, m, cal, nil), func() entry.Vector { return s.vector }) {
		s.vector.Add(h.Dot)
	}
}

// first returns a machine with notes that has sent nothing.
func first(t testing.TB, f Folder, n int) *machine {
	t.Helper()
	m, _ := begin(t, f, "laptop")
	for i, text := range notes(t, n) {
		m.store.record(i, text)
	}
	return m
}

func TestSizes(t *testing.T) {
	t.Parallel()
	f := newMem()
	n := 10000
	if testing.Short() {
		n = 1000
	}
	m := first(t, f, n)
	res := m.sync()
	t.Logf("%d notes: %d bytes, %d files", n, res.BytesSent, res.Written)
	if limit := int64(300 * n); res.BytesSent > limit {
		t.Errorf("%d notes have %d bytes, more than %d", n, res.BytesSent, limit)
	}
	other := m.invite(f, "desktop")
	if got := other.sync(); got.Entries != n {
		t.Errorf("got %+v", got)
	}
	for i, text := range notes(t, 10) {
		m.store.record(i, text)
	}
	res = m.sync()
	t.Logf("ten changes: %d bytes", res.BytesSent)
	if res.BytesSent > 8<<10 {
		t.Errorf("ten changes have %d bytes", res.BytesSent)
	}
	if got := other.sync(); got.Entries != 10 || got.BytesRead != res.BytesSent {
		t.Errorf("got %+v", got)
	}
}

func dir(t testing.TB) Folder {
	t.Helper()
	d, err := folder.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func BenchmarkSync_first(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		f := dir(b)
		m := first(b, f, 10000)
		n := m.invite(f, "desktop")
		b.StartTimer()
		sent := m.sync()
		n.sync()
		b.ReportMetric(float64(sent.BytesSent), "bytes")
	}
}

func BenchmarkSync_ten_changes(b *testing.B) {
	f := dir(b)
	m := first(b, f, 1000)
	n := m.invite(f, "desktop")
	texts := notes(b, 10)
	m.sync()
	n.sync()
	for b.Loop() {
		b.StopTimer()
		for i, text := range texts {
			m.store.record(i, text)
		}
		b.StartTimer()
		sent := m.sync()
		n.sync()
		b.ReportMetric(float64(sent.BytesSent), "bytes")
	}
}

func BenchmarkSync_nothing_to_do(b *testing.B) {
	ms := several(b, dir(b), "a", "b", "c", "d", "e")
	for i := range 60 {
		for _, m := range ms {
			m.store.text(i, "text")
			m.sync()
		}
	}
	for range 2 {
		for _, m := range ms {
			m.sync()
		}
	}
	for b.Loop() {
		if res := ms[0].sync(); !res.Idle {
			b.Fatalf("%+v", res)
		}
	}
}

// Two machines that send at the same time by a real repository of Git.
func TestSync_git(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	url := t.TempDir()
	if _, err := folder.OpenGit(ctx, "x", url); err != nil { // makes a bare repository
		t.Skip(err)
	}
	open := func() Folder {
		g, err := folder.OpenGit(ctx, url, filepath.Join(t.TempDir(), "copy"))
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	a, _ := begin(t, open(), "a")
	code, err := a.shelf().Invite(ctx, noon().Add(1))
	if err != nil {
		t.Fatal(err)
	}
	b := join(t, open(), code, "b")
	for i := range 3 {
		a.store.text(i, "of a")
		b.store.text(10+i, "of b")
		errs := make([]error, 2)
		var wg sync.WaitGroup
		for j, m := range []*machine{a, b} {
			wg.Go(func() { _, errs[j] = m.shelf().Sync(ctx, face{m.store}) })
		}
		wg.Wait()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 2 {
		a.sync()
		b.sync()
	}
	same(t, a, b)
	if res := a.sync(); !res.Idle || !a.store.shows("of b") {
		t.Errorf("got %+v", res)
	}
}

// As it is used: a folder on the disk, which a carrier copies.
func TestSync_dir(t *testing.T) {
	t.Parallel()
	ms := several(t, dir(t), "a", "b", "c")
	for i := range 9 {
		ms[i%3].store.text(i, fmt.Sprint("note ", i))
	}
	for range 2 {
		for _, m := range ms {
			m.sync()
		}
	}
	same(t, ms...)
	if len(ms[0].store.subjects) != 9 {
		t.Errorf("%d memories", len(ms[0].store.subjects))
	}
}

// newID is one of version 7, as those of memories are.
func newID(at time.Time) (id hippo.ID) {
	if _, err := rand.Read(id[6:]); err != nil {
		panic(err)
	}
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(at.UnixMilli()))
	copy(id[:6], ms[2:])
	id[6], id[8] = 0x70|id[6]&0xf, 0x80|id[8]&0x3f
	return id
}
