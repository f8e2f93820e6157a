package consolidate_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/consolidate"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

const dimension = 256

// now is the time of the plans.
func now() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) }

func idOf(n int) hippo.ID {
	// Digits that do not ascend with n.
	return hippo.ID{0: byte(n * 37), 1: byte(n >> 3), 6: 0x70, 12: byte(n >> 24), 13: byte(n >> 16), 14: byte(n >> 8), 15: byte(n)}
}

// sampleView returns memories of some topics: a vector near that of the topic, words of the topic and some of their
// own, and now and then a near copy of the one before.
func sampleView(n, topics int, seed uint64) *consolidate.View {
	r := rand.New(rand.NewPCG(seed, 7))
	centres := make([][]float32, topics)
	for i := range centres {
		centres[i] = noise(r, nil, 1)
	}
	v := &consolidate.View{Now: now(), Calendar: hippo.Calendar{Day: 100, Date: "2026-06-01"}}
	for i := range n {
		t := r.IntN(topics)
		v.Subjects = append(v.Subjects, consolidate.Subject{Memory: sampleMemory(r, i, t), Vector: vector.Quantize(noise(r, centres[t], .6))})
		if i > 0 && i%10 == 0 {
			v.Subjects[i].Vector = vector.Quantize(near(r, &v.Subjects[i-1].Vector))
			v.Subjects[i].Content = v.Subjects[i-1].Content + " indeed"
			v.Subjects[i].ContentHash = hippo.HashContent(v.Subjects[i].Content)
		}
		s := &v.Subjects[i]
		s.Upvoted, s.Pinned = r.IntN(20) == 0, r.IntN(20) == 0
		if i > 0 {
			e := hippo.CoRecall(s.ID, v.Subjects[r.IntN(i)].ID)
			e.Weight, e.LastReinforced = .01+.9*r.Float64(), now().AddDate(0, 0, -r.IntN(200))
			v.Relations = append(v.Relations, e)
		}
	}
	return v
}

func sampleMemory(r *rand.Rand, i, topic int) *hippo.Memory {
	var words []string
	for range 12 {
		words = append(words, fmt.Sprintf("t%cw%c", 'a'+topic%26, 'a'+r.IntN(12)))
	}
	for range 4 {
		words = append(words, letters(r.IntN(1<<20)))
	}
	m := &hippo.Memory{
		ID: idOf(i), Content: strings.Join(words, " "), Trust: hippo.TrustNormal, Importance: hippo.Importance{Base: .5, Value: .5},
		CreatedAt: now().Add(-time.Duration(r.IntN(500*24)) * time.Hour),
	}
	m.UpdatedAt, m.ContentHash = m.CreatedAt, hippo.HashContent(m.Content)
	if r.IntN(10) > 0 {
		m.Surprise = hippo.Surprise{Score: .05 + .5*r.Float64()}
	}
	if r.IntN(30) == 0 {
		m.Tags = []string{"Important"}
	}
	return m
}

// letters writes a number as a word.
func letters(n int) string {
	b := []byte("q")
	for ; n > 0; n /= 26 {
		b = append(b, byte('a'+n%26))
	}
	return string(b)
}

