package team

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/termtext"
)

// Taken is what this machine knows of a memory that it has taken over.
type Taken struct {
	// Hash is what the copy had of it then, Text the content.
	Hash string     `json:"hash"`
	Text hippo.Hash `json:"text"`
}

// Receiving is what to change in the store.
type Receiving struct {
	Record []*hippo.Memory
	Change []Renewal
	Purge  []hippo.ID
	// Taken is what [Receive] needs the next time, by ID in the copy.
	Taken map[hippo.ID]Taken
	// Shown is how many memories of others the store has.
	Shown int
	// Held are those that were not taken over.
	Held []Held
}

// Renewal is what to do to a memory of the store.
type Renewal struct {
	ID hippo.ID
	Do func(*hippo.Memory)
}

// Receive plans what to take over from the copy. mine is [Sending.Mine], taken [Receiving.Taken] of the last time.
func Receive(x *Sides, mine map[hippo.ID]bool, taken map[hippo.ID]Taken) *Receiving {
	out := &Receiving{Taken: maps.Clone(taken)}
	if out.Taken == nil {
		out.Taken = make(map[hippo.ID]Taken)
	}
	for _, id := range sorted(x.Copy) {
		if c := x.Copy[id]; !mine[id] {
			out.take(x, c)
		}
	}
	for _, id := range sorted(x.Store) {
		m := x.Store[id]
		from, ok := copiedFrom(x.Vault, m)
		switch {
		case !ok:
		case mine[from], x.Purged[from] && !out.edited(from, m): // it is one of this store, which has arrived by another way
			out.Purge = append(out.Purge, id)
			delete(out.Taken, from)
		case x.Purged[from]:
			out.Held = append(out.Held, Held{ID: id, Project: m.Project, Reason: Changed, By: m.Source.Author, Text: m.Content})
		default:
			out.Shown++
		}
	}
	out.Shown += len(out.Record)
	return out
}

// take plans what to do about a memory of the copy.
func (out *Receiving) take(x *Sides, c *hippo.Memory) {
	here := receivedID(x.Vault, c.ID)
	m, author := x.Store[here], x.author(c.ID)
	if x.Purged[here] || author == "" || c.Forgotten() && m == nil {
		return
	}
	h := hash(c)
	if m != nil && out.Taken[c.ID].Hash == h {
		return
	}
	edited := m != nil && out.edited(c.ID, m)
	text := hippo.HashContent(c.Content)
	want, why, detail := x.received(c, author)
	switch {
	case c.Forgotten() && !edited:
		text = m.ContentHash // it stays
		out.Change = append(out.Change, Renewal{here, func(m *hippo.Memory) { m.ForgottenAt = x.Now }})
	case edited || c.Forgotten():
		out.Held = append(out.Held, Held{ID: here, Project: m.Project, Reason: Changed, By: author, Text: c.Content})
		return
	case why != "":
		out.Held = append(out.Held, Held{ID: c.ID, Project: c.Project, Reason: why, Detail: detail, By: author, Text: c.Content})
		return
	case m == nil:
		out.Record = append(out.Record, want)
	default:
		out.Change = append(out.Change, Renewal{here, func(m *hippo.Memory) { retell(m, want) }})
	}
	out.Taken[c.ID] = Taken{h, text}
}

// edited reports whether the content of a memory that was taken over was changed here.
func (out *Receiving) edited(from hippo.ID, m *hippo.Memory) bool {
	t, ok := out.Taken[from]
	return ok && m.ContentHash != t.Text
}

// author returns who answers for a memory of the copy, by name and key; empty: nobody who can write to it.
func (x *Sides) author(id hippo.ID) string {
	for _, p := range x.People {
		if Owns(p.Key, id) {
			name := strings.TrimSpace(termtext.Line(p.Name))
			return fmt.Sprintf("%.100s (key %.8s)", cmp.Or(name, "?"), p.Key)
		}
	}
	return ""
}

// received returns a memory of the copy as the store may have it, or why it may not.
func (x *Sides) received(c *hippo.Memory, author string) (m *hippo.Memory, why Reason, detail string) {
	named, ok := x.Rule.project(c.Project)
	if !ok {
		return nil, OtherProject, ""
	}
	m = shared(c, receivedID(x.Vault, c.ID), hippo.ID{})
	m.Project, m.ForgottenAt = named, time.Time{}
	m.Source = hippo.Source{Kind: hippo.SourceSync, Author: author, Client: Client, URI: uri(x.Vault, c.ID)}
	m.Trust = hippo.DefaultTrust(hippo.SourceSync)
	m.Importance = hippo.Importance{Base: hippo.DefaultImportance, Value: hippo.DefaultImportance, SetAt: x.Now}
	if m.CreatedAt.IsZero() || m.CreatedAt.After(x.Now) {
		m.CreatedAt = x.Now
	}
	m.UpdatedAt, m.Version, m.ContentHash = x.Now, 1, hippo.HashContent(c.Content)
	if next := x.Copy[c.SupersededBy]; next != nil && !next.Forgotten() && next.ID != c.ID && x.author(next.ID) == author {
		m.SupersededBy = receivedID(x.Vault, next.ID)
	}
	if why, detail = x.Rule.screened(m); why != "" {
		return nil, why, detail
	}
	if err := m.Validate(); err != nil {
		return nil, Invalid, err.Error()
	}
	return m, "", ""
}

// retell sets what a memory says. What confirmed its former text does not confirm the new one.
func retell(m, want *hippo.Memory) {
	differs := m.Content != want.Content || m.Type != want.Type || !slices.Equal(m.Situation, want.Situation) || !slices.Equal(m.Tags, want.Tags)
	m.Content, m.Situation, m.Tags, m.Type, m.Project, m.SupersededBy = want.Content, want.Situation, want.Tags, want.Type, want.Project, want.SupersededBy
	m.EventTime, m.ValidFrom, m.ValidUntil, m.ForgottenAt = want.EventTime, want.ValidFrom, want.ValidUntil, time.Time{}
	m.Source, m.Trust = want.Source, min(m.Trust, want.Trust)
	if differs {
		m.Pinned, m.Feedback, m.Untied, m.Importance.Value = false, nil, nil, m.Importance.Base
	}
}
