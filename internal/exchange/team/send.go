package team

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
)

// Sent is what this machine knows of a memory that it has put into the copy. It distinguishes a change here from one by another machine of the
// same person.
type Sent struct {
	// ID is that of the memory in the store, Hash what a team got of it when that was compared last; empty: nothing.
	ID   hippo.ID `json:"id"`
	Hash string   `json:"hash,omitempty"`
}

// Held is a memory that is held back.
type Held struct {
	// ID is that in the store; of what was not taken over that in the copy.
	ID      hippo.ID
	Project string
	Reason  Reason
	Detail  string
	// By has sent what was not taken over; empty: the memory is one of this store.
	By string
	// Text is the content.
	Text string
}

// Sides are the two stores to compare.
type Sides struct {
	Vault string
	// Self is the key of the person whose machine this is, People everybody who can write to the copy.
	Self   string
	People []Person
	Rule   *Rule
	// Store and Copy are the memories by ID, those of the default namespace.
	Store, Copy map[hippo.ID]*hippo.Memory
	// Purged are those of [Sides.Asked] that were deleted for good, in the one or the other.
	Purged map[hippo.ID]bool
	Now    time.Time
}

// Sending is what to change in the copy.
type Sending struct {
	// Put are memories as the copy shall have them, Purge those to delete for good.
	Put   []*hippo.Memory
	Purge []hippo.ID
	// Sent are what [Send] needs the next time, by ID in the copy.
	Sent map[hippo.ID]Sent
	// May is how many memories may leave; Held are those of the named projects that must not, and Others counts those of other projects.
	May    int
	Held   []Held
	Others int
	// Mine are the IDs in the copy of the memories of this store.
	Mine map[hippo.ID]bool
	// Withdrawn identifies the memories of the copy that are withdrawn; empty: none is.
	Withdrawn string
}

// Asked returns the memories of which [Send] and [Receive] have to know whether they were deleted for good: here those of the store, in the
// copy those of the copy.
func (x *Sides) Asked(sent map[hippo.ID]Sent) (here, there []hippo.ID) {
	for id, s := range sent {
		if x.Store[s.ID] == nil {
			here = append(here, s.ID)
		}
		there = append(there, id)
	}
	for id := range x.Copy {
		here = append(here, receivedID(x.Vault, id))
	}
	for id, m := range x.Store {
		if from, ok := copiedFrom(x.Vault, m); ok && x.Copy[from] == nil {
			there = append(there, from)
		} else if mine := CopyID(x.Vault, x.Self, id); x.Copy[mine] == nil && sent[mine].ID.IsZero() {
			there = append(there, mine)
		}
	}
	return here, there
}

// Send plans what to put into the copy. sent is [Sending.Sent] of the last time; without it what was changed since then is taken for a
// change by whoever changed it last.
func Send(x *Sides, sent map[hippo.ID]Sent) *Sending {
	out := &Sending{Sent: maps.Clone(sent), Mine: make(map[hippo.ID]bool)}
	if out.Sent == nil {
		out.Sent = make(map[hippo.ID]Sent)
	}
	may := make(map[hippo.ID]bool)
	for _, id := range sorted(x.Store) {
		m, there := x.Store[id], CopyID(x.Vault, x.Self, id)
		why, detail := x.Rule.Why(m)
		if why == "" && x.Purged[there] {
			why = Purged
		}
		switch out.Mine[there] = true; why {
		case "":
			may[id] = true
			out.May++
		case OtherProject:
			out.Others++
		case Received:
			delete(out.Mine, there)
		default:
			out.Held = append(out.Held, Held{ID: id, Project: m.Project, Reason: why, Detail: detail, Text: m.Content})
		}
	}
	for _, id := range sorted(x.Store) {
		out.compare(x, x.Store[id], may)
	}
	for there, s := range out.Sent {
		if x.Store[s.ID] != nil {
			continue
		}
		if out.Mine[there] = true; x.Purged[s.ID] && x.Copy[there] != nil {
			out.Purge = append(out.Purge, there)
		}
	}
	slices.SortFunc(out.Purge, hippo.ID.Compare)
	out.Withdrawn = out.withdrawn(x)
	return out
}

// withdrawn identifies the memories that are withdrawn once the plan is carried out.
func (out *Sending) withdrawn(x *Sides) string {
	then := maps.Clone(x.Copy)
	for _, m := range out.Put {
		then[m.ID] = m
	}
	maps.DeleteFunc(then, func(_ hippo.ID, m *hippo.Memory) bool { return !IsWithdrawn(m) })
	if len(then) == 0 {
		return ""
	}
	sum := sha256.New()
	for _, id := range sorted(then) {
		sum.Write(id[:])
	}
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// compare plans what to put into the copy for a memory.
func (out *Sending) compare(x *Sides, m *hippo.Memory, may map[hippo.ID]bool) {
	there := CopyID(x.Vault, x.Self, m.ID)
	now, last, known := x.Copy[there], out.Sent[there], false
	_, known = out.Sent[there]
	if !may[m.ID] {
		if now != nil && !IsWithdrawn(now) && (last.Hash != "" || !known) {
			out.Put = append(out.Put, withdrawn(now, x.Now))
		}
		if now != nil {
			out.Sent[there] = Sent{ID: m.ID}
		}
		return
	}
	var successor hippo.ID
	if may[m.SupersededBy] {
		successor = CopyID(x.Vault, x.Self, m.SupersededBy)
	}
	want := shared(m, there, successor)
	h := hash(want)
	switch {
	case now == nil:
		want.Importance = hippo.Importance{Base: hippo.DefaultImportance, Value: hippo.DefaultImportance, SetAt: m.CreatedAt}
		want.UpdatedAt, want.Version = m.UpdatedAt, 1
		out.Put = append(out.Put, want)
	case hash(now) != h && (known && last.Hash != h || !known && m.UpdatedAt.After(now.UpdatedAt)):
		out.Put = append(out.Put, renewed(now, want, m.UpdatedAt))
	}
	out.Sent[there] = Sent{m.ID, h}
}

// renewed returns a memory of the copy with what it shall say now.
func renewed(now, want *hippo.Memory, at time.Time) *hippo.Memory {
	c := now.Clone()
	c.Content, c.Situation, c.Tags, c.Type, c.Project, c.SupersededBy = want.Content, want.Situation, want.Tags, want.Type, want.Project, want.SupersededBy
	c.EventTime, c.ValidFrom, c.ValidUntil, c.ForgottenAt = want.EventTime, want.ValidFrom, want.ValidUntil, want.ForgottenAt
	c.CreatedAt, c.UpdatedAt = want.CreatedAt, at
	c.Version++
	return c
}

// withdrawn returns a memory of the copy without what it said.
func withdrawn(now *hippo.Memory, at time.Time) *hippo.Memory {
	return renewed(now, &hippo.Memory{Content: withdrawnText, CreatedAt: now.CreatedAt, ForgottenAt: at}, at)
}

// sorted returns the IDs of memories in order.
func sorted(ms map[hippo.ID]*hippo.Memory) []hippo.ID {
	return slices.SortedFunc(maps.Keys(ms), hippo.ID.Compare)
}
