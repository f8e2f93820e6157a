package web

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// auditBody is the last audit, a section and a page at a time.
type auditBody struct {
	// Wait leads to the page when the audit is made; empty: it is.
	Wait     string
	Sections []auditSection
	// Chosen is the section that is shown; nil: nothing was found.
	Chosen   *auditSection
	Findings []finding
	Pager    pager
	Memories int
	// When it was made; Again makes it again.
	When  moment
	Again string
}

// auditSection is one problem.
type auditSection struct {
	Problem     api.Problem
	Name, About string
	// Count is the number of findings, Listed of how many there are pages.
	Count, Listed int
	Link          string
}

// finding is a memory with a problem. What can be done about it depends on its kind, one of the fields Expired to Unused of [kinds].
type finding struct {
	item
	// Other supersedes or contradicts it, or says the same; nil: there is none.
	Other  *item
	Reason string
	// Project is where it belongs, Title that for people; empty: where it is.
	Project, Title string
	kinds
}

// kinds are what a finding may be: no longer valid, superseded and idle, contradicted, a repetition, in the wrong project, or never used.
type kinds struct{ Expired, Superseded, Contradicted, Repeated, Misfiled, Unused bool }

func kindsOf(f *api.Finding) kinds {
	alone := f.Other.IsZero()
	return kinds{
		Expired: f.Problem == api.ProblemStale && alone, Superseded: f.Problem == api.ProblemStale && !alone && f.Remedy == api.RemedyForget,
		Contradicted: f.Remedy == api.RemedySupersede, Repeated: f.Problem == api.ProblemRepeated,
		Misfiled: f.Problem == api.ProblemMisfiled, Unused: f.Problem == api.ProblemUnused,
	}
}

// showAudit shows the last audit of what the caller sees, or a page that waits for the first one.
func showAudit(v *visit) (page, error) {
	q := v.r.URL.Query()
	offset, err := v.offset()
	if err != nil {
		return page{}, err
	}
	problem := api.Problem(q.Get("problem"))
	if problem != "" {
		if err := hippo.OneOf("problem", problem, api.Problems()...); err != nil {
			return page{}, err
		}
	}
	var b auditBody
	done := v.audits.last(&v.caller.Scope, q.Get("instead"))
	if done == nil {
		q.Del("part")
		b.Wait = (&url.URL{Path: "/ui/review/audit", RawQuery: q.Encode()}).String()
		return auditPage(v, &b), nil
	}
	b.Memories, b.When = done.Memories, v.moment(done.at)
	b.Again = link("/ui/review", "part", "audit", "problem", string(problem), "instead", done.key)
	b.Sections = sectionsOf(done)
	i := slices.IndexFunc(b.Sections, func(s auditSection) bool { return s.Problem == problem || problem == "" && s.Count > 0 })
	if i >= 0 {
		b.Chosen = &b.Sections[i]
		end := 0
		if b.Findings, end, err = findingsOf(v.r.Context(), v, done, b.Chosen.Problem, offset); err != nil {
			return page{}, err
		}
		b.Pager = v.pager(offset, end-offset, b.Chosen.Listed, pageSize)
	}
	return auditPage(v, &b), nil
}

func auditPage(v *visit, b *auditBody) page {
	return page{Title: "Review: audit", Content: auditContent(formsOf(v), *b)}
}

func sectionsOf(d *doneAudit) []auditSection {
	out := []auditSection{
		{Problem: api.ProblemStale, Name: "Stale", About: "No longer valid; or superseded or contradicted by a newer one, and not used for a long time."},
		{Problem: api.ProblemContradictory, Name: "Contradictory", About: "A newer one gives the same fact another value."},
		{Problem: api.ProblemRepeated, Name: "Duplicates", About: "A better one says the same."},
		{Problem: api.ProblemMisfiled, Name: "Misfiled", About: "It belongs to another project than the one that it is in."},
		{Problem: api.ProblemUnused, Name: "Unused", About: "Recorded long ago, and never opened, voted or returned by a search since."},
	}
	for i := range out {
		s := &out[i]
		s.Count, s.Listed = d.Counts[s.Problem], len(listed(d, s.Problem))
		s.Link = link("/ui/review", "part", "audit", "problem", string(s.Problem))
	}
	return out
}

// listed returns the findings of a problem that the audit lists.
func listed(d *doneAudit, p api.Problem) []api.AuditFinding {
	is := func(f api.AuditFinding) bool { return f.Problem == p }
	from := slices.IndexFunc(d.Findings, is)
	if from < 0 {
		return nil
	}
	to := slices.IndexFunc(d.Findings[from:], func(f api.AuditFinding) bool { return !is(f) })
	if to < 0 {
		return d.Findings[from:]
	}
	return d.Findings[from : from+to]
}

