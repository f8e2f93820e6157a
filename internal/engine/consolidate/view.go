package consolidate

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

// View is what a plan is made of: the memories of one namespace, or some of them, and the relations
// between them. It is only read.
type View struct {
	// Now is the time of the plan; it must be set.
	Now time.Time
	// Zone is that of the days which reasons and summaries name; UTC if it is nil.
	Zone *time.Location
	// Calendar has the active day.
	Calendar hippo.Calendar
	// Subjects are the memories, in any order, forgotten ones included or not.
	Subjects []Subject
	// Relations are those between the subjects, in any order, with the weights that are stored.
	Relations []hippo.Relation
	// Places are the projects; without them no memory is [api.ProblemMisfiled].
	Places []Place
	// Beside are memories that no plan is made for. What they name says where the subjects belong.
	Beside []Subject
	// Yield, unless nil, is called every millisecond or so of the work, by the one goroutine that does it. It may wait, so that
	// others get the processor; its error ends the plan, and is returned.
	Yield func(ctx context.Context) error
}

// Subject is a memory with what is known about it.
type Subject struct {
	*hippo.Memory
	// Vector is the vector of the memory by the model of the view, of any length above 0. A memory without
	// one, with one of zeros or with one of a scale that is not finite is in no cluster.
	Vector vector.Code
	// Upvoted is set if a vote said that the memory helps.
	Upvoted bool
	// Archived is set if the memory is archived.
	Archived bool
}

// zone returns the zone of the days that are named.
func (v *View) zone() *time.Location { return cmp.Or(v.Zone, time.UTC) }

// validate returns what is wrong with the view.
func (v *View) validate() error {
	if v.Now.IsZero() {
		return hippo.Fieldf("now", "must be given")
	}
	seen := make(map[hippo.ID]bool, len(v.Subjects))
	for i := range v.Subjects {
		s := &v.Subjects[i]
		switch {
		case s.Memory == nil:
			return hippo.Fieldf("subjects", "must not hold an empty memory, as at position %d", i)
		case s.ID.IsZero():
			return hippo.Fieldf("subjects", "must have IDs, got none at position %d", i)
		case seen[s.ID]:
			return hippo.Fieldf("subjects", "must be distinct, got %s twice", s.ID)
		case s.Namespace != v.Subjects[0].Namespace:
			return hippo.Fieldf("subjects", "must be of one namespace, got %q and %q", v.Subjects[0].Namespace, s.Namespace)
		case len(s.Vector.Hi) != len(s.Vector.Lo):
			return hippo.Fieldf("subjects", "must have vectors with two planes of equal length; those of %s have %d and %d components", s.ID, len(s.Vector.Hi), len(s.Vector.Lo))
		}
		seen[s.ID] = true
	}
	return v.validVectors()
}

// validVectors checks that all vectors have one length, as those of one model do.
func (v *View) validVectors() error {
	length := 0
	for i := range v.Subjects {
		s := &v.Subjects[i]
		n := len(s.Vector.Hi)
		if n == 0 {
			continue
		}
		if length == 0 {
			length = n
		}
		if n != length || n%vector.Lane != 0 || n > vector.MaxDimension {
			return hippo.Fieldf("subjects", "must have vectors of one length, a multiple of %d and at most %d; got %d and %d components (%s)",
				vector.Lane, vector.MaxDimension, length, n, s.ID)
		}
	}
	return nil
}

// state is a view with what the steps share. Subjects are in the order of their IDs.
type state struct {
	*View
	options *Options
	stop    pause
	window  window
	// existing are the summaries that are stored, superseded ones left out, by the memory that they are.
	existing []citation
	// citing has the positions of those that cite a memory.
	citing map[hippo.ID][]int
	// everCiting has all summaries that cite a memory, superseded ones included.
	everCiting map[hippo.ID][]hippo.ID
	links      map[pair]bool // near-duplicates that are linked, the smaller ID first
	linked     int           // near-duplicates to link, those of [Plan.Left] included
	plan       *Plan
}

// pair is two memories, the smaller ID first.
type pair [2]hippo.ID

func pairOf(a, b hippo.ID) pair {
	if a.Compare(b) > 0 {
		a, b = b, a
	}
	return pair{a, b}
}

// citation is a stored summary with the memories that it cites.
type citation struct {
	id      hippo.ID
	dead    bool // forgotten: it was rejected
	members int
}

// arrange sorts the relations into what the steps need.
func (s *state) arrange() {
	s.links, s.citing, s.everCiting = make(map[pair]bool), make(map[hippo.ID][]int), make(map[hippo.ID][]hippo.ID)
	members := make(map[hippo.ID][]hippo.ID)
	for i := range s.Relations {
		switch r := &s.Relations[i]; r.Kind {
		case DuplicateOf:
			s.links[pairOf(r.From, r.To)] = true
		case Summarizes:
			members[r.From] = append(members[r.From], r.To)
			s.everCiting[r.To] = append(s.everCiting[r.To], r.From)
		}
	}
	for i := range s.Subjects {
		m := s.Subjects[i].Memory
		if n := len(members[m.ID]); n > 0 && m.SupersededBy.IsZero() {
			s.existing = append(s.existing, citation{m.ID, m.Forgotten(), n})
		}
	}
	slices.SortFunc(s.existing, func(a, b citation) int { return a.id.Compare(b.id) })
	for i, x := range s.existing {
		for _, id := range members[x.id] {
			s.citing[id] = append(s.citing[id], i)
		}
	}
}

// projects returns the subjects that take part, by project, each list in the order of IDs.
func (s *state) projects() [][]*Subject {
	summary := make(map[hippo.ID]bool)
	for i := range s.Relations {
		if s.Relations[i].Kind == Summarizes {
			summary[s.Relations[i].From] = true
		}
	}
	by := make(map[string][]*Subject)
	for i := range s.Subjects {
		x := &s.Subjects[i]
		if !x.Forgotten() && x.SupersededBy.IsZero() && x.ValidAt(s.Now) && !summary[x.ID] {
			by[x.Project] = append(by[x.Project], x)
		}
	}
	out := make([][]*Subject, 0, len(by))
	for _, list := range by {
		slices.SortFunc(list, func(a, b *Subject) int { return bytes.Compare(a.ID[:], b.ID[:]) })
		out = append(out, list)
	}
	slices.SortFunc(out, func(a, b []*Subject) int { return bytes.Compare([]byte(a[0].Project), []byte(b[0].Project)) })
	return out
}

// age is the time since a memory was recorded or changed, 0 if that is in the future or unknown.
func (s *state) age(m *hippo.Memory) time.Duration {
	at := m.CreatedAt
	if m.UpdatedAt.After(at) {
		at = m.UpdatedAt
	}
	if at.IsZero() {
		return 0
	}
	return max(0, s.Now.Sub(at))
}
