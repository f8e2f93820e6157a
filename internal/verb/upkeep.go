package verb

import (
	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/consolidate"
)

// Audit asks for memories with problems.
type Audit struct {
	idle *int
	Page
}

// Args are the arguments that fill an Audit.
func (a *Audit) Args() []Arg {
	limit := a.Page.Args()[0]
	limit.Field, limit.About = "Count limit", "list at most this many findings of each problem"
	return []Arg{{
		Name: "idle", Field: "idle", About: "active days without use after which a memory counts as idle", Rules: Schema{"minimum": 1, "default": consolidate.IdleDays}, To: &a.idle,
	}, limit}
}

// Request returns the request, without its projects. The error is a [*hippo.FieldError].
func (a *Audit) Request() (q api.Audit, err error) {
	if q.Idle = consolidate.IdleDays; a.idle != nil {
		q.Idle = *a.idle
	}
	if q.Idle < 1 {
		return q, hippo.Fieldf("idle", "must be 1 or more, got %d", q.Idle)
	}
	q.Limit, err = a.Count()
	return q, err
}

// Import says how an export is imported. The command line has more to say about files.
type Import struct{ DryRun, AllowSecret, BringBack bool }

// Args are the arguments that fill an Import.
func (i *Import) Args() []Arg {
	return []Arg{
		{Name: "dry_run", As: lacking(Shell), About: "say what would be added, and store nothing", To: &i.DryRun},
		{Name: "allow_secret", As: lacking(Shell), About: "also import what looks like a secret; an export says which of its memories may hold one", To: &i.AllowSecret},
		{Name: "bring_back", As: lacking(Shell), About: "also bring back what was forgotten or purged here", To: &i.BringBack},
	}
}

// Consolidate asks to tidy up.
type Consolidate struct{ api.Consolidate }

// Args are the arguments that fill a Consolidate.
func (c *Consolidate) Args() []Arg {
	return []Arg{
		{
			Name: "horizon", Field: "horizon", About: "what to do, and for which age: daily, weekly, monthly, quarterly or yearly", Values: api.HorizonNames(),
			Rules: Schema{"default": api.Weekly}, To: (*string)(&c.Horizon),
		},
		{Name: "dry_run", About: "show what would be done, and why; change nothing", To: &c.DryRun},
	}
}
