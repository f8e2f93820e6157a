package index_test

import (
	"fmt"
	"testing"

	"github.com/hippo-memory/hippo"
)

// An access is taken off its own day, even if it is too old to be kept by the time
// that it is stored.
func TestIndex_Settle_longAgo(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	m := note(1, "word")
	s.put(m)
	x := open(t, s, nil)
	x.Touch([]hippo.ID{id(1)}, 1)
	x.Touch([]hippo.ID{id(1)}, 40)
	x.Touch([]hippo.ID{id(1)}, 41)
	for _, day := range []hippo.Day{1, 40, 41} {
		settle(t, x, day, map[hippo.ID]int{id(1): 1}, func() []*hippo.Memory {
			m.Touch(day, 1)
			s.put(m)
			return []*hippo.Memory{s.get(id(1))}
		})
		wantUses(t, x, fmt.Sprint("day ", day, " is stored"), hippo.Access{Day: 40, Count: 1}, hippo.Access{Day: 41, Count: 1})
	}
}
