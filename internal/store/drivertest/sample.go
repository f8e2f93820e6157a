package drivertest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
)

// id returns the nth ID: a UUID whose order has nothing to do with n, so that
// an order by ID cannot pass for an order by revision.
func id(n int) hippo.ID {
	sum := sha256.Sum256(fmt.Appendf(nil, "memory %d", n))
	v := hippo.ID(sum[:16])
	v[6] = v[6]&0x0f | 0x70 // version 7
	v[8] = v[8]&0x3f | 0x80 // variant of RFC 9562
	return v
}

// idRange returns the first n IDs.
func idRange(n int) []hippo.ID {
	ids := make([]hippo.ID, n)
	for i := range ids {
		ids[i] = id(i)
	}
	return ids
}

// at returns the nth moment, in whole microseconds.
func at(n int) time.Time {
	return time.Date(2025, 3, 9, 1, 59, 58, 123_456_000, time.UTC).Add(time.Duration(n) * time.Hour)
}

// plain returns the nth memory as a first recording makes it.
func plain(n int) *hippo.Memory {
	return withText(n, fmt.Sprintf("insight number %d", n))
}

func withText(n int, text string) *hippo.Memory {
	return &hippo.Memory{
		ID:          id(n),
		Content:     text,
		ContentHash: hippo.HashContent(text),
		Importance:  hippo.Importance{Base: 0.5, Value: 0.5, SetDay: 1, SetAt: at(n)},
		Usage:       hippo.Usage{Accesses: []hippo.Access{{Day: 1, Count: 1}}},
		CreatedAt:   at(n),
		UpdatedAt:   at(n),
		Version:     1,
		Trust:       hippo.TrustNormal,
	}
}

// many returns n, or the smaller number with -short, which the race detector runs with: a size that
// is there to exceed a limit of a back end, or rounds that only repeat.
func many(n, short int) int {
	if testing.Short() {
		return short
	}
	return n
}

func plains(from, to int) []*hippo.Memory {
	var ms []*hippo.Memory
	for n := from; n < to; n++ {
		ms = append(ms, plain(n))
	}
	return ms
}

// bare returns the nth memory with nothing set that may be unset.
func bare(n int) *hippo.Memory {
	return &hippo.Memory{ID: id(n), Content: "x", ContentHash: hippo.HashContent("x")}
}

// full returns the nth memory with every field set; a check ensures that.
func full(n int) *hippo.Memory {
	m := withText(n, fmt.Sprintf("Everything is set in %d.\nSecond line.", n))
	m.Situation = []string{"when testing", "in CI, on Fridays"}
	m.Tags = []string{"zeta", "alpha"}
	m.Type = "decision"
	m.Importance = hippo.Importance{Base: 0.1, Value: 1.0 / 3, SetDay: 3, SetAt: at(n + 1)}
	m.Pinned = true
	m.Accesses = []hippo.Access{{Day: 1, Count: 2}, {Day: 5, Count: 40}}
	m.Feedback = []hippo.Feedback{{
		Kind: hippo.FeedbackUp, Day: 4, Weight: 1.0 / 3, Question: hippo.Question{0, 1, 127, 128, 255},
		Former: &hippo.Former{At: at(n + 1), Importance: 2.0 / 3, SetDay: 2, SetAt: at(n), Untied: &hippo.Untied{Value: 0.3, SetDay: 1}, Day: 3, Weight: 0.1},
	}}
	m.Untied = &hippo.Untied{Value: 0.7, SetDay: 2}
	m.ArchivedAt = at(n + 4)
	m.UpdatedAt = at(n + 2)
	m.EventTime = at(n - 1000)
	m.ValidFrom = at(n - 900)
	m.ValidUntil = at(n + 900)
	m.SupersededBy = id(n + 1_000_000)
	m.ForgottenAt = at(n + 3)
	m.Version = 4
	m.Surprise = hippo.Surprise{Score: 0.9, Outlier: 0.8, Engagement: 0.7, Explicit: 0.6, Loss: 0.05}
	m.Source = hippo.Source{
		Kind: hippo.SourceTool, Author: "Ada", Client: "editor/1.2",
		Session: "session-7", Seq: 12, URI: "file:///a b/c.md#L3",
	}
	m.Trust = hippo.TrustHigh
	m.Project = "git:example.org/x/y@0123abcd"
	m.Namespace = "tenant-1"
	m.Metadata = map[string]json.RawMessage{
		"answer": json.RawMessage(`42`),
		"nested": json.RawMessage(`{"list":[1,{"deep":[null,true,"x"]}],"text":"a\"b"}`),
	}
	return m
}

// forgotten returns the nth memory, forgotten.
func forgotten(n int) *hippo.Memory {
	m := plain(n)
	m.ForgottenAt = at(n + 1)
	return m
}

// setText changes the content of a memory, and its hash.
func setText(m *hippo.Memory, text string) { m.Content, m.ContentHash = text, hippo.HashContent(text) }