// noise returns a vector of length 1 at some distance from a centre.
func noise(r *rand.Rand, centre []float32, amount float64) []float32 {
	v := make([]float32, dimension)
	sum := 0.0
	for i := range v {
		v[i] = float32(r.NormFloat64() * amount / math.Sqrt(dimension))
		if centre != nil {
			v[i] += centre[i]
		}
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func near(r *rand.Rand, c *vector.Code) []float32 {
	return noise(r, c.Floats(nil, dimension), .1)
}

func plan(t testing.TB, v *consolidate.View, h api.Horizon, o consolidate.Options) *consolidate.Plan {
	t.Helper()
	p, err := consolidate.New(context.Background(), v, h, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// apply returns the view after a plan.
func apply(v *consolidate.View, p *consolidate.Plan) *consolidate.View {
	out := &consolidate.View{Now: v.Now, Calendar: v.Calendar, Relations: slices.Clone(v.Relations)}
	at := make(map[hippo.ID]int)
	for i, s := range v.Subjects {
		s.Memory = s.Clone()
		out.Subjects = append(out.Subjects, s)
		at[s.ID] = i
	}
	for n, a := range p.Actions {
		switch a.Kind {
		case api.ActionPrune:
			out.Relations = slices.DeleteFunc(out.Relations, func(r hippo.Relation) bool {
				return slices.ContainsFunc(a.Relations, func(x hippo.Relation) bool { return x.Compare(&r) == 0 })
			})
		case api.ActionLink:
			out.Relations = append(out.Relations, a.Relations...)
		case api.ActionSummarize:
			m := a.Summary.Clone()
			m.ID, m.CreatedAt = idOf(1<<28+len(v.Subjects)<<8+n), v.Now
			if !a.Supersedes.IsZero() {
				out.Subjects[at[a.Supersedes]].SupersededBy = m.ID
			}
			out.Subjects = append(out.Subjects, consolidate.Subject{Memory: m, Vector: v.Subjects[0].Vector})
			for _, r := range a.Relations {
				r.From = m.ID
				out.Relations = append(out.Relations, r)
			}
		case api.ActionArchive:
			out.Subjects[at[a.ID]].Archived = true
		}
	}
	return out
}

// loose are options under which the sample has actions of every kind.
func loose() consolidate.Options {
	o := consolidate.Default()
	o.Clusters.Dense, o.Archive.Below, o.Archive.Near = .2, .2, 0
	return o
}

func TestPlan_HasEveryKind(t *testing.T) {
	t.Parallel()
	p := plan(t, sampleView(600, 6, 1), api.Monthly, loose())
	for _, k := range api.ActionKinds() {
		if p.Count(k) == 0 {
			t.Errorf("no action of kind %s", k)
		}
	}
	if len(p.Topics) != 16 || len(p.Groups) < len(p.Topics) {
		t.Errorf("%d topics and %d groups, want 16 topics and as many groups or more", len(p.Topics), len(p.Groups))
	}
	topics, groups, err := consolidate.Clusters(t.Context(), sampleView(600, 6, 1), loose())
	if diff := cmp.Diff(p.Topics, topics) + cmp.Diff(p.Groups, groups); err != nil || diff != "" {
		t.Errorf("clusters without a plan (-of a plan +alone; %v): %s", err, diff)
	}
}

func TestPlan_OrderOfInput(t *testing.T) {
	t.Parallel()
	v := sampleView(400, 5, 2)
	want := plan(t, v, api.Monthly, loose())
	r := rand.New(rand.NewPCG(3, 3))
	for range 3 {
		r.Shuffle(len(v.Subjects), func(i, k int) { v.Subjects[i], v.Subjects[k] = v.Subjects[k], v.Subjects[i] })
		r.Shuffle(len(v.Relations), func(i, k int) { v.Relations[i], v.Relations[k] = v.Relations[k], v.Relations[i] })
		if d := cmp.Diff(want, plan(t, v, api.Monthly, loose())); d != "" {
			t.Fatalf("another order gives another plan (-want +got):\n%s", d)
		}
	}
}

func TestPlan_SecondProposesNothing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		for _, h := range api.Horizons() {
			v := sampleView(300, 4, seed)
			p := plan(t, v, h, loose())
			if len(p.Actions) == 0 {
				t.Errorf("%s, seed %d: nothing is proposed", h, seed)
			}
			if again := plan(t, apply(v, p), h, loose()); len(again.Actions) > 0 {
				t.Errorf("%s, seed %d: the second plan proposes %d of %d actions, first %+v", h, seed, len(again.Actions), len(p.Actions), again.Actions[0])
			}
		}
	}
}

func TestPlan_ArchivesOnlyWhatItMay(t *testing.T) {
	t.Parallel()
	v := sampleView(800, 6, 4)
	for i := range v.Subjects {
		if i%7 == 0 {
			v.Subjects[i].Accesses = []hippo.Access{{Day: 20, Count: 1}, {Day: 95, Count: 1}}
		}
	}
	o := loose()
	o.Archive.Below = 1
	p := plan(t, v, api.Monthly, o)
	if p.Count(api.ActionArchive) < 100 {
		t.Fatalf("only %d are archived, too few to test", p.Count(api.ActionArchive))
	}
	fronts := make(map[hippo.ID]bool)
	for _, a := range p.Actions {
		if a.Kind == api.ActionLink {
			fronts[a.Relations[0].To] = true
		}
	}
	archived := make(map[hippo.ID]bool)
	for _, a := range p.Actions {
		if a.Kind != api.ActionArchive {
			continue
		}
		archived[a.ID] = true
		i := slices.IndexFunc(v.Subjects, func(s consolidate.Subject) bool { return s.ID == a.ID })
		switch s := v.Subjects[i]; {
		case s.Pinned, s.Upvoted, s.Surprise.Score == 0, len(s.Tags) > 0, len(s.Accesses) > 1, now().Sub(s.CreatedAt) < 30*24*time.Hour, fronts[s.ID]:
			t.Errorf("%s is archived, though it is pinned %v, voted up %v, of surprise %v, tagged %v, used %v, of %v, in front of others %v",
				s.ID, s.Pinned, s.Upvoted, s.Surprise.Score, s.Tags, s.Accesses, s.CreatedAt, fronts[s.ID])
		}
		if a.Reason == "" {
			t.Errorf("%s is archived without a reason", a.ID)
		}
	}
	for _, g := range p.Groups {
		if archived[g.Members[0]] {
			t.Errorf("the most central member %s of a group is archived", g.Members[0])
		}
	}
}

// TestPlan_ArchivesAShare: whatever the threshold, a fifth is archived over all runs, the least surprising first.
func TestPlan_ArchivesAShare(t *testing.T) {
	t.Parallel()
	v := sampleView(600, 6, 4)
	o := loose()
	o.Archive.Below, o.Archive.Share = 1, 1
	all := plan(t, v, api.Monthly, o)
	o.Archive.Share = .2
	p := plan(t, v, api.Monthly, o)
	if p.Count(api.ActionArchive) != 120 || all.Count(api.ActionArchive) <= 120 {
		t.Fatalf("archived %d of %d that may be, want 120", p.Count(api.ActionArchive), all.Count(api.ActionArchive))
	}
	score := make(map[hippo.ID]float64)
	for i := range v.Subjects {
		score[v.Subjects[i].ID] = v.Subjects[i].Surprise.Score * max(.5, math.Exp2(-now().Sub(v.Subjects[i].CreatedAt).Hours()/24/30))
	}
	taken, highest := make(map[hippo.ID]bool), 0.
	for _, a := range p.Actions {
		if a.Kind == api.ActionArchive {
			taken[a.ID], highest = true, max(highest, score[a.ID])
		}
	}
	for _, a := range all.Actions {
		if a.Kind == api.ActionArchive && !taken[a.ID] && score[a.ID] < highest {
			t.Errorf("%s stays with %.3f, another one of %.3f is archived", a.ID, score[a.ID], highest)
		}
	}
	if again := plan(t, apply(v, p), api.Monthly, o); again.Count(api.ActionArchive) != 0 {
		t.Errorf("a second run archives %d more", again.Count(api.ActionArchive))
	}
}

// TestPlan_ArchivesWhatIsSaidElsewhere: what is archived has a memory near it that stays, also over several runs, and what has
// none stays.
func TestPlan_ArchivesWhatIsSaidElsewhere(t *testing.T) {
	t.Parallel()
	v := sampleView(600, 6, 4)
	o := loose()
	o.Archive.Below, o.Archive.Near, o.Archive.Share = 1, .9, .03
	first := plan(t, v, api.Monthly, o)
	o.Archive.Share = 1
	second := plan(t, apply(v, first), api.Monthly, o)
	o.Archive.Near = 0
	all := plan(t, v, api.Monthly, o)
	gone := make(map[hippo.ID]bool)
	for _, a := range slices.Concat(first.Actions, second.Actions) {
		if a.Kind == api.ActionArchive {
			gone[a.ID] = true
		}
	}
	if first.Count(api.ActionArchive) == 0 || second.Count(api.ActionArchive) == 0 || len(gone) >= all.Count(api.ActionArchive) {
		t.Fatalf("archived %d and %d, and %d without the rule", first.Count(api.ActionArchive), second.Count(api.ActionArchive), all.Count(api.ActionArchive))
	}
	codes := make(map[hippo.ID]*vector.Code)
	for i := range v.Subjects {
		codes[v.Subjects[i].ID] = &v.Subjects[i].Vector
	}
	for _, g := range first.Groups {
		for _, id := range g.Members {
			stays := slices.ContainsFunc(g.Members, func(x hippo.ID) bool { return !gone[x] && vector.Cosine(codes[id], codes[x]) > .89 })
			if gone[id] && !stays {
				t.Errorf("%s is archived, and nothing near it stays", id)
			}
		}
	}
	o.Archive.Near = .9
	if again := plan(t, apply(apply(v, first), second), api.Monthly, o); again.Count(api.ActionArchive) != 0 {
		t.Errorf("another run archives %d more", again.Count(api.ActionArchive))
	}
}

func TestPlan_SummariesCiteEveryMember(t *testing.T) {
	t.Parallel()
	p := plan(t, sampleView(500, 6, 5), api.Weekly, loose())
	groups := make(map[hippo.ID][]hippo.ID)
	for _, g := range p.Groups {
		groups[g.Members[0]] = g.Members
	}
	for _, a := range p.Actions {
		if a.Kind != api.ActionSummarize {
			continue
		}
		var to []hippo.ID
		for _, r := range a.Relations {
			to = append(to, r.To)
			if r.Kind != consolidate.Summarizes || r.Weight != 1 {
				t.Errorf("relation %+v of a summary", r)
			}
		}
		if d := cmp.Diff(groups[to[0]], to); d != "" {
			t.Errorf("the summary does not cite its group (-group +cited):\n%s", d)
		}
		if n := len([]rune(a.Summary.Content)); n > 500 {
			t.Errorf("a summary has %d characters, at most 500 are allowed:\n%s", n, a.Summary.Content)
		}
		if !strings.Contains(a.Summary.Content, "["+to[0].Short()+"]") {
			t.Errorf("the summary does not cite %s:\n%s", to[0].Short(), a.Summary.Content)
		}
	}
}

func TestPlan_EachIsInOneCluster(t *testing.T) {
	t.Parallel()
	v := sampleView(700, 5, 6)
	for i := range v.Subjects {
		v.Subjects[i].Content = "everywhere " + v.Subjects[i].Content
	}
	p := plan(t, v, api.Weekly, consolidate.Default())
	for name, list := range map[string][]api.Cluster{"topics": p.Topics, "groups": p.Groups} {
		count := make(map[hippo.ID]int)
		for _, c := range list {
			for _, id := range c.Members {
				count[id]++
			}
			if len(c.Members) > 1 && len(c.Label) == 0 {
				t.Errorf("%s: a cluster of %d has no label", name, len(c.Members))
			}
			if name == "topics" && slices.Contains(c.Label, "everywhere") {
				t.Errorf("a word that all memories have is in the label %q", c.Label)
			}
		}
		for _, s := range v.Subjects {
			if count[s.ID] != 1 {
				t.Errorf("%s: %s is in %d clusters, want 1", name, s.ID, count[s.ID])
			}
		}
	}
}

func TestPlan_ProjectsDoNotMix(t *testing.T) {
	t.Parallel()
	v := sampleView(400, 3, 8)
	project := make(map[hippo.ID]string)
	for i := range v.Subjects {
		v.Subjects[i].Project = []string{"", "a", "b"}[i%3]
		project[v.Subjects[i].ID] = v.Subjects[i].Project
	}
	p := plan(t, v, api.Monthly, loose())
	for _, c := range slices.Concat(p.Topics, p.Groups) {
		for _, id := range c.Members {
			if project[id] != c.Project {
				t.Fatalf("a cluster of project %q has a member of %q", c.Project, project[id])
			}
		}
	}
	for _, a := range p.Actions {
		for _, r := range a.Relations {
			switch {
			case a.Kind == api.ActionLink && project[r.From] != project[r.To]:
				t.Errorf("a link from project %q to %q", project[r.From], project[r.To])
			case a.Kind == api.ActionSummarize && project[r.To] != a.Summary.Project:
				t.Errorf("a summary of project %q of a memory of %q", a.Summary.Project, project[r.To])
			}
		}
	}
}

// A group of other borders than those of the summaries that there are is not summarised again: most of it is cited already.
func TestPlan_WhatIsCitedNeedsNoSummary(t *testing.T) {
	t.Parallel()
	v := sampleView(12, 1, 9)
	o := loose()
	o.Clusters.Group, o.Clusters.K, o.Clusters.Dense = 100, 2, 0
	o.Clusters.Members = 2
	p := plan(t, v, api.Weekly, o)
	whole := p.Actions[slices.IndexFunc(p.Actions, func(a consolidate.Action) bool { return a.Kind == api.ActionSummarize && len(a.Relations) > 3 })]
	n := len(whole.Relations)
	for cited, want := range map[int]bool{n: false, n/2 + 1: false, n / 2: true} {
		stored := &consolidate.Plan{}
		for some := range slices.Chunk(whole.Relations[:cited], n/2) {
			one := whole
			one.Relations = some
			stored.Actions = append(stored.Actions, one)
		}
		again := plan(t, apply(v, stored), api.Weekly, o)
		got := slices.ContainsFunc(again.Actions, func(x consolidate.Action) bool {
			return x.Kind == api.ActionSummarize && len(x.Relations) == n && x.Relations[0].To == whole.Relations[0].To
		})
		if got != want {
			t.Errorf("the summaries of others cite %d of %d: another one is proposed: %v, want %v", cited, n, got, want)
		}
	}
}

func TestPlan_SummaryFollowsItsGroup(t *testing.T) {
	t.Parallel()
	v := sampleView(12, 1, 9)
	o := loose()
	o.Clusters.Group, o.Clusters.K, o.Clusters.Dense = 100, 2, 0
	o.Clusters.Members = 2
	p := plan(t, v, api.Weekly, o)
	a := p.Actions[slices.IndexFunc(p.Actions, func(a consolidate.Action) bool { return a.Kind == api.ActionSummarize })]
	// A stored summary that cites three of four of a group, and one that was rejected.
	for _, c := range []struct {
		name      string
		forgotten bool
		drop      float64
		want      bool
		replaces  bool
	}{
		{"all", false, 0, false, false},
		{"most, superseded", false, .35, true, true},
		{"few, another one", false, .7, true, false},
		{"all, rejected", true, 0, false, false},
		{"most, rejected", true, .35, true, false},
	} {
		after := apply(v, &consolidate.Plan{Actions: []consolidate.Action{a}})
		s := &after.Subjects[len(after.Subjects)-1]
		if c.forgotten {
			s.ForgottenAt = now()
		}
		n := 0
		after.Relations = slices.DeleteFunc(after.Relations, func(r hippo.Relation) bool {
			if r.Kind == consolidate.Summarizes {
				n++
			}
			return r.Kind == consolidate.Summarizes && float64(n) <= c.drop*float64(len(a.Relations))
		})
		again := plan(t, after, api.Weekly, o)
		i := slices.IndexFunc(again.Actions, func(x consolidate.Action) bool {
			return x.Kind == api.ActionSummarize && len(x.Relations) == len(a.Relations) && x.Relations[0].To == a.Relations[0].To
		})
		if got := i >= 0; got != c.want {
			t.Errorf("%s: a summary is proposed: %v, want %v", c.name, got, c.want)
			continue
		}
		if i >= 0 && (again.Actions[i].Supersedes == s.ID) != c.replaces {
			t.Errorf("%s: it supersedes %s", c.name, again.Actions[i].Supersedes)
		}
	}
}

func TestPlan_Small(t *testing.T) {
	t.Parallel()
	for n := range 6 {
		for _, h := range api.Horizons() {
			p := plan(t, sampleView(n, 1, 1), h, loose())
			if n < 4 && len(p.Topics)+len(p.Groups) > 0 {
				t.Errorf("%d memories, %s: there are clusters", n, h)
			}
			if n < 2 && p.Count(api.ActionLink)+p.Count(api.ActionArchive) > 0 {
				t.Errorf("%d memories, %s: actions %+v", n, h, p.Actions)
			}
		}
	}
}

func TestPlan_VectorsWithoutDirection(t *testing.T) {
	t.Parallel()
	v := sampleView(60, 2, 3)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	bad := func(x float32) vector.Code {
		list := make([]float32, dimension)
		for i := range list {
			list[i] = x
		}
		return vector.Quantize(list)
	}
	v.Subjects[0].Vector, v.Subjects[1].Vector, v.Subjects[2].Vector = bad(0), bad(nan), bad(inf)
	v.Subjects[3].Vector.Scale, v.Subjects[4].Vector.Scale, v.Subjects[5].Vector = nan, inf, vector.Code{}
	v.Subjects[6].Surprise.Score = math.NaN()
	v.Subjects[1].Content, v.Subjects[1].ContentHash = v.Subjects[0].Content, v.Subjects[0].ContentHash
	p := plan(t, v, api.Monthly, loose())
	for _, c := range slices.Concat(p.Topics, p.Groups) {
		for _, s := range v.Subjects[:6] {
			if slices.Contains(c.Members, s.ID) {
				t.Errorf("%s has no direction and is in a cluster", s.ID)
			}
		}
		if math.IsNaN(c.Density) || len(c.Members) == 0 {
			t.Errorf("a cluster of %d members has the density %v", len(c.Members), c.Density)
		}
	}
	ends := pairs(p)
	if a, b := v.Subjects[0].ID, v.Subjects[1].ID; !ends[[2]hippo.ID{a, b}] && !ends[[2]hippo.ID{b, a}] {
		t.Error("equal texts without vectors are not linked")
	}
}

// pairs returns the ends of the links of a plan.
func pairs(p *consolidate.Plan) map[[2]hippo.ID]bool {
	out := make(map[[2]hippo.ID]bool)
	for _, a := range p.Actions {
		if a.Kind == api.ActionLink {
			out[[2]hippo.ID{a.Relations[0].From, a.Relations[0].To}] = true
		}
	}
	return out
}

func TestPlan_Refuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, field string
		change      func(*consolidate.View, *consolidate.Options)
		horizon     api.Horizon
	}{
		{"horizon", "horizon", func(*consolidate.View, *consolidate.Options) {}, "hourly"},
		{"no time", "now", func(v *consolidate.View, _ *consolidate.Options) { v.Now = time.Time{} }, api.Daily},
		{"no memory", "subjects", func(v *consolidate.View, _ *consolidate.Options) { v.Subjects[1].Memory = nil }, api.Daily},
		{"no ID", "subjects", func(v *consolidate.View, _ *consolidate.Options) { v.Subjects[1].ID = hippo.ID{} }, api.Daily},
		{"twice", "subjects", func(v *consolidate.View, _ *consolidate.Options) { v.Subjects[1].Memory = v.Subjects[0].Memory }, api.Daily},
		{"tenants", "subjects", func(v *consolidate.View, _ *consolidate.Options) { v.Subjects[1].Namespace = "other" }, api.Daily},
		{"dimensions", "subjects", func(v *consolidate.View, _ *consolidate.Options) {
			v.Subjects[1].Vector = vector.Quantize(make([]float32, 32))
		}, api.Daily},
		{"planes", "subjects", func(v *consolidate.View, _ *consolidate.Options) { v.Subjects[1].Vector.Lo = nil }, api.Daily},
		{"k", "clusters.k", func(_ *consolidate.View, o *consolidate.Options) { o.Clusters.K = -1 }, api.Daily},
		{"cosine", "duplicates.cosine", func(_ *consolidate.View, o *consolidate.Options) { o.Duplicates.Cosine = math.NaN() }, api.Daily},
		{"half-life", "archive.half_life", func(_ *consolidate.View, o *consolidate.Options) { o.Archive.HalfLife = math.NaN() }, api.Daily},
		{"overlap", "duplicates.overlap", func(_ *consolidate.View, o *consolidate.Options) { o.Duplicates.Overlap = 0 }, api.Daily},
	} {
		v, o := sampleView(5, 1, 1), consolidate.Default()
		c.change(v, &o)
		_, err := consolidate.New(context.Background(), v, c.horizon, o)
		if f, ok := errors.AsType[*hippo.FieldError](err); !ok || f.Field != c.field {
			t.Errorf("%s: error %v, want one of field %s", c.name, err, c.field)
		}
	}
}

