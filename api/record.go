package api

import (
	"encoding/json"
	"time"

	"github.com/hippo-memory/hippo"
)

// Record asks to store a memory. The answer is a [Recorded], and the memory is durable when it is there.
//
// What seems to hold a key, a token or a password is a [*hippo.SecretError].
type Record struct {
	// Content is the text, 1 to [hippo.MaxContent] bytes of UTF-8. It must not be blank.
	Content string
	// Situation says when and where the memory applies, one aspect an element, at most [hippo.MaxSituation]. Two to four
	// specific phrases are best.
	Situation []string
	// Tags are labels, at most [hippo.MaxTags].
	Tags []string
	// Type names the kind of memory, such as "decision" or "error"; empty: none.
	Type string
	// Importance is in [0, 1]; nil means [hippo.DefaultImportance].
	Importance *float64
	// Pinned keeps the importance from decaying.
	Pinned bool
	// EventTime is when the event of the content happened; zero: now.
	EventTime time.Time
	// ValidFrom, inclusive, and ValidUntil, exclusive, bound the time in which the fact holds; zero: no bound.
	ValidFrom  time.Time
	ValidUntil time.Time
	// Project is the exact name of the project, "" for none. Nil: the current one, or none for a preference or rule of the
	// user that does not name a part of the project. The method NameProject of the client reads what a person writes.
	Project *string
	// Source says where the memory comes from; the zero value means [hippo.SourceAgent]. It decides the trust in it.
	Source hippo.Source
	// Metadata is arbitrary JSON by key, at most [hippo.MaxMetadata] bytes.
	Metadata map[string]json.RawMessage
	// Supersedes are the memories that the new one replaces: the validity of each ends when that of the new one begins, in
	// the same transaction.
	Supersedes []hippo.ID
	// Compare compares the new memory with others of its project, see [Recorded]. It costs a lexical search. When many are
	// recorded at the same time, only two are compared.
	Compare bool
}

// Recorded is a memory as it was stored.
type Recorded struct {
	*hippo.Memory
	// Duplicates have the same text, and Replaces state the same with another value, so that the new memory probably
	// supersedes them: to confirm it, modify the new one with Supersedes. At most five of each, the most similar first, and
	// only with [Record.Compare].
	Duplicates []hippo.ID
	Replaces   []Contradiction
	// Degraded says why the memory was not compared; empty otherwise.
	Degraded string
}

// Contradiction is a memory that states the same as another one with another value.
type Contradiction struct {
	Memory *hippo.Memory
	// Reason says in what they differ: "30 s / 60 s", the value of the other one last.
	Reason string
}
