package client

import (
	"context"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
)

type listing struct {
	filter        hippo.Filter
	projects      []string // by the names that the caller gave
	situation     []string
	when          string
	forgotten     bool
	arrival       api.Arrival
	offset, count int
}

// ForgottenOption is an option of lists and of [Client.Resolve], see [Forgotten].
type ForgottenOption struct{}

func (ForgottenOption) list(l *listing) { l.forgotten = true }

// Forgotten selects the forgotten insights instead of the others.
func Forgotten() ForgottenOption { return ForgottenOption{} }

// Arrival is an option of lists, see [FromSource] and [FromImport].
type Arrival func(*api.Arrival)

func (a Arrival) list(l *listing) { a(&l.arrival) }

// FromSource keeps what comes from this kind of source, client or file, in any case: "import", "csv", "notes.csv".
func FromSource(name string) Arrival { return func(a *api.Arrival) { a.Source = name } }

// FromImport keeps what an import brought, by its operation as [ResolveOperation] reads it: of all projects, unless a filter names
// some.
func FromImport(operation string) Arrival { return func(a *api.Arrival) { a.Import = operation } }

// Listing is one page of a list.
type Listing struct {
	Memories []*hippo.Memory
	// Total counts all pages.
	Total int
	// Day is the active day that the list is of.
	Day hippo.Day
	// Degraded says what the history lacks of a list of what was known at a time; nil otherwise.
	Degraded []string
}

// List returns insights by the time they were recorded, newest first. It does not count as use.
func (c *Client) List(ctx context.Context, opts ...ListOption) (*Listing, error) {
	var l listing
	for _, o := range opts {
		o.list(&l)
	}
	if err := selectProjects(ctx, c, l.projects, &l.filter); err != nil {
		return nil, err
	}
	x, err := c.memories.List(ctx, api.List{
		Filter: l.filter, Situation: l.situation, When: l.when, Forgotten: l.forgotten, Arrival: l.arrival,
		Offset: l.offset, Count: l.count,
	})
	if err != nil {
		return nil, err
	}
	return (*Listing)(x), nil
}

// Get returns insights by ID, in the order of ids, forgotten ones included. Unknown IDs are a
// [*hippo.UnknownError]. It does not count as use.
func (c *Client) Get(ctx context.Context, ids ...hippo.ID) ([]*hippo.Memory, error) {
	return c.memories.Get(ctx, ids)
}

// Got are insights as of a moment.
type Got struct {
	Memories []*hippo.Memory
	// Degraded says what the history lacks of these insights as they were known at a time, and what of the question does not count; nil
	// otherwise.
	Degraded []string
	// Excerpts are those of each insight for the question of [GetFor], as [hippo.Hit.Excerpt]; nil without one.
	Excerpts [][]hippo.Span
}

// GetAt is [Client.Get] as of a moment. One that does not hold then is [hippo.ErrNotFound], and the error names what held
// instead, if that is known.
func GetAt(ctx context.Context, c *Client, at hippo.Moment, ids ...hippo.ID) (*Got, error) {
	return GetFor(ctx, c, at, "", ids...)
}

// GetFor is [GetAt] with the parts of each insight that answer a question.
func GetFor(ctx context.Context, c *Client, at hippo.Moment, question string, ids ...hippo.ID) (*Got, error) {
	x, err := engine.GetAt(ctx, c.memories, api.Get{IDs: ids, At: at, Question: question})
	if err != nil {
		return nil, err
	}
	return (*Got)(x), nil
}

// ResolveOption is an option of [Client.Resolve].
type ResolveOption interface{ resolve(p *api.Preference) }

func (ForgottenOption) resolve(p *api.Preference) { *p = api.PreferForgotten }

// AnyOption is an option of [Client.Resolve], see [Any].
type AnyOption struct{}

func (AnyOption) resolve(p *api.Preference) { *p = api.PreferNone }

// Any prefers no insights: a reference that fits a forgotten one and another is ambiguous. It is for what cannot be undone, such
// as [Client.Purge].
func Any() AnyOption { return AnyOption{} }

