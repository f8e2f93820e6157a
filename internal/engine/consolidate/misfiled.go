package consolidate

import (
	"fmt"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

// Place is a project as people know it.
type Place struct {
	// Names are its names in the store, that to use first.
	Names []string
	// Title is its name for people. Called are the names that a text may use: the remote, its end, or a folder.
	Title  string
	Called []string
	// Has reports whether the working tree has a file or a folder; nil: no tree is at hand.
	Has func(path string) bool
}

const (
	// leastUses is how many other memories of a project must name what no memory elsewhere names, so that it counts as the project's own.
	leastUses = 2
	// leastSession is how many other memories of a session must be in one project, and leastUnassigned, for a memory of no known project.
	leastSession, leastUnassigned = 3, 2
	// sessionSpan is how far apart two memories of one session may be: some programs name all of their sessions alike. maxSession is how
	// large a session may be.
	sessionSpan, maxSession = 12 * time.Hour, 500
	// leastWeight is the weight of the marks that are enough.
	leastWeight = 2
)

// nowhere is the position of a memory that is in none of the places.
const nowhere = -1

// filing knows what the memories of each place name.
type filing struct {
	places   []Place
	position map[string]int         // by the names of projects
	texts    map[hippo.ID]naming    // of the memories that name something
	uses     map[string]map[int]int // how many memories of each place have a mark
	weights  map[string]int         // of marks, the highest that a memory gives them
	sessions map[string][]*Subject
}

// naming is what a text names: marks, and places.
type naming struct {
	marks  []mark
	places map[int]manner
}

// misfiled finds memories that belong to another project than the one they are in, by what they name and by their sessions. What
// somebody pinned or voted up is where it belongs.
func (a *auditor) misfiled() error {
	if len(a.Places) < 1 {
		return nil
	}
	f := newFiling(a.Places)
	for _, list := range [][]Subject{a.Subjects, a.Beside} {
		for i := range list {
			if err := a.stop.at(i, 1024); err != nil {
				return err
			}
			f.add(&list[i])
		}
	}
	for i := range a.Subjects {
		x := &a.Subjects[i]
		if x.Pinned || x.Upvoted || x.Type == hippo.FileType || x.Project == "" && x.UserPreference() || !x.SupersededBy.IsZero() {
			continue
		}
		if to, why := f.better(x); to != nowhere {
			a.find(api.Finding{Problem: api.ProblemMisfiled, ID: x.ID, Reason: why, Remedy: api.RemedyMove, Project: f.places[to].Names[0]})
		}
	}
	return nil
}

func newFiling(places []Place) *filing {
	f := &filing{
		places: places, position: make(map[string]int), texts: make(map[hippo.ID]naming), uses: make(map[string]map[int]int),
		weights: make(map[string]int), sessions: make(map[string][]*Subject),
	}
	for i, p := range places {
		for _, n := range p.Names {
			f.position[n] = i
		}
	}
	return f
}

// at returns the place of a memory.
func (f *filing) at(m *hippo.Memory) int {
	if i, ok := f.position[m.Project]; ok && m.Project != "" {
		return i
	}
	return nowhere
}

// add reads a memory.
func (f *filing) add(x *Subject) {
	n := naming{marks: marksOf(x.Content), places: make(map[int]manner)}
	text := plainText(x.Content)
	for i := range f.places {
		if how := f.places[i].namedIn(text); how != unnamed {
			n.places[i] = how
		}
	}
	at := f.at(x.Memory)
	for _, m := range n.marks {
		f.weights[m.text] = max(f.weights[m.text], m.weight)
		if f.uses[m.text] == nil {
			f.uses[m.text] = make(map[int]int)
		}
		f.uses[m.text][at]++
	}
	if len(n.marks) > 0 || len(n.places) > 0 {
		f.texts[x.ID] = n
	}
	if s := x.Source.Session; s != "" && at != nowhere {
		f.sessions[s] = append(f.sessions[s], x)
	}
}

// better returns the place where a memory belongs and what shows it; [nowhere]: it is where it belongs, or nobody can tell.
func (f *filing) better(x *Subject) (to int, why string) {
	own, n := f.at(x.Memory), f.texts[x.ID]
	if own != nowhere && (n.places[own] != unnamed || f.supports(own, &n)) {
		return nowhere, ""
	}
	if to, why = f.byMarks(own, &n); to == nowhere {
		if to, why = f.byName(x.Memory, own, &n); to == nowhere {
			to, why = f.bySession(x.Memory, own)
		}
	}
	for p, how := range n.places {
		if p != to || own != nowhere && how == mentioned { // it speaks of a project from outside
			return nowhere, ""
		}
	}
	return to, why
}

// supports reports whether a place has something that a text names: in its tree, or in another memory.
func (f *filing) supports(place int, n *naming) bool {
	return slices.ContainsFunc(n.marks, func(m mark) bool {
		return f.uses[m.text][place] > 1 || m.path && f.has(place, m.text)
	})
}

func (f *filing) has(place int, path string) bool {
	return f.places[place].Has != nil && f.places[place].Has(path)
}

// byMarks finds the one place where the files and symbols are that a text names.
func (f *filing) byMarks(own int, n *naming) (to int, why string) {
	to = nowhere
	weight := 0
	for _, m := range n.marks {
		home, reason := f.home(own, m)
		switch {
		case home == nowhere:
			continue
		case to != nowhere && to != home:
			return nowhere, ""
		case to == nowhere:
			why = reason
		}
		to = home
		weight += f.weights[m.text]
	}
	if to == own || weight < leastWeight {
		return nowhere, ""
	}
	return to, why
}

// home returns the one place that has a mark, and how that is known.
func (f *filing) home(own int, m mark) (place int, why string) {
	if m.path && (own == nowhere || f.places[own].Has != nil) {
		var in []int
		for i := range f.places {
			if f.has(i, m.text) {
				in = append(in, i)
			}
		}
		if len(in) > 1 {
			return nowhere, ""
		}
		if len(in) == 1 {
			why = fmt.Sprintf("it names %s, which is a file of %s", m.text, f.places[in[0]].Title)
			if own != nowhere {
				why += " and none of " + f.places[own].Title
			}
			return in[0], why
		}
	}
	place = nowhere
	for p, n := range f.uses[m.text] {
		switch {
		case p == own && n == 1: // that is the memory
		case p == nowhere:
		case place != nowhere || p == own || n < leastUses:
			return nowhere, ""
		default:
			place, why = p, fmt.Sprintf("it names %s, as %d other memories of %s do, and none elsewhere", m.text, n, f.places[p].Title)
		}
	}
	return place, why
}

// byName finds the one place that a text is about by its own words.
func (f *filing) byName(m *hippo.Memory, own int, n *naming) (to int, why string) {
	if len(n.places) != 1 {
		return nowhere, ""
	}
	for p, how := range n.places {
		called := slices.ContainsFunc(m.Tags, func(t string) bool { return f.places[p].isCalled(t) })
		if how == subject && (own == nowhere || !f.isFolder(own, p)) || own == nowhere && m.Project == hippo.Unassigned && (how == identified || called) {
			return p, "it says that it is about " + f.places[p].Title
		}
	}
	return nowhere, ""
}

// isFolder reports whether the tree of a place has a folder by the name of another place.
func (f *filing) isFolder(own, other int) bool {
	return slices.ContainsFunc(f.places[other].Called, func(name string) bool { return f.has(own, name) })
}

// bySession finds the one place where all other memories of a session are.
func (f *filing) bySession(m *hippo.Memory, own int) (to int, why string) {
	list, least := f.sessions[m.Source.Session], leastSession
	if own == nowhere {
		least = leastUnassigned
	}
	if len(list) > maxSession || own == nowhere && m.Project != hippo.Unassigned {
		return nowhere, ""
	}
	to = nowhere
	count := 0
	for _, o := range list {
		if o.ID == m.ID || o.CreatedAt.Sub(m.CreatedAt).Abs() > sessionSpan {
			continue
		}
		at := f.at(o.Memory)
		if to != nowhere && at != to {
			return nowhere, ""
		}
		to = at
		count++
	}
	if count < least || to == own {
		return nowhere, ""
	}
	return to, fmt.Sprintf("the %d other memories of its session are all in %s", count, f.places[to].Title)
}
