package hippo

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Day is an active day: a counter that advances at most once per calendar day,
// and only when a memory is recorded or searched for. The first day is 1.
type Day int

// Calendar maps active days to calendar days.
type Calendar struct {
	// Day is the active day; 0 before first use.
	Day Day
	// Date is the calendar date, YYYY-MM-DD in Zone, on which Day began; empty before first use.
	Date string
	// Zone is the IANA name of the time zone in which the store counts its days; empty: each process
	// counts them in its own.
	Zone string
}

// Revision orders the changes of one store. The store assigns it, strictly
// increasing, starting at 1; zero means not stored yet.
type Revision uint64

// Memory is one record: an insight with its metadata.
//
// Times are UTC; the zero time means unset. Copies share slices and maps; use
// [Memory.Clone] before changing one that is shared.
type Memory struct {
	ID ID

	// Content is the text of the insight, 1 to [MaxContent] bytes of UTF-8.
	Content string
	// Situation says when and where the insight applies, one aspect an element.
	Situation []string
	// Tags are labels, without duplicates.
	Tags []string
	// Type is an open vocabulary ("decision", "error", ...); empty is allowed.
	Type string

	Importance Importance
	// Pinned memories never decay.
	Pinned bool
	Usage

	CreatedAt time.Time
	UpdatedAt time.Time
	// EventTime is when the event of the content happened, if that differs from CreatedAt.
	EventTime time.Time
	// ValidFrom and ValidUntil bound the validity of a fact: it holds at t iff
	// ValidFrom <= t < ValidUntil. Unset means unbounded.
	ValidFrom  time.Time
	ValidUntil time.Time
	// SupersededBy is the memory that replaces this one.
	SupersededBy ID
	// ForgottenAt is set while the memory is forgotten: kept, but not found.
	ForgottenAt time.Time
	// Version counts the changes of content, situation, tags or type, from 1.
	Version int

	Surprise Surprise
	Source   Source
	Trust    Trust

	// Project is the identity of the project the memory belongs to; empty: none.
	Project string
	// Namespace separates tenants of one store; empty is the default one.
	Namespace string

	// ContentHash is [HashContent] of Content.
	ContentHash Hash
	// Metadata is arbitrary JSON by key; unknown keys are kept.
	Metadata map[string]json.RawMessage

	Revision Revision
}

// appendIDs appends the ID of the memory, and of the one that supersedes it, if there is one.
func (m *Memory) appendIDs(ids []ID) []ID {
	ids = append(ids, m.ID)
	if !m.SupersededBy.IsZero() {
		ids = append(ids, m.SupersededBy)
	}
	return ids
}

// IDsOf returns the IDs of memories and of what supersedes them.
func IDsOf(ms ...*Memory) []ID {
	ids := make([]ID, 0, len(ms))
	for _, m := range ms {
		ids = m.appendIDs(ids)
	}
	return ids
}

// Importance is how much a memory matters, in [0, 1].
type Importance struct {
	// Base is the last value set explicitly.
	Base float64
	// Value is the value after votes, undecayed as of SetDay.
	Value float64
	// SetDay and SetAt are when Value was last set.
	SetDay Day
	SetAt  time.Time
}

// Access is the number of uses on one active day.
type Access struct {
	Day   Day
	Count int
}

// Surprise is how unexpected a memory was when it was recorded; each in [0, 1].
type Surprise struct {
	Score      float64 `json:"score,omitempty"`
	Outlier    float64 `json:"outlier,omitempty"`
	Engagement float64 `json:"engagement,omitempty"`
	Explicit   float64 `json:"explicit,omitempty"`
	Loss       float64 `json:"loss,omitempty"`
}

// String says a score with its components, to two decimals; empty if there is none.
func (x Surprise) String() string {
	if x.Score == 0 {
		return ""
	}
	text := fmt.Sprintf("%.2f (outlier %.2f, engagement %.2f, explicit %.2f", x.Score, x.Outlier, x.Engagement, x.Explicit)
	if x.Loss > 0 {
		text += fmt.Sprintf(", loss %.2f", x.Loss)
	}
	return text + ")"
}

// Source is where a memory came from.
type Source struct {
	Kind SourceKind `json:"kind,omitempty"`
	// Author is who said it, Client the program that recorded it.
	Author string `json:"author,omitempty"`
	Client string `json:"client,omitempty"`
	// Session groups the memories of one conversation; Seq orders them in it.
	Session string `json:"session,omitempty"`
	Seq     int    `json:"seq,omitempty"`
	URI     string `json:"uri,omitempty"`
}

// SourceKind is the kind of a [Source].
type SourceKind string

// The kinds of source.
const (
	SourceUser   SourceKind = "user"
	SourceAgent  SourceKind = "agent"
	SourceTool   SourceKind = "tool"
	SourceImport SourceKind = "import"
	SourceHook   SourceKind = "hook"
	SourceSync   SourceKind = "sync"
)