// ShortIDs returns the short forms of IDs, which [Client.Resolve] takes back. Cost: a scan of the
// index, 0.2 ms of 100,000 insights.
func ShortIDs(c *Client, ids ...hippo.ID) hippo.ShortIDs { return engine.ShortIDs(c.memories, ids) }

// Resolve turns a reference into an ID: at least 4 characters of the end or the beginning of an
// ID, such as [hippo.ID.Short], or of the beginning of a content hash. One that fits several
// insights is a [*hippo.AmbiguousError], one that fits none [hippo.ErrNotFound]. Insights that can be found come before forgotten ones; with [Forgotten]
// it is the other way round, with [Any] neither.
func (c *Client) Resolve(ctx context.Context, ref string, opts ...ResolveOption) (hippo.ID, error) {
	prefer := api.PreferLive
	for _, o := range opts {
		o.resolve(&prefer)
	}
	return c.memories.Resolve(ctx, ref, prefer)
}

// Change is a change of an insight.
type Change func(*modification)

type modification struct {
	api.Change

	clear []string
}

// SetContent replaces the text. Unless the importance is set or a vote is given, too, it counts
// as an upvote, because an insight that is revised is in use.
func SetContent(text string) Change { return func(m *modification) { m.Content = &text } }

// SetSituation replaces the situation; it counts as an upvote as [SetContent] does. Without elements it changes nothing, see [Clear].
func SetSituation(elements ...string) Change {
	return func(m *modification) {
		if len(elements) > 0 {
			m.Situation = &elements
		}
	}
}

// SetTags replaces the tags. Without any it changes nothing, see [Clear].
func SetTags(tags ...string) Change {
	return func(m *modification) {
		if len(tags) > 0 {
			m.Tags = &tags
		}
	}
}

// SetType replaces the type. An empty one changes nothing, see [Clear].
func SetType(name string) Change {
	return func(m *modification) {
		if name != "" {
			m.Type = &name
		}
	}
}

// Clear empties fields: "situation", "tags", "type", "valid_from" or "valid_until".
func Clear(fields ...string) Change {
	return func(m *modification) { m.clear = append(m.clear, fields...) }
}

// SetImportance sets the importance as of today, in [0, 1].
func SetImportance(x float64) Change { return func(m *modification) { m.Importance = &x } }

// SetPinned pins or unpins.
func SetPinned(pinned bool) Change { return func(m *modification) { m.Pinned = &pinned } }

// SetValidFrom sets when the fact begins to hold, and leaves its end.
func SetValidFrom(from time.Time) Change { return func(m *modification) { m.ValidFrom = &from } }

// SetValidUntil ends the fact: it holds before until, and what it was is kept. [As] says why it ended.
func SetValidUntil(until time.Time) Change { return func(m *modification) { m.ValidUntil = &until } }

// SetSupersedes says which insights this one replaces.
func SetSupersedes(ids ...hippo.ID) Change {
	return func(m *modification) { m.Supersedes = &ids }
}

// The votes of [SetVote].
const (
	VoteUp   = string(api.VoteUp)
	VoteDown = string(api.VoteDown)
	VoteNone = string(api.VoteNone)
	VoteUndo = string(api.VoteUndo)
)

// SetVote votes after the other changes: [VoteUp], [VoteDown], [VoteUndo] or [VoteNone]. Without it a new
// content or situation is an upvote.
func SetVote(vote string) Change {
	return func(m *modification) { m.Vote = api.Vote(vote) }
}

// Modify changes one insight and returns it as stored. An unknown ID is [hippo.ErrNotFound]; no
// change at all is [hippo.ErrInvalid].
func (c *Client) Modify(ctx context.Context, id hippo.ID, changes ...Change) (*hippo.Memory, error) {
	var m modification
	for _, set := range changes {
		set(&m)
	}
	if err := m.Clear(m.clear); err != nil {
		return nil, err
	}
	return c.memories.Modify(ctx, id, m.Change)
}

