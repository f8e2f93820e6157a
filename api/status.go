package api

import (
	"fmt"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
)

// Status is the state of a memory, as far as the caller may see it.
type Status struct {
	// Memories is the number of searchable memories, Forgotten that of hidden ones.
	Memories, Forgotten int
	// Archived is the number of those in Memories that are left out of lists, or rank behind the others.
	Archived int
	// Unassigned is the number of those of which nobody could tell the project.
	Unassigned int
	// Calendar has the active day, and the date on which it began.
	hippo.Calendar
	// Ranker is that of searches which name none.
	Ranker hippo.Ranker
	// Models are the embedding models, the preferred one first.
	Models []ModelStatus
	// Degraded lists the parts that are not available, with the reasons.
	Degraded []string
	// Store is the state of the store itself; nil without [hippo.RightAdmin].
	Store *StoreStatus
}

// ModelStatus is the state of an embedding model. Its counts are those of the memories that the caller may see.
type ModelStatus struct {
	ID string
	// Embedded is the number of memories with a vector of the model, Memories that of all searchable ones.
	Embedded, Memories int
	// Instant models embed while the index is built.
	Instant bool
	// Serving says that searches use this one.
	Serving bool
	// Err is the last error in the background, nil for none; without details for callers without [hippo.RightAdmin].
	Err error
	Progress
}

// Progress describes the background work of a model. It is zero when all memories have a vector.
type Progress struct {
	// Rate is how many memories a second were embedded last, in this process or another one; 0: unknown.
	Rate float64
	// Remaining is an estimate of the time until all memories have a vector; 0: unknown.
	Remaining time.Duration
	// Paused is why nothing is embedded now; empty if something is.
	Paused string
}

// StoreStatus is the state of a store, of all tenants and projects.
type StoreStatus struct {
	Revision hippo.Revision
	// Indexed is the revision that the index has reached, Saved that of its file, 0 if it has none.
	Indexed, Saved hippo.Revision
	// Problems lists unreadable data.
	Problems []StoreProblem
	// Host is the file of another program that holds the store; nil: it has a file of its own.
	Host *Host
}

// StoreProblem is a piece of data that cannot be read.
type StoreProblem struct {
	// ID is that of the memory, zero if it is none or is not known.
	ID hippo.ID
	// Path is where the data is now, Was where it was found.
	Path, Was string
	Err       string
}

// String formats the problem on one line.
func (p StoreProblem) String() string {
	text := p.Path
	if !p.ID.IsZero() {
		text = fmt.Sprintf("memory %v in %s", p.ID, text)
	}
	if p.Was != "" && p.Was != p.Path {
		text += fmt.Sprintf(" (was %s)", p.Was)
	}
	return text + ": " + p.Err
}

// UnreadableError lists memories that are stored and cannot be read. It is a
// [hippo.ErrCorrupt].
type UnreadableError struct{ Problems []StoreProblem }

func (e *UnreadableError) Error() string {
	parts := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		parts[i] = p.Err
		if !p.ID.IsZero() {
			parts[i] = fmt.Sprintf("memory %v cannot be read: %s", p.ID, p.Err)
		}
	}
	return strings.Join(parts, "; ")
}

// Unwrap makes an UnreadableError a [hippo.ErrCorrupt].
func (e *UnreadableError) Unwrap() error { return hippo.ErrCorrupt }

// Host is the state of a file that belongs to another program.
type Host struct {
	// Program is whose file it is, as far as its tables show.
	Program string
	// Shape lists the parts that programs and versions differ in.
	Shape []string
	// Backup is the copy that was made before the first write; empty: none was made.
	Backup string
	// Rows are those that are not deleted. Foreign are those of them that another program stored.
	Rows, Foreign, Deleted, Vectors, Edges int
	// Odd lists what a person may want to know, in sentences.
	Odd []string
}
