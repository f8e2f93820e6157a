package consolidate_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/consolidate"
)

// filed is a note of testdata/misfiled.tsv.
type filed struct {
	hippo.Memory
	half, belongs, kind string
}

// notesOfProjects returns the notes of testdata/misfiled.tsv and the projects that they are in, with the trees of
// testdata/trees.tsv.
func notesOfProjects(t *testing.T) (notes []filed, places []consolidate.Place) {
	t.Helper()
	trees := make(map[string][]string)
	for _, row := range rowsOf(t, "trees.tsv") {
		trees[row[0]] = append(trees[row[0]], row[1])
	}
	for _, p := range []struct{ short, name, title, called string }{
		{"shop", "github.com/acme/shop#11111111", "github.com/acme/shop", "github.com/acme/shop acme/shop shop"},
		{"ledger", "github.com/acme/ledger#22222222", "github.com/acme/ledger", "github.com/acme/ledger acme/ledger ledger"},
		{"station", "local#333333333333", "weather-station (local#33333333)", "weather-station"},
		{"atlas", "github.com/acme/atlas#44444444", "github.com/acme/atlas", "github.com/acme/atlas acme/atlas atlas"},
	} {
		places = append(places, consolidate.Place{
			Names: []string{p.name, "before/" + p.short}, Title: p.title, Called: strings.Fields(p.called),
			Has: func(path string) bool {
				return slices.ContainsFunc(trees[p.short], func(f string) bool { return f == path || strings.HasPrefix(f, path+"/") })
			},
		})
	}
	names := map[string]string{"shop": places[0].Names[0], "ledger": places[1].Names[0], "station": places[2].Names[0], "atlas": places[3].Names[0], "unassigned": hippo.Unassigned, "none": ""}
	for _, r := range rowsOf(t, "misfiled.tsv") {
		x := filed{half: r[0], belongs: names[r[2]], kind: r[3]}
		x.ID = hippo.ID(uuid.NewSHA1(uuid.NameSpaceURL, []byte(r[5])))
		x.Content, x.Project, x.Source.Session, x.CreatedAt = r[5], names[r[1]], r[4], now()
		notes = append(notes, x)
	}
	return notes, places
}

// rowsOf returns the cells of a file of testdata, without the lines that begin with "#".
func rowsOf(t *testing.T, name string) (rows [][]string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
	}
	return rows
}

// An audit finds most of the memories that are filed in the wrong project, says where they belong, and names hardly any other.
func TestAudit_Misfiled(t *testing.T) {
	t.Parallel()
	notes, places := notesOfProjects(t)
	v := &consolidate.View{Now: now(), Places: places}
	for i := range notes {
		v.Subjects = append(v.Subjects, consolidate.Subject{Memory: &notes[i].Memory})
	}
	list, _, err := consolidate.Audit(t.Context(), v, consolidate.IdleDays, consolidate.Default())
	if err != nil {
		t.Fatal(err)
	}
	moved := make(map[hippo.ID]api.Finding)
	for _, f := range list {
		if f.Problem == api.ProblemMisfiled {
			moved[f.ID] = f
		}
	}
	total, found, wrong := map[string]int{}, map[string]int{}, map[string]int{}
	for i := range notes {
		x := &notes[i]
		f, ok := moved[x.ID]
		misfiled := x.belongs != x.Project
		if misfiled {
			total[x.half]++
		}
		switch {
		case ok && f.Project == x.belongs:
			found[x.half]++
		case ok:
			wrong[x.half]++
		}
		if x.half == "a" && (ok || misfiled) {
			t.Logf("%s %q in %q belongs to %q: found %q, %s", x.kind, x.Content, x.Project, x.belongs, f.Project, f.Reason)
		}
	}
	t.Logf("of %v: found %v, wrong %v", total, found, wrong)
	for _, half := range []string{"a", "b"} {
		if found[half] < 7 || wrong[half] > 1 || total[half] != 10 {
			t.Errorf("half %s: of %d misfiled, %d found and %d wrong", half, total[half], found[half], wrong[half])
		}
	}
}
