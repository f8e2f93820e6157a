package consolidate_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/consolidate"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
	"github.com/hippo-memory/hippo/internal/retrieval/passage"
	"github.com/hippo-memory/hippo/models"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// note is a memory of a fixture.
type note struct {
	Text      string   `json:"text"`
	Situation []string `json:"situation"`
	Topic     string   `json:"topic"`
	Tags      []string `json:"tags"`
	Score     float64  `json:"surprise"`
	Days      int      `json:"days"` // its age
	Pinned    bool     `json:"pinned"`
}

// embedded returns a view of notes with the vectors of the built-in model.
func embedded(t testing.TB, notes []note) *consolidate.View {
	t.Helper()
	m, err := static.Open(models.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	v := &consolidate.View{Now: now(), Calendar: hippo.Calendar{Day: 100, Date: "2026-06-01"}}
	for i, n := range notes {
		memory := &hippo.Memory{ID: idOf(i + 1), Content: n.Text, Situation: n.Situation}
		vs, err := m.Embed(context.Background(), embed.Passage, passage.Of(memory)[:1])
		if err != nil {
			t.Fatal(err)
		}
		at := now().AddDate(0, 0, -n.Days)
		v.Subjects = append(v.Subjects, consolidate.Subject{
			Memory: &hippo.Memory{
				ID: memory.ID, Content: n.Text, Situation: n.Situation, Tags: n.Tags, CreatedAt: at, UpdatedAt: at, Surprise: hippo.Surprise{Score: n.Score},
				Pinned: n.Pinned, Importance: hippo.Importance{Base: .5, Value: .5}, Trust: hippo.TrustNormal, ContentHash: hippo.HashContent(n.Text),
			},
			Vector: vector.Quantize(vs[0]),
		})
	}
	return v
}

// lines reads a file of JSON lines.
func lines[T any](t testing.TB, path string) []T {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	s := bufio.NewScanner(bytes.NewReader(data))
	for s.Scan() {
		var x T
		if err := json.Unmarshal(s.Bytes(), &x); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, x)
	}
	return out
}

// purity is the share of the members that have the most frequent topic of their cluster, nmi the normalised mutual
// information of clusters and topics, by the arithmetic mean. Members without a topic are left out.
func agreement(clusters []api.Cluster, topic map[hippo.ID]string) (purity, nmi float64) {
	joint, ofCluster, ofTopic := make(map[[2]string]float64), make(map[string]float64), make(map[string]float64)
	n := 0.0
	for i, c := range clusters {
		most := 0.0
		for _, id := range c.Members {
			t, ok := topic[id]
			if !ok {
				continue
			}
			k := fmt.Sprint(i)
			n++
			joint[[2]string{k, t}]++
			ofCluster[k]++
			ofTopic[t]++
			most = max(most, joint[[2]string{k, t}])
		}
		purity += most
	}
	mutual := 0.0
	for k, x := range joint {
		mutual += x / n * math.Log(x*n/(ofCluster[k[0]]*ofTopic[k[1]]))
	}
	return purity / n, 2 * mutual / (entropy(ofCluster, n) + entropy(ofTopic, n))
}

func entropy(counts map[string]float64, n float64) float64 {
	h := 0.0
	for _, x := range counts {
		h -= x / n * math.Log(x/n)
	}
	return h
}

// text writes a plan as a person reads it.
func text(v *consolidate.View, p *consolidate.Plan) string {
	content := make(map[hippo.ID]string)
	for _, s := range v.Subjects {
		content[s.ID] = s.Content
	}
	var b strings.Builder
	for i, c := range p.Topics {
		fmt.Fprintf(&b, "topic %d: %s (density %.3f)\n", i, strings.Join(c.Label, ", "), c.Density)
		for _, id := range c.Members {
			fmt.Fprintf(&b, "  %s\n", content[id])
		}
	}
	for _, a := range p.Actions {
		fmt.Fprintf(&b, "%s: %s\n", a.Kind, a.Reason)
		if a.Summary != nil {
			fmt.Fprintf(&b, "  %s\n  tags %q\n", strings.ReplaceAll(a.Summary.Content, "\n", "\n  "), a.Summary.Tags)
		} else if !a.ID.IsZero() {
			fmt.Fprintf(&b, "  %s\n", content[a.ID])
		}
		for _, r := range a.Relations {
			fmt.Fprintf(&b, "  -> %s %.3f %s\n", r.Kind, r.Weight, content[r.To])
		}
	}
	return b.String()
}