// SourceKinds returns every kind, in the order of their declaration.
func SourceKinds() []SourceKind {
	return []SourceKind{SourceUser, SourceAgent, SourceTool, SourceImport, SourceHook, SourceSync}
}

// Trust is how far a memory may be relied on without a review.
type Trust int8

// The levels of trust. Memories of TrustNone are never injected automatically.
const (
	// TrustDefault asks for the trust that belongs to the source, when a memory is
	// recorded; it is never stored.
	TrustDefault Trust = iota - 1
	TrustNone
	TrustLow
	TrustNormal
	TrustHigh
)

// TrustNames returns the names of the levels of trust, the lowest first.
func TrustNames() []string { return []string{"none", "low", "normal", "high"} }

// ParseTrust returns the level of trust with a name. field is what an error calls it.
func ParseTrust(field, name string) (Trust, error) {
	return Trust(slices.Index(TrustNames(), name)), OneOf(field, name, TrustNames()...)
}

// DefaultTrust returns the trust that a new memory from a source of kind k gets.
func DefaultTrust(k SourceKind) Trust {
	switch k {
	case SourceUser:
		return TrustHigh
	case SourceTool:
		return TrustNone
	case SourceImport, SourceHook, SourceSync:
		return TrustLow
	default:
		return TrustNormal
	}
}

// Hash is a SHA-256 sum.
type Hash [sha256.Size]byte

// HashContent identifies a text regardless of case and surrounding space: the
// SHA-256 of the trimmed, lower-cased text. Equal texts have equal hashes; two
// memories may carry the same one.
func HashContent(content string) Hash {
	return sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(content))))
}

// MaxAccessDays is how many active days [Usage.Accesses] keeps.
// Source: the Hippo design of 2025, MAX_DAILY_ACCESS_ENTRIES.
const MaxAccessDays = 90

// Touch records n accesses on day. A day before the newest entry (another
// process was ahead) counts on the newest one, so that the list stays ascending.
func (m *Memory) Touch(day Day, n int) {
	if n <= 0 {
		return
	}
	if k := len(m.Accesses); k > 0 && m.Accesses[k-1].Day >= day {
		m.Accesses[k-1].Count += n
		return
	}
	m.Accesses = append(m.Accesses, Access{Day: day, Count: n})
	if over := len(m.Accesses) - MaxAccessDays; over > 0 {
		m.Accesses = slices.Delete(m.Accesses, 0, over)
	}
}

// ValidAt reports whether the memory's fact holds at t.
func (m *Memory) ValidAt(t time.Time) bool { return stateOf(m.ValidFrom, m.ValidUntil, t) == Holds }

// State says whether something that is stored holds at a time.
type State string

// The states.
const (
	// Holds: what it says is true at the time, as far as the store knows.
	Holds State = "holds"
	// Ended: it held until before the time.
	Ended State = "ended"
	// NotYet: it holds from a later time on.
	NotYet State = "not_yet"
	// Superseded: another memory has taken its place.
	Superseded State = "superseded"
)

// StateAt returns the state of the memory at t. One whose successor begins later than t holds until then.
func (m *Memory) StateAt(t time.Time) State {
	s := stateOf(m.ValidFrom, m.ValidUntil, t)
	if !m.SupersededBy.IsZero() && (s == Ended || s == Holds && m.ValidUntil.IsZero()) {
		return Superseded
	}
	return s
}

// stateOf returns the state at t of what holds from a time until before another one.
func stateOf(from, until, t time.Time) State {
	switch {
	case !until.IsZero() && !t.Before(until):
		return Ended
	case !from.IsZero() && t.Before(from):
		return NotYet
	default:
		return Holds
	}
}

// When returns the time that the memory is about: EventTime, or else CreatedAt.
func (m *Memory) When() time.Time {
	if m.EventTime.IsZero() {
		return m.CreatedAt
	}
	return m.EventTime
}

// Forgotten reports whether the memory is forgotten.
func (m *Memory) Forgotten() bool { return !m.ForgottenAt.IsZero() }

// A summary that a consolidation records of a group of memories has this type and this client as its source.
const (
	SummaryType   = "summary"
	SummaryClient = "consolidation"
)

// IsSummary reports whether a consolidation recorded the memory as the summary of others.
func (m *Memory) IsSummary() bool {
	return m.Type == SummaryType && m.Source.Kind == SourceTool && m.Source.Client == SummaryClient
}

// Clone returns a deep copy.
func (m *Memory) Clone() *Memory {
	c := *m
	c.Situation = slices.Clone(m.Situation)
	c.Tags = slices.Clone(m.Tags)
	c.Accesses, c.Feedback = slices.Clone(m.Accesses), cloneFeedback(m.Feedback)
	c.Untied = m.Untied.clone()
	if m.Metadata != nil {
		c.Metadata = make(map[string]json.RawMessage, len(m.Metadata))
		for k, v := range m.Metadata {
			c.Metadata[k] = slices.Clone(v)
		}
	}
	return &c
}
