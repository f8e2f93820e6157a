package sharedstore_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/store/sharedstore"
)

// eachLayout runs a test on an empty file of each program.
func eachLayout(t *testing.T, fn func(*testing.T, *peer)) {
	t.Parallel()
	for _, layout := range peers() {
		t.Run(layout, func(t *testing.T) {
			t.Parallel()
			fn(t, newPeer(t, layout))
		})
	}
}

// A part has a bounded number of rows, and fewer where they take long: others wait no longer than a part takes.
func TestOpen_parts_are_bounded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		step time.Duration // what the clock says that a call of it takes
		most int
	}{
		"by rows": {0, 2048},
		"by time": {time.Hour, 256},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, "rust")
			p.storeMany()
			now := at(9000)
			var committed []int // as another program reads it while a part is taken over
			s, err := sharedstore.Open(t.Context(), p.path, &sharedstore.Options{Now: func() time.Time {
				now = now.Add(c.step)
				if n, err := strconv.Atoi(p.text("SELECT count(*) FROM shared_row")); err == nil {
					committed = append(committed, n)
				}
				return now
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close() //nolint:errcheck // it is only read
			committed = append(slices.Compact(committed), len(all(t, s)))
			for i, n := range committed[1:] {
				if n-committed[i] > c.most {
					t.Errorf("a part has %d rows, of %v", n-committed[i], committed)
				}
			}
			if last := committed[len(committed)-1]; last != many || len(committed) <= many/c.most {
				t.Errorf("parts end at %v", committed)
			}
		})
	}
}

// While many rows are taken over another program can write: it never waits for longer than it is willing to, and what it does to
// rows that were taken over and to rows that are left is there in the end.
func TestOpen_others_write_meanwhile(t *testing.T) {
	eachLayout(t, func(t *testing.T, p *peer) {
		p.storeMany()
		s, err := sharedstore.Open(t.Context(), p.path, &sharedstore.Options{Gradual: true}) // a clock that stands still would leave no pauses
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close() //nolint:errcheck // it is only read
		p.exec("VACUUM")
		const rows = " WHERE content IN ('text %[1]d', 'text %[2]d')" // one that was taken over, one that is left
		for i, change := range []string{
			"UPDATE memories SET deleted_at = 8000" + rows,
			"DELETE FROM memories" + rows,
			"UPDATE memories SET metadata = '{\"by\": \"them\"}', updated_at = 8000" + rows,
			"UPDATE memories SET tags = 'changed', memory_type = 'fact', updated_at = 8000" + rows,
			"UPDATE memories SET content_hash = printf('%%064x', 1000000 + id), content = 'edited ' || id, updated_at = 8000" + rows,
			"UPDATE memories SET id = id + 1000000" + rows,
		} {
			p.exec(fmt.Sprintf(change, many-i, 1+i))
		}
		p.exec("INSERT INTO memories (content_hash, content, created_at, updated_at) SELECT printf('%064x', 2000000 + id), 'more ' || id, 8000, 8000 FROM memories WHERE id <= 3000")
		p.exec("VACUUM")
		for h, err := s.Head(t.Context()); err != nil || h.Pending > 0; h, err = s.Head(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			p.exec("UPDATE memories SET metadata = json_set(metadata, '$.access_count', 1) WHERE content = 'text 2000'")
		}
		got := all(t, s)
		for _, i := range []int{0, 1} {
			id := func(n int) int { return [2]int{many - n, 1 + n}[i] }
			text := func(n int) string { return fmt.Sprintf("text %d", id(n)) }
			for _, n := range []int{0, 1} {
				if m := got[text(n)]; m != nil && !m.Forgotten() {
					t.Errorf("%q was deleted, and is here", text(n))
				}
			}
			if m := got[text(2)]; m == nil || string(m.Metadata["by"]) != `"them"` {
				t.Errorf("%q with other metadata is %+v", text(2), m)
			}
			if m := got[text(3)]; m == nil || m.Type != "fact" || !slices.Equal(m.Tags, []string{"changed"}) {
				t.Errorf("%q with other columns is %+v", text(3), m)
			}
			if m := got[fmt.Sprintf("edited %d", id(4))]; m == nil || m.Forgotten() || got[text(4)] != nil && !got[text(4)].Forgotten() {
				t.Errorf("%q with another text is %+v and %+v", text(4), m, got[text(4)])
			}
			if m := got[text(5)]; m == nil || m.Forgotten() {
				t.Errorf("%q with another id is %+v", text(5), m)
			}
		}
		alive := 0
		for _, m := range got {
			if !m.Forgotten() {
				alive++
			}
		}
		if want := p.text("SELECT count(*) FROM memories WHERE deleted_at IS NULL"); strconv.Itoa(alive) != want {
			t.Errorf("%d memories of %s rows", alive, want)
		}
		p.sound()
	})
}

// Two processes of this program take over the rows of one file together, and write it meanwhile.
func TestOpen_two_take_over(t *testing.T) {
	eachLayout(t, func(t *testing.T, p *peer) {
		p.storeMany()
		var both []*sharedstore.Store
		for i := range byte(2) {
			s, err := sharedstore.Open(t.Context(), p.path, &sharedstore.Options{Gradual: true}) // as above
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close() //nolint:errcheck // what it wrote is looked at
			both = append(both, s)
			put(t, s, memory(1+i, fmt.Sprintf("ours %d", i)), memory(11+i, "text 7"))
		}
		for i, s := range both {
			h, err := s.Head(t.Context())
			for err == nil && h.Pending > 0 {
				h, err = s.Head(t.Context())
			}
			got := all(t, s)
			if err != nil || h.Memories != many+4 || len(got) != many+2 {
				t.Errorf("store %d has %+v and %d texts (%v)", i, h, len(got), err)
			}
			for n := range many {
				if m := got[fmt.Sprintf("text %d", n+1)]; m == nil || m.Forgotten() {
					t.Fatalf("store %d lacks text %d: %+v", i, n+1, m)
				}
			}
		}
		if n := p.text("SELECT count(*) FROM memories WHERE content = 'text 7'"); n != "2" {
			t.Errorf("text 7 has %s rows", n)
		}
		p.sound()
	})
}
