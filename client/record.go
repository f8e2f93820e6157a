package client

import (
	"context"
	"encoding/json"
	"time"

	"github.com/hippo-memory/hippo"
)

// RecordOption is an option of [Client.Record].
type RecordOption func(*recording)

type recording struct {
	memory     hippo.Memory
	project    *string
	supersedes []hippo.ID
	compared   bool
}

// FromMemory copies all fields of m that describe an insight, except for its content.
func FromMemory(m hippo.Memory) RecordOption {
	return func(r *recording) {
		content := r.memory.Content
		r.memory = *m.Clone()
		r.memory.Content = content
	}
}

// Situation says when and where the insight applies, one aspect an element. Two to four
// specific phrases are best.
func Situation(elements ...string) RecordOption {
	return func(r *recording) { r.memory.Situation = elements }
}

// Importance sets how important the insight is, in [0, 1]; the default is
// [hippo.DefaultImportance].
func Importance(x float64) RecordOption {
	return func(r *recording) { r.memory.Importance.Base = x }
}

// Tags labels the insight.
func Tags(tags ...string) RecordOption { return func(r *recording) { r.memory.Tags = tags } }

// Type names the kind of insight, such as "decision" or "error".
func Type(name string) RecordOption { return func(r *recording) { r.memory.Type = name } }

// Pinned keeps the importance of the insight from decaying.
func Pinned() RecordOption { return func(r *recording) { r.memory.Pinned = true } }

// EventTime is when the event of the content happened, if not now.
func EventTime(t time.Time) RecordOption { return func(r *recording) { r.memory.EventTime = t } }

// Valid bounds the time in which the fact holds: from is inclusive, until exclusive, and the
// zero time no bound.
func Valid(from, until time.Time) RecordOption {
	return func(r *recording) { r.memory.ValidFrom, r.memory.ValidUntil = from, until }
}

// InProject records the insight for a project; "" is none. Without it that is the current one, or none for a preference or rule of
// the user that does not name a part of the project.
func InProject(name string) RecordOption { return func(r *recording) { r.project = &name } }

// Source says where the insight comes from; the default is [hippo.SourceAgent].
func Source(s hippo.Source) RecordOption { return func(r *recording) { r.memory.Source = s } }

// Metadata adds free data, by key.
func Metadata(data map[string]json.RawMessage) RecordOption {
	return func(r *recording) { r.memory.Metadata = data }
}

// Supersedes lists the insights that the new one replaces: the validity of each ends when that
// of the new one begins, in the same transaction.
func Supersedes(ids ...hippo.ID) RecordOption {
	return func(r *recording) { r.supersedes = append(r.supersedes, ids...) }
}

// Compared has [Client.Record] compare the new insight with others of its project. Cost: a
// lexical search. When many are recorded at the same time, only two are compared.
func Compared() RecordOption { return func(r *recording) { r.compared = true } }

// Recorded is an insight as it was stored.
type Recorded struct {
	*hippo.Memory
	// Duplicates have the same text, and Replaces state the same with another value, so that
	// the new insight probably supersedes them; to confirm, modify it with [SetSupersedes]. At
	// most five of each, the most similar first, with [Compared] only.
	Duplicates []hippo.ID
	Replaces   []Replaced
	// Degraded says why it was not compared; empty otherwise.
	Degraded string
}

// Replaced is a memory that another one probably supersedes.
type Replaced struct {
	Memory *hippo.Memory
	// Reason says in what they differ: "30 s / 60 s".
	Reason string
}

// Record stores an insight and returns it as stored. When it returns without an error, the
// insight is durable. Errors: a [*hippo.FieldError] that names the field and the limit; a
// [*hippo.UnknownError] for what it supersedes; a [*hippo.SecretError] for what seems to hold a secret, see
// [AllowSecrets].
func (c *Client) Record(ctx context.Context, content string, opts ...RecordOption) (*Recorded, error) {
	r := recording{memory: hippo.Memory{Content: content, Importance: hippo.Importance{Base: hippo.DefaultImportance}}}
	for _, set := range opts {
		set(&r)
	}
	r.memory.Trust, r.memory.Project, r.memory.Namespace = hippo.TrustDefault, c.scope.ProjectFor(&r.memory), c.scope.Namespace
	if r.project != nil {
		r.memory.Project = *r.project
	}
	if !r.compared {
		m, err := c.memories.Record(ctx, &r.memory, r.supersedes...)
		if err != nil {
			return nil, err
		}
		return &Recorded{Memory: m}, nil
	}
	m, same, err := c.memories.RecordCompared(ctx, &r.memory, r.supersedes...)
	if err != nil {
		return nil, err
	}
	if same.Err != nil {
		return &Recorded{Memory: m, Degraded: "not compared with others: " + same.Err.Error()}, nil
	}
	out := &Recorded{Memory: m, Duplicates: same.Duplicates}
	for _, x := range same.Replaces {
		out.Replaces = append(out.Replaces, Replaced(x))
	}
	return out, nil
}
