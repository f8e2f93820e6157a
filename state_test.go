package hippo_test

import (
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
)

func TestStateAt(t *testing.T) {
	t.Parallel()
	at := func(day int) time.Time { return time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC) }
	next := hippo.ID{1}
	for name, c := range map[string]struct {
		m    hippo.Memory
		want hippo.State
	}{
		"without bounds":       {hippo.Memory{}, hippo.Holds},
		"begins now":           {hippo.Memory{ValidFrom: at(9)}, hippo.Holds},
		"begins later":         {hippo.Memory{ValidFrom: at(10)}, hippo.NotYet},
		"ends now":             {hippo.Memory{ValidUntil: at(9)}, hippo.Ended},
		"ends later":           {hippo.Memory{ValidFrom: at(1), ValidUntil: at(10)}, hippo.Holds},
		"superseded":           {hippo.Memory{SupersededBy: next}, hippo.Superseded},
		"superseded and ended": {hippo.Memory{SupersededBy: next, ValidUntil: at(3)}, hippo.Superseded},
		"superseded, and the successor begins later": {hippo.Memory{SupersededBy: next, ValidUntil: at(10)}, hippo.Holds},
		"superseded before it begins":                {hippo.Memory{SupersededBy: next, ValidFrom: at(10)}, hippo.NotYet},
	} {
		if got := c.m.StateAt(at(9)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		r := hippo.Relation{ValidFrom: c.m.ValidFrom, ValidUntil: c.m.ValidUntil}
		if got := r.StateAt(at(9)); c.m.SupersededBy.IsZero() && got != c.want {
			t.Errorf("relation %s: %s, want %s", name, got, c.want)
		}
	}
}