// Vote is the effect of a vote on one insight.
type Vote struct {
	ID hippo.ID
	// Before and After are the importance as of today, in [0, 1].
	Before, After float64
}

// Ballot is votes on insights.
type Ballot struct {
	Up, Down []hippo.ID
	// Undo takes back the newest vote on each of these.
	Undo []hippo.ID
	// Query is the question that the insights answer, or do not: votes count for questions like it.
	// Empty: none in particular.
	Query string
}

// Cast votes, all or none, and returns the effects, in the order of the lists. An ID in two lists is
// [hippo.ErrInvalid]; to take back a vote where there is none that can be is [hippo.ErrConflict].
func Cast(ctx context.Context, c *Client, b Ballot) ([]Vote, error) {
	rs, err := engine.Cast(ctx, c.memories, api.Reinforce{Up: b.Up, Down: b.Down, Undo: b.Undo, Query: b.Query})
	if err != nil {
		return nil, err
	}
	out := make([]Vote, len(rs))
	for i, r := range rs {
		out[i] = Vote(r)
	}
	return out, nil
}

// Feedback is votes on an insight, or openings of it, of one kind for one question.
type Feedback struct {
	// Kind is up, down or opened.
	Kind hippo.FeedbackKind
	// Day is the active day of the newest, Weight how many they are as of that day.
	Day    hippo.Day
	Weight float64
	// Tied: they count for questions like the one that was asked; otherwise for none in particular.
	Tied bool
	// At is when the newest vote on the insight was cast, which Ballot.Undo takes back; zero for others.
	At time.Time
}

// FeedbackOn returns the votes on an insight and its openings, the newest last, at most [hippo.MaxFeedback]. An unknown ID is a
// [*hippo.UnknownError].
func FeedbackOn(ctx context.Context, c *Client, id hippo.ID) ([]Feedback, error) {
	ms, err := c.memories.Get(ctx, []hippo.ID{id})
	if err != nil {
		return nil, err
	}
	out := make([]Feedback, len(ms[0].Feedback))
	for i := range ms[0].Feedback {
		f := &ms[0].Feedback[i]
		out[i] = Feedback{Kind: f.Kind, Day: f.Day, Weight: f.Weight, Tied: len(f.Question) > 0}
		if f.Former != nil {
			out[i].At = f.Former.At
		}
	}
	return out, nil
}

// Opened notes that insights were read whole as answers to a question: a weak vote for each of them as an answer to
// questions like it. Those that are not there are skipped. It is stored within a second.
func Opened(ctx context.Context, c *Client, query string, ids ...hippo.ID) error {
	if err := hippo.ValidQuery("Query", query); err != nil {
		return err
	}
	asked := make(map[hippo.ID]string, len(ids))
	for _, id := range ids {
		asked[id] = query
	}
	return engine.Opened(ctx, c.memories, asked)
}

// Reinforce upvotes insights that helped and downvotes those that were wrong or misleading, all
// or none, and returns the effects, those of up first. An ID in both lists is
// [hippo.ErrInvalid].
func (c *Client) Reinforce(ctx context.Context, up, down []hippo.ID) ([]Vote, error) {
	return Cast(ctx, c, Ballot{Up: up, Down: down})
}

// Forget hides insights from every search; they are kept. With an unknown ID nothing is
// changed.
func (c *Client) Forget(ctx context.Context, ids ...hippo.ID) ([]*hippo.Memory, error) {
	return c.memories.Forget(ctx, ids)
}

// Restore undoes Forget.
func (c *Client) Restore(ctx context.Context, ids ...hippo.ID) ([]*hippo.Memory, error) {
	return c.memories.Restore(ctx, ids)
}

// Purge deletes insights for good, forgotten or not. With an unknown ID nothing is deleted.
func (c *Client) Purge(ctx context.Context, ids ...hippo.ID) error {
	return c.memories.Purge(ctx, ids)
}
