package dirstore_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func relation(a, b int, kind string, weight float64) hippo.Relation {
	return hippo.Relation{From: id(a), To: id(b), Kind: kind, Weight: weight}
}

func tryRelate(t testing.TB, s *dirstore.Store, rs ...hippo.Relation) error {
	t.Helper()
	return s.Relate(t.Context(), driver.Lazy, rs, func(_, r hippo.Relation) hippo.Relation { return r })
}

func relate(t testing.TB, s *dirstore.Store, rs ...hippo.Relation) {
	t.Helper()
	if err := tryRelate(t, s, rs...); err != nil {
		t.Fatal(err)
	}
}

func wantRelations(t testing.TB, s *dirstore.Store, want ...hippo.Relation) {
	t.Helper()
	var got []hippo.Relation
	for r, err := range s.AllRelations(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	if !slices.Equal(got, want) {
		t.Errorf("relations are\n%v, want\n%v", got, want)
	}
}

// What is declared stands line by line in a file, in one order, whatever came first.
func TestRelations_DeclaredAreLines(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1), memory(2), memory(3))
	relate(t, s, relation(2, 1, "b", .5))
	relate(t, s, relation(1, 3, "x", 1), relation(1, 2, hippo.CoRecalled, .25), relation(1, 2, "a", .25))
	lines := strings.Split(p.read("relations.jsonl"), "\n")
	if len(lines) != 4 || lines[3] != "" || !strings.HasSuffix(lines[0], `"kind":"a","weight":0.25}`) || strings.Contains(lines[0]+lines[1]+lines[2], "co_recalled") {
		t.Errorf("the file holds %q", lines)
	}
	relate(t, s, relation(2, 1, "b", 0), relation(1, 3, "x", 0), relation(1, 2, "a", 0))
	if p.exists("relations.jsonl") {
		t.Error("a file without relations is left")
	}
	wantRelations(t, s, relation(1, 2, hippo.CoRecalled, .25))
}

// A merge may leave two lines of one relation, and marks of a conflict.
func TestRelations_AfterAMerge(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1), memory(2), memory(3))
	relate(t, s, relation(1, 2, "a", .5))
	line := strings.TrimSpace(p.read("relations.jsonl"))
	odd := strings.Replace(line, `"weight":0.5`, `"weight":5`, 1)
	p.write("relations.jsonl", "<<<<<<< ours\r\n"+line+"\n"+strings.Replace(line, "0.5", "0.75", 1)+"\n"+odd+"\n"+
		strings.Replace(line, id(2).String(), id(9).String(), 1)+"\n"+strings.Replace(line, `"a"`, `"co_recalled"`, 1))
	wantRelations(t, s, relation(1, 2, "a", .75)) // memory 9 is not there
	problems, err := s.Problems(t.Context())
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0].Err, "line 1") || problems[0].Path != p.path("relations.jsonl") {
		t.Errorf("problems are %+v (%v)", problems, err)
	}
	relate(t, s, relation(1, 3, "b", 1))
	text := p.read("relations.jsonl")
	for _, kept := range []string{"<<<<<<< ours\n", odd + "\n", id(9).String(), `"co_recalled"`} {
		if !strings.Contains(text, kept) {
			t.Errorf("%q is lost:\n%s", kept, text)
		}
	}
	wantRelations(t, s, relation(1, 2, "a", .75), relation(1, 3, "b", 1))
	put(t, s, memory(9))
	wantRelations(t, s, relation(1, 2, "a", .75), relation(1, 3, "b", 1), relation(1, 9, "a", .5))
}

// The periods of a relation are lines in the order of time, which another process reads, and removes.
func TestRelations_Periods(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1), memory(2))
	first, second := relation(1, 2, "a", .5), relation(1, 2, "a", .25)
	first.ValidUntil = time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)
	second.ValidFrom = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	relate(t, s, second, first)
	lines := strings.SplitAfter(p.read("relations.jsonl"), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], "2021-01-01") || !strings.Contains(lines[1], "2024-01-01") {
		t.Fatalf("the file holds %q", lines)
	}
	wantRelations(t, p.open(), first, second)
	p.write("relations.jsonl", lines[1])
	wantRelations(t, s, second)
	p.write("relations.jsonl", lines[0]+lines[1])
	wantRelations(t, s, first, second)
}

// A write that fails changes nothing, here and in the file.
func TestRelations_FullDisk(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	full := false
	o := p.options()
	s := p.openWith(o.WithFault(func(_, name string) error {
		if full && name != "." {
			return &os.PathError{Op: "write", Path: name, Err: syscall.ENOSPC}
		}
		return nil
	}))
	put(t, s, memory(1), memory(2))
	want := []hippo.Relation{relation(1, 2, "a", .5), relation(1, 2, hippo.CoRecalled, .5)}
	relate(t, s, want...)
	full = true
	if err := tryRelate(t, s, relation(1, 2, "a", 1)); !errors.Is(err, hippo.ErrFull) {
		t.Errorf("relate returned %v", err)
	}
	wantRelations(t, s, want...)
	wantRelations(t, p.open(), want...)
	full = false
	relate(t, s, relation(1, 2, "a", .75))
	rs, err := s.Relations(t.Context(), driver.RelationQuery{Scope: hippo.LocalScope(""), IDs: []hippo.ID{id(1)}, Limit: 1})
	if err != nil || len(rs) != 1 || rs[0].Weight != .75 {
		t.Errorf("got %v (%v)", rs, err)
	}
}