// findingsOf returns a page of the findings of a problem, and where it ends. What was settled since the audit is passed over.
func findingsOf(ctx context.Context, v *visit, d *doneAudit, p api.Problem, offset int) (out []finding, end int, err error) {
	list, title := listed(d, p), memory.ProjectTitles(v.memories)
	end = min(offset, len(list))
	for end < len(list) && len(out) < pageSize {
		chunk := list[end:min(end+pageSize, len(list))]
		now, err := stateOf(ctx, v, chunk)
		if err != nil {
			return nil, end, err
		}
		for i := range chunk {
			if len(out) == pageSize {
				break
			}
			end++
			if f := &chunk[i]; now.holds(f, d.at, v.now) {
				out = append(out, newFinding(v, f, now, title))
			}
		}
	}
	return out, end, nil
}

func newFinding(v *visit, f *api.AuditFinding, now *auditState, title func(project string) string) finding {
	x := finding{item: v.newItem(now.memories[f.ID]), Reason: strings.ToUpper(f.Reason[:1]) + f.Reason[1:], Project: f.Project, Title: title(f.Project), kinds: kindsOf(&f.Finding)}
	if o := now.memories[f.Other]; o != nil {
		other := v.newItem(o)
		x.Other = &other
	}
	return x
}

// auditState is what the memories of findings are now.
type auditState struct {
	memories map[hippo.ID]*hippo.Memory
	// compatible are pairs of which somebody said that both stay, the smaller ID first.
	compatible map[[2]hippo.ID]bool
}

// stateOf reads the memories of findings, without those that were deleted for good.
func stateOf(ctx context.Context, v *visit, list []api.AuditFinding) (*auditState, error) {
	s := &auditState{make(map[hippo.ID]*hippo.Memory), make(map[[2]hippo.ID]bool)}
	var ids []hippo.ID
	for i := range list {
		for _, id := range []hippo.ID{list[i].ID, list[i].Other} {
			if !id.IsZero() && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	ms, err := memory.Get(ctx, v.memories, ids)
	if unknown, ok := errors.AsType[*hippo.UnknownError](err); ok {
		ids = slices.DeleteFunc(ids, func(id hippo.ID) bool { return slices.Contains(unknown.IDs, id) })
		if len(ids) == 0 {
			return s, nil
		}
		ms, err = memory.Get(ctx, v.memories, ids)
	}
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		s.memories[m.ID] = m
	}
	relations, err := knowledge.RelationsOf(ctx, v.memories, ids)
	for i := range relations {
		if r := &relations[i]; r.Kind == hippo.CompatibleWith && r.ValidAt(v.now) {
			s.compatible[orderedPair(r.From, r.To)] = true
		}
	}
	return s, err
}

func orderedPair(a, b hippo.ID) [2]hippo.ID {
	if a.Compare(b) > 0 {
		a, b = b, a
	}
	return [2]hippo.ID{a, b}
}

// holds reports whether nobody has settled a finding since the audit: neither by a vote, a change of a text or of the validity,
// nor by hiding or superseding one of the memories, nor by saying that both stay.
func (s *auditState) holds(f *api.AuditFinding, audited, now time.Time) bool {
	x, k := s.memories[f.ID], kindsOf(&f.Finding)
	switch {
	case !inUse(x) || textChanged(x, f.Text) || x.Importance.SetAt.After(audited):
		return false
	case k.Superseded:
		return x.SupersededBy == f.Other && inUse(s.memories[f.Other])
	case !x.SupersededBy.IsZero():
		return false
	case k.Expired:
		return !x.ValidUntil.IsZero() && !x.ValidAt(now)
	case k.Misfiled:
		return x.Project != f.Project
	case k.Unused:
		return !x.Pinned
	}
	o := s.memories[f.Other]
	return inUse(o) && o.SupersededBy.IsZero() && !textChanged(o, f.OtherText) && !s.compatible[orderedPair(f.ID, f.Other)]
}

func inUse(m *hippo.Memory) bool { return m != nil && !m.Forgotten() && !m.Archived() }

// textChanged reports whether a content does not begin with what an audit has shown of it any more.
func textChanged(m *hippo.Memory, shown string) bool {
	return wire.Clip(m.Content, max(1, len([]rune(shown)))) != shown
}