// TestPlan_Golden holds the plan for a small store of three topics, with the built-in model.
func TestPlan_Golden(t *testing.T) {
	t.Parallel()
	notes := lines[note](t, "testdata/notes.jsonl")
	v := embedded(t, notes)
	a, b := v.Subjects[0].ID, v.Subjects[1].ID
	faded, strong := hippo.CoRecall(a, b), hippo.CoRecall(b, v.Subjects[2].ID)
	faded.Weight, faded.LastReinforced = .1, now().AddDate(0, 0, -120)
	strong.Weight, strong.LastReinforced = .9, now().AddDate(0, 0, -10)
	v.Relations = []hippo.Relation{faded, strong}
	p := plan(t, v, api.Monthly, consolidate.Default())
	const path = "testdata/plan.golden"
	got := text(v, p)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := gocmp.Diff(string(want), got); d != "" {
		t.Errorf("plan (-want +got):\n%s", d)
	}
	topic := make(map[hippo.ID]string)
	for i, n := range notes {
		topic[v.Subjects[i].ID] = n.Topic
	}
	if purity, nmi := agreement(p.Topics, topic); purity < .9 || nmi < .75 {
		t.Errorf("purity %.2f and NMI %.2f of the clusters, want at least .9 and .75", purity, nmi)
	}
}

// TestClusters_Team measures how far the clusters of the notes of a team agree with the topics that they were judged to
// have, where that data is at hand; else those of the fixture. A topic is what is relevant to a vague query.
func TestClusters_Team(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(cmp.Or(os.Getenv("HIPPO_DATA"), filepath.Join("..", "..", "..", "..", "shared", "data")), "agents", "team")
	notes, topic := lines[note](t, "testdata/notes.jsonl"), map[hippo.ID]string{}
	for i, n := range notes {
		topic[idOf(i+1)] = n.Topic
	}
	if _, err := os.Stat(folder); err == nil {
		notes, topic = team(t, folder)
	}
	v := embedded(t, notes)
	for _, k := range []int{0, 24} {
		o := consolidate.Default()
		o.Clusters.K = k
		p := plan(t, v, api.Monthly, o)
		purity, nmi := agreement(p.Topics, topic)
		together, chance := together(p.Topics, topic)
		t.Logf("k %d: %d notes, %d with a topic, %d clusters: purity %.3f, NMI %.3f, %.3f of the pairs of a topic together, %.3f of those of two",
			k, len(notes), len(topic), len(p.Topics), purity, nmi, together, chance)
		for _, c := range p.Topics {
			t.Logf("%3d members, density %.3f: %s", len(c.Members), c.Density, strings.Join(c.Label, ", "))
		}
		if together < 2*chance {
			t.Errorf("k %d: %.3f of the pairs of a topic are in one cluster, and %.3f of those of two topics; want twice as many", k, together, chance)
		}
	}
}

// together is the share of the pairs of one topic that are in one cluster, chance that of the pairs of two topics.
func together(clusters []api.Cluster, topic map[hippo.ID]string) (same, other float64) {
	of := make(map[hippo.ID]int)
	for i, c := range clusters {
		for _, id := range c.Members {
			of[id] = i
		}
	}
	var in, all [2]float64
	for a, x := range topic {
		for b, y := range topic {
			if a == b {
				continue
			}
			k := 0
			if x != y {
				k = 1
			}
			if all[k]++; of[a] == of[b] {
				in[k]++
			}
		}
	}
	return in[0] / all[0], in[1] / all[1]
}

// team returns the notes of a folder of an evaluation set, and the topics of those that exactly one vague query of three
// relevant notes or more has.
func team(t testing.TB, folder string) ([]note, map[hippo.ID]string) {
	t.Helper()
	type row struct {
		ID        string   `json:"_id"`
		Text      string   `json:"text"`
		Situation []string `json:"situation"`
		Category  string   `json:"category"`
	}
	vague := make(map[string]bool)
	for _, q := range lines[row](t, filepath.Join(folder, "queries.jsonl")) {
		vague[q.ID] = q.Category == "vague"
	}
	data, err := os.ReadFile(filepath.Join(folder, "qrels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	of, size := make(map[string][]string), make(map[string]int)
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) == 3 && vague[f[0]] {
			of[f[1]] = append(of[f[1]], f[0])
			size[f[0]]++
		}
	}
	var notes []note
	topic := make(map[hippo.ID]string)
	for i, r := range lines[row](t, filepath.Join(folder, "corpus.jsonl")) {
		notes = append(notes, note{Text: r.Text, Situation: r.Situation, Days: 100, Score: .3})
		if q := of[r.ID]; len(q) == 1 && size[q[0]] >= 3 {
			topic[idOf(i+1)] = q[0]
		}
	}
	return notes, topic
}
