package dirstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
)

const mergedID = "01a2291b-2d47-7514-9004-17de62d79146"

func fileOf(more string) string {
	return `{"uuid":"` + mergedID + `","content":"text","situation":[],"base_importance":0.5,"importance":0.5,` +
		`"created_at":"2026-11-29T20:00:00Z","importance_modified_at":"2026-11-29T20:00:00Z","daily_access_counts":[[1,1]]` + more + `}`
}

func versionOf(operation, at string) string {
	return `{"operation":"01a2291b-0000-7000-8000-00000000000` + operation + `","at":"` + at + `","day":1,"verb":"vote","memory":"` + mergedID +
		`","of":1,"after":"` + strings.Repeat("0", 63) + `1","before":` + fileOf("") + "}\n"
}

// A file of each kind is merged in the same way from both sides; what cannot be read, or is another file, is not merged.
func TestMergeFile(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	relation := func(kind string, weight float64, at string) string {
		return fmt.Sprintf(`{"from":%q,"to":"01a2291b-2d47-7514-9004-17de62d79147","kind":%q,"weight":%v,"last_reinforced":%q}`+"\n", mergedID, kind, weight, at)
	}
	early, late := "2026-11-29T20:00:00Z", "2026-11-29T21:00:00Z"
	for name, c := range map[string]struct {
		path, base, ours, theirs string
		want, lacks              []string
	}{
		"memory": {
			"notes/" + mergedID + ".json", fileOf(""), fileOf(`,"pinned":true,"updated_at":"2026-11-29T21:00:00Z"`), fileOf(`,"tags":["x"],"version":2,"unknown":7`),
			[]string{`"pinned": true`, `"x"`, `"unknown": 7`},
			nil,
		},
		"memory that both have added": {mergedID + ".json", "", fileOf(""), fileOf(`,"updated_at":"2026-11-29T21:00:00Z","type":"rule","version":2`), []string{`"rule"`}, nil},
		"day": {
			"metadata.json", `{"active_day_counter":3,"last_calendar_date_used":"2026-11-01","kept":1}`, `{"active_day_counter":4,"last_calendar_date_used":"2026-11-09","kept":1}`,
			`{"active_day_counter":5,"last_calendar_date_used":"2026-11-08","kept":2,"more":[1]}`,
			[]string{`"active_day_counter": 5`, "2026-11-08", `"kept": 2`, `"more"`},
			[]string{"2026-11-09"},
		},
		"relations": {
			"relations.jsonl", relation("removed", 1, early) + relation("follows", .5, early) + relation("changed", .5, early),
			relation("follows", .6, early) + relation("new", 1, early) + relation("changed", .7, late) + "<<< odd\n",
			relation("removed", 1, early) + relation("follows", .5, early) + relation("changed", .6, early) + relation("other", 1, early),
			[]string{`"follows","weight":0.6`, `"changed","weight":0.7`, `"new"`, `"other"`, "<<< odd"},
			[]string{"removed"},
		},
		"history": {
			"history/" + mergedID + ".jsonl", versionOf("0", early), versionOf("0", early) + versionOf("2", late) + "odd\n", versionOf("1", early),
			[]string{"00001\"", "00002\"", "odd"},
			[]string{"00000\""},
		},
	} {
		for _, sides := range [][2]string{{c.ours, c.theirs}, {c.theirs, c.ours}} {
			got, ok := dirstore.MergeFile(c.path, []byte(c.base), []byte(sides[0]), []byte(sides[1]), &w)
			if !ok {
				t.Errorf("%s: not merged", name)
			}
			for _, x := range c.want {
				if !strings.Contains(string(got), x) {
					t.Errorf("%s: %q is missing:\n%s", name, x, got)
				}
			}
			for _, x := range c.lacks {
				if strings.Contains(string(got), x) {
					t.Errorf("%s: %q is still there:\n%s", name, x, got)
				}
			}
			if back, ok := dirstore.MergeFile(c.path, []byte(c.base), []byte(sides[1]), []byte(sides[0]), &w); !ok || string(back) != string(got) {
				t.Errorf("%s: the sides matter:\n%s\n%s", name, got, back)
			}
		}
	}
	for name, file := range map[string]string{
		"package.json": "{}", "other/" + mergedID + ".jsonl": versionOf("0", early), mergedID + ".json": "<<<<<<< HEAD", "metadata.json": `{"active_day_counter":1,"format":9}`,
		"01a2291b-2d47-7514-9004-17de62d79147.json": fileOf(""),
	} {
		if _, ok := dirstore.MergeFile(name, nil, []byte(file), []byte(file), &w); ok {
			t.Errorf("%s was merged", name)
		}
	}
}

// A new directory has attributes for Git; they are not written over others, nor into a directory that has memories.
func TestOpen_Attributes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, text, want string
	}{
		"new":         {"notes.txt", "", dirstore.Attributes()},
		"with others": {".gitattributes", "*.png binary\n", "*.png binary\n"},
		"a store":     {mergedID + ".json", fileOf(""), ""},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := dirstore.Open(t.Context(), dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, ".gitattributes"))
		if string(got) != c.want || (c.want == "") != os.IsNotExist(err) {
			t.Errorf("%s: got %q (%v), want %q", name, got, err, c.want)
		}
	}
}
