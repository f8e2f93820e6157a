package recall

import (
	"cmp"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/contradict"
)

// Claim is what a memory states, parsed once to be compared with others.
type Claim struct {
	Memory    *hippo.Memory
	project   string // by the name to use
	text      contradict.Text
	statement contradict.Statement
}

// ClaimOf parses the content of a memory.
func ClaimOf(m *hippo.Memory) Claim {
	return Claim{m, m.Project, contradict.Parse(m.Content), contradict.StatementOf(m.Content)}
}

// recentClaims is how many texts [claimCache] keeps at least. A parsed one takes some 5 KB.
const recentClaims = 128

// claimCache has what lately found texts claim: the hits of most searches were hits before. It is safe for concurrent use.
type claimCache struct {
	mu sync.Mutex
	// recent gets what is parsed. When it is full it takes the place of former, which is dropped.
	recent, former map[string]Claim
}

// of is [ClaimOf].
func (c *claimCache) of(m *hippo.Memory) Claim {
	known, ok := c.get(m.Content)
	if !ok {
		known = ClaimOf(m)
		c.put(m.Content, Claim{text: known.text, statement: known.statement})
	}
	known.Memory, known.project = m, m.Project
	return known
}

func (c *claimCache) get(text string) (known Claim, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok = c.recent[text]; !ok {
		known, ok = c.former[text]
	}
	return known, ok
}

// put keeps what a text claims, unless it is too long to claim anything.
func (c *claimCache) put(text string, claim Claim) {
	if len(text) > contradict.MaxBytes {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.recent == nil || len(c.recent) == recentClaims {
		c.recent, c.former = make(map[string]Claim, recentClaims), c.recent
	}
	c.recent[text] = claim
}

// Empty reports whether there is nothing to compare, so that the claim contradicts none.
func (c Claim) Empty() bool { return c.text.Empty() }

// Compare orders claims by when their facts begin to be valid, the newest first, then by ID.
func (c Claim) Compare(o Claim) int {
	return cmp.Or(beginOf(o.Memory).Compare(beginOf(c.Memory)), o.Memory.ID.Compare(c.Memory.ID))
}

// beginOf returns when the fact of a memory begins to be valid.
func beginOf(m *hippo.Memory) time.Time {
	if m.ValidFrom.IsZero() {
		return m.When()
	}
	return m.ValidFrom
}

// Contradicts reports whether two claims for the same project, and not of different authors, seem to contradict each
// other, and in what: "30 s / 60 s", the value of o last.
func (c Claim) Contradicts(o Claim) (reason string, ok bool) {
	if !sameTopic(c, o) {
		return "", false
	}
	r, ok := c.text.Contradicts(o.text)
	return string(r), ok
}

// sameTopic reports whether two claims are of the same project, whatever names it had, and not for different people.
func sameTopic(a, b Claim) bool {
	x, y := a.Memory.Source.Author, b.Memory.Source.Author
	return a.project == b.project && (x == y || x == "" || y == "")
}