// expiring is a context that is cancelled after its error was asked for some times.
type expiring struct {
	context.Context
	left *int
}

func (e expiring) Err() error {
	if *e.left--; *e.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestPlan_Cancelled cancels ever later, until a plan is finished first.
func TestPlan_Cancelled(t *testing.T) {
	t.Parallel()
	v := sampleView(300, 3, 1)
	for n := 0; n < 1<<20; n += 1 + n/4 {
		left := n
		p, err := consolidate.New(expiring{context.Background(), &left}, v, api.Monthly, loose())
		if err == nil {
			if n < 20 {
				t.Errorf("the context is looked at %d times only", n)
			}
			return
		}
		if !errors.Is(err, context.Canceled) || p != nil {
			t.Fatalf("cancelled at look %d: plan %v, error %v", n, p, err)
		}
	}
	t.Error("a plan never ends")
}

func TestPlan_EqualMemories(t *testing.T) {
	t.Parallel()
	const n = 100_000
	one := sampleView(1, 1, 1).Subjects[0]
	v := &consolidate.View{Now: now(), Subjects: make([]consolidate.Subject, n)}
	ms := make([]hippo.Memory, n)
	for i := range ms {
		ms[i] = *one.Memory
		ms[i].ID = idOf(i)
		v.Subjects[i] = consolidate.Subject{Memory: &ms[i], Vector: one.Vector}
	}
	most := consolidate.Default().Duplicates.Links
	p := plan(t, v, api.Monthly, consolidate.Default())
	if len(p.Topics) != 1 || len(p.Groups) != 1 || p.Count(api.ActionLink) != most || p.Left != n-1-most || p.Count(api.ActionSummarize) != 0 {
		t.Errorf("%d topics, %d groups, %d links, %d left, %d summaries; want one cluster, %d links, the others left, and no summary",
			len(p.Topics), len(p.Groups), p.Count(api.ActionLink), p.Left, p.Count(api.ActionSummarize), most)
	}
	front := p.Actions[0].Relations[0].To
	for _, a := range p.Actions {
		if a.Kind == api.ActionLink && a.Relations[0].To != front {
			t.Fatalf("%s is linked to %s, want all linked to %s", a.ID, a.Relations[0].To, front)
		}
	}
}

func TestPlan_Horizons(t *testing.T) {
	t.Parallel()
	v := sampleView(900, 6, 11)
	for i := 10; i < len(v.Subjects); i += 50 { // near copies of the one before
		v.Subjects[i].CreatedAt, v.Subjects[i].UpdatedAt = now().Add(-time.Hour), now().Add(-time.Hour)
	}
	age := func(id hippo.ID) int {
		i := slices.IndexFunc(v.Subjects, func(s consolidate.Subject) bool { return s.ID == id })
		return int(now().Sub(v.Subjects[i].CreatedAt).Hours() / 24)
	}
	for h, want := range map[api.Horizon][]api.ActionKind{
		api.Daily:     {api.ActionPrune, api.ActionLink},
		api.Weekly:    {api.ActionPrune, api.ActionLink, api.ActionSummarize},
		api.Monthly:   api.ActionKinds(),
		api.Quarterly: {api.ActionPrune, api.ActionSummarize, api.ActionArchive},
		api.Yearly:    {api.ActionPrune, api.ActionArchive},
	} {
		p := plan(t, v, h, loose())
		for _, k := range api.ActionKinds() {
			if got := p.Count(k) > 0; got != slices.Contains(want, k) {
				t.Errorf("%s: %d actions of kind %s", h, p.Count(k), k)
			}
		}
		for _, a := range p.Actions {
			switch {
			case h == api.Quarterly && a.Kind == api.ActionArchive && age(a.ID) < 90,
				h == api.Yearly && a.Kind == api.ActionArchive && age(a.ID) < 365:
				t.Errorf("%s: %s of a memory of %d days", h, a.Kind, age(a.ID))
			}
		}
	}
}

func TestDuplicates(t *testing.T) {
	t.Parallel()
	const text = "The gateway closes idle connections of Envoy, so clients send a keepalive frame before they reuse one"
	for _, c := range []struct {
		name, other string
		noise       float64
		want        bool
	}{
		{"same text", text, 1, true},
		{"one word more", text + " again", .1, true},
		{"other vector", text + " again", 1, false},
		{"other words", "Restart the billing worker whenever ledger exports hang in staging on Mondays", .1, false},
		{"negated", strings.Replace(text, "clients send", "clients do not send", 1), .1, false},
		{"another number", text + " 30 s", .1, false},
		{"another name", strings.Replace(text, "Envoy", "Nginx", 1), .1, false},
		{"a name left out", strings.Replace(text, " of Envoy", "", 1), .1, true},
	} {
		r := rand.New(rand.NewPCG(1, 1))
		v := sampleView(2, 1, 1)
		a, b := &v.Subjects[0], &v.Subjects[1]
		a.Content, b.Content = text, c.other
		a.ContentHash, b.ContentHash = hippo.HashContent(text), hippo.HashContent(c.other)
		b.Vector = vector.Quantize(noise(r, a.Vector.Floats(nil, dimension), c.noise))
		b.Pinned, a.Pinned, a.Upvoted, b.Upvoted = true, false, false, false
		p := plan(t, v, api.Weekly, consolidate.Default())
		if got := pairs(p); len(got) > 1 || got[[2]hippo.ID{a.ID, b.ID}] != c.want {
			t.Errorf("%s: links %v, want one from the first to the pinned one: %v", c.name, got, c.want)
		}
	}
}

// TestDuplicates_AllPairs compares what is found with what comparing all pairs finds.
func TestDuplicates_AllPairs(t *testing.T) {
	t.Parallel()
	v := sampleView(600, 6, 12)
	o := consolidate.Default()
	p := plan(t, v, api.Weekly, o)
	linked := make(map[hippo.ID]bool)
	for e := range pairs(p) {
		linked[e[0]] = true
	}
	n := 0
	for i := 10; i < len(v.Subjects); i += 10 { // each a copy of the one before
		a, b := &v.Subjects[i-1], &v.Subjects[i]
		if a.Content+" indeed" == b.Content && vector.Cosine(&a.Vector, &b.Vector) > o.Duplicates.Cosine+.001 {
			n++
			if !linked[a.ID] && !linked[b.ID] {
				t.Errorf("near-duplicates %s and %s are not linked", a.ID, b.ID)
			}
		}
	}
	if n < 50 || len(linked) > n+2 {
		t.Errorf("%d pairs were made and %d links found", n, len(linked))
	}
}

// A plan links no more than its limit, and the next ones link the rest to the same memory.
func TestDuplicates_Links(t *testing.T) {
	t.Parallel()
	v := sampleView(12, 1, 1)
	for i := range v.Subjects {
		v.Subjects[i].Content, v.Subjects[i].ContentHash = v.Subjects[0].Content, v.Subjects[0].ContentHash
		v.Subjects[i].Project = ""
	}
	o := consolidate.Default()
	o.Duplicates.Links = 5
	fronts := make(map[hippo.ID]bool)
	for _, want := range [][2]int{{5, 6}, {5, 1}, {1, 0}, {0, 0}} {
		p := plan(t, v, api.Weekly, o)
		for e := range pairs(p) {
			fronts[e[1]] = true
		}
		if got := [2]int{p.Count(api.ActionLink), p.Left}; got != want || len(fronts) != 1 {
			t.Errorf("%v are linked and left to %d fronts, want %v to one", got, len(fronts), want)
		}
		v = apply(v, p)
	}
}

func TestPlan_ViewIsOnlyRead(t *testing.T) {
	t.Parallel()
	v := sampleView(200, 3, 13)
	before := apply(v, &consolidate.Plan{})
	plan(t, v, api.Monthly, loose())
	if d := cmp.Diff(before, v); d != "" {
		t.Errorf("the view was changed (-before +after):\n%s", d)
	}
}

func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		v := sampleView(n, 200, 1)
		for _, h := range []api.Horizon{api.Daily, api.Monthly} {
			b.Run(fmt.Sprintf("%d/%s", n, h), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					plan(b, v, h, consolidate.Default())
				}
			})
		}
	}
}
