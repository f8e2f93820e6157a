package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// filterForm is the filter of a page as the form has it.
type filterForm struct {
	Project, Type, Tag string
	// When is a time in English, From and To are dates.
	When, From, To string
	Trust          string
	hippo.Origin
	// Problem is what is wrong with the form, which stays to be corrected.
	Problem string
	states
	choices
	api.Arrival
}

// states choose memories by their state.
type states struct{ Pinned, Forgotten, Archived bool }

// choices are what can be chosen.
type choices struct {
	Projects []choice
	Trusts   []choice
}

// choice is an option of a form.
type choice struct {
	Value, Label string
	Chosen       bool
}

// filter reads the filter of a query.
func (v *visit) filter(ctx context.Context, q url.Values) (filterForm, hippo.Filter, error) {
	form := filterForm{
		Project: strings.TrimSpace(q.Get("project")), Type: strings.TrimSpace(q.Get("type")), Tag: strings.TrimSpace(q.Get("tag")), When: strings.TrimSpace(q.Get("when")),
		From: q.Get("from"), To: q.Get("to"), Trust: q.Get("trust"), Origin: hippo.Origin{Author: strings.TrimSpace(q.Get("author")), Session: strings.TrimSpace(q.Get("session"))},
		Arrival: api.Arrival{Source: strings.TrimSpace(q.Get("source")), Import: strings.TrimSpace(q.Get("import"))},
		states:  states{Pinned: q.Get("pinned") != "", Forgotten: q.Get("forgotten") != "", Archived: q.Get("archived") != ""},
	}
	projects, err := memory.Projects(ctx, v.memories)
	if err != nil {
		return form, hippo.Filter{}, err
	}
	title := memory.ProjectTitles(v.memories)
	for _, p := range projects {
		if p != "" {
			form.Projects = append(form.Projects, choice{p, title(p), p == form.Project})
		}
	}
	for _, t := range []struct{ value, label string }{{"", "Any trust"}, {"low", "Low or higher"}, {"normal", "Normal or higher"}, {"high", "High"}} {
		form.Trusts = append(form.Trusts, choice{t.value, t.label, t.value == form.Trust})
	}
	f, err := form.filter(v.now.In(v.memories.Zone()))
	if err == nil {
		f.Projects, err = (&verb.Project{Name: "project", Text: cmp.Or(form.Project, hippo.AllProjects)}).Filter(ctx, v.memories)
	}
	return form, f, err
}

// kept notes an error that is about the form, which a page p shows, and returns any other.
func (f *filterForm) kept(p *page, err error) error {
	switch {
	case errors.Is(err, hippo.ErrInvalid):
		p.Status = http.StatusBadRequest
	case errors.Is(err, hippo.ErrNotFound): // a project
		p.Status = http.StatusNotFound
	default:
		return err
	}
	f.Problem = messageOf(verb.Named(err, verb.Shell, []verb.Arg{{Name: "Time", Field: "When when"}, {Name: "Import", Field: "import"}, {Name: "Trust", Field: "min_trust"}}))
	return nil
}

// filter returns the filter that the form describes, without a project that it names. Dates are days in the zone of the time, both included; other
// times of the form, such as 3d, are taken to the second.
func (f *filterForm) filter(now time.Time) (hippo.Filter, error) {
	n := verb.Narrow{
		Tags: splitList(f.Tag), Types: verb.Given([]string{f.Type}), Author: f.Author, Session: f.Session, MinTrust: f.Trust, Pinned: f.Pinned, Archived: f.Archived,
		Created: verb.Span{After: verb.Time{Name: "Recorded from", Text: f.From}, Before: verb.Time{Name: "Recorded to", Text: f.To}},
	}
	out, err := n.Filter(now)
	if _, notDate := time.Parse(time.DateOnly, strings.TrimSpace(f.To)); notDate == nil && !out.CreatedBefore.IsZero() {
		out.CreatedBefore = out.CreatedBefore.AddDate(0, 0, 1)
	}
	if err == nil && f.From != "" && f.To != "" && !out.CreatedAfter.Before(out.CreatedBefore) {
		err = hippo.Fieldf("Recorded to", "must not be before from, got %.20q and %.20q", f.From, f.To)
	}
	return out, err
}

// set reports whether the form filters at all.
func (f *filterForm) set() bool {
	return f.Project != "" || f.Type != "" || f.Tag != "" || f.When != "" || f.From != "" || f.To != "" || f.Trust != "" || f.Origin != hippo.Origin{} ||
		f.Pinned || f.Forgotten || f.Archived || f.Arrival != api.Arrival{}
}

// splitList splits a list with commas, without empty elements.
func splitList(text string) []string {
	var out []string
	for s := range strings.SplitSeq(text, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// pager is the way between the pages of a list.
type pager struct {
	// From and To count the shown from 1; Newer and Older are links, empty if there is no such page.
	From, To, Total int
	Newer, Older    string
}

// pageSize is the number of memories on a page of a list.
const pageSize = 20

// offset returns where the page begins that a request asks for.
func (v *visit) offset() (int, error) {
	in, err := fields(v.r.URL.Query(), verb.Table{{Name: "offset", Rules: verb.Schema{"minimum": 0}, To: verb.New[int]}})
	return in.Int("offset", 0), err
}

// pager returns the links to the pages before and after the one at an offset, of n of total.
func (v *visit) pager(offset, n, total, size int) pager {
	p := pager{From: min(offset+1, total), To: offset + n, Total: total}
	if offset > 0 {
		p.Newer = v.at(max(0, offset-size))
	}
	if offset+n < total && n > 0 {
		p.Older = v.at(offset + n)
	}
	return p
}

// at returns this page at another offset.
func (v *visit) at(offset int) string {
	q := v.r.URL.Query()
	q.Set("offset", strconv.Itoa(offset))
	if offset == 0 {
		q.Del("offset")
	}
	return (&url.URL{Path: v.r.URL.Path, RawQuery: q.Encode()}).String()
}
