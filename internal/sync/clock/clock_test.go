package clock_test

import (
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
)

func noon() time.Time { return time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC) }

func TestClock_is_above_all_that_it_knows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var c clock.Clock
		now := noon()
		for range rapid.IntRange(1, 20).Draw(t, "writes") {
			now = now.Add(time.Duration(rapid.IntRange(-5000, 5000).Draw(t, "ms")) * time.Millisecond)
			last := c.Last
			above := clock.Time(rapid.Uint64Range(0, uint64(clock.At(now.Add(2*clock.Drift)))).Draw(t, "above"))
			if got := c.Next(now, above); got <= above || got <= last {
				t.Fatalf("got %v at %v, want it above %v and %v", got, now, above, last)
			}
			if clock.Ahead(now.Add(time.Minute), c.Last) {
				t.Fatalf("the clock is at %v, far ahead of %v", c.Last, now)
			}
			seen := clock.At(now.Add(time.Duration(rapid.IntRange(-9000, 9000).Draw(t, "seconds")) * time.Second))
			c.See(now, seen)
			if !clock.Ahead(now, seen) && c.Last < seen {
				t.Fatalf("the clock is at %v after it saw %v", c.Last, seen)
			}
		}
	})
}

func TestClock_of_2031(t *testing.T) {
	t.Parallel()
	var c clock.Clock
	c.Next(noon(), 0)
	before := c
	far := clock.At(time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC))
	if c.See(noon(), far); c != before {
		t.Errorf("the clock was pulled to %v", c.Last)
	}
	if got := c.Next(noon(), far); got != far+1 {
		t.Errorf("a write that replaces %v has %v", far, got)
	}
	if c.Last.Wall().Year() != 2026 {
		t.Errorf("the clock was pulled to %v", c.Last)
	}
	if got := c.Next(noon(), clock.MaxTime); got <= clock.MaxTime {
		t.Errorf("a write that replaces the greatest time has %v", got)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	r, err := clock.NewReplica(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := clock.ParseReplica(r.String()); err != nil || got != r {
		t.Errorf("%v, %v", got, err)
	}
	now := clock.At(noon()) + 7
	if got, err := clock.ParseTime(now.String()); err != nil || got != now || !got.Wall().Equal(noon()) {
		t.Errorf("%v, %v", got, err)
	}
	for _, s := range []string{"", "0", r.String()[1:], "g" + r.String()[1:], "00000000000000000000000000000000", "0000000000000000000000000000000A", r.String() + "0"} {
		if _, err := clock.ParseReplica(s); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("%q: %v", s, err)
		}
	}
	for _, s := range []string{"", "0", "ffffffffffffffff", "+00000000000000a", "000000000000000G", "00000000000000001"} {
		if _, err := clock.ParseTime(s); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("%q: %v", s, err)
		}
	}
	if got := clock.At(time.Date(1905, 1, 1, 0, 0, 0, 0, time.UTC)); got != 0 {
		t.Errorf("before 1970: %v", got)
	}
}

func TestStamp_ties(t *testing.T) {
	t.Parallel()
	a, b := clock.Stamp{Time: 5, Origin: clock.Replica{1}}, clock.Stamp{Time: 5, Origin: clock.Replica{2}}
	if a.Compare(b) >= 0 || b.Compare(a) <= 0 || a.Compare(a) != 0 || (clock.Stamp{Time: 6}).Compare(b) <= 0 {
		t.Error("stamps of one time are not ordered by origin")
	}
}
