package index_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/index"
)

func TestUnknown(t *testing.T) {
	t.Parallel()
	src := newSource("s")
	src.put(note(1, "the HTTPServer restarts at noon"), note(2, "Wilhelmina"))
	x := open(t, src, nil)
	want := map[string]bool{
		"server": false, "Server": false, "restarting": false, "HTTPClient": false, // a part is known
		"the": false, "What": false, "": false, "?!": false, // no word, or a function word
		"Salzburg": true, "zebra": true, "Wilhelmina": false,
	}
	check := func() {
		t.Helper()
		got := make(map[string]bool)
		x.View(func(v *index.View) {
			v.Search(index.Query{Text: "What restarts the server, Server?"})
			if v.Asked() != 2 {
				t.Errorf("%d terms are asked for, want 2", v.Asked())
			}
			for w := range want {
				got[w] = v.Unknown(w)
			}
		})
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	check()
	src.purge(id(2))
	catchUp(t, x)
	want["Wilhelmina"] = true
	check()
	x.View(func(v *index.View) {
		if v.Memories() != 1 {
			t.Errorf("%d memories", v.Memories())
		}
		v.Search(index.Query{})
		if v.Asked() != 0 {
			t.Errorf("%d terms of no text", v.Asked())
		}
	})
}
