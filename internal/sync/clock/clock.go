// Package clock orders the writes of stores that are changed apart from each other.
//
// Each store has a [Replica], and stamps its writes with a hybrid logical clock: the time of the machine, and a counter for what
// happens within one millisecond. A write is above everything that its store has stamped, and above what it replaces, so that
// who has seen a value replaces it whatever the clocks of the machines say. A clock that runs far ahead does not pull the others along.
//
// Source: Kulkarni, Demirbas, Madappa, Avva and Leone, "Logical physical clocks", 2014.
package clock

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/hippo-memory/hippo"
)

// Replica is the identity of a store among those that exchange their changes: 128 random bits. The zero value is none. Two stores
// never have the same one: a copy takes a new one.
type Replica [16]byte

// NewReplica returns a new identity out of a source of random bytes.
func NewReplica(random io.Reader) (r Replica, err error) {
	if _, err := io.ReadFull(random, r[:]); err != nil {
		return Replica{}, fmt.Errorf("new replica id: %w", err)
	}
	return r, nil
}

// ParseReplica is the inverse of [Replica.String]. The error is [hippo.ErrInvalid].
func ParseReplica(s string) (r Replica, err error) {
	if len(s) != hex.EncodedLen(len(r)) || !lowerHex(s) {
		return Replica{}, fmt.Errorf("%w: %.40q is not the id of a replica, which has %d lower-case hexadecimal digits", hippo.ErrInvalid, s, 2*len(r))
	}
	if _, err := hex.Decode(r[:], []byte(s)); err != nil || r.IsZero() {
		return Replica{}, fmt.Errorf("%w: %.40q is not the id of a replica", hippo.ErrInvalid, s)
	}
	return r, nil
}

// String returns 32 lower-case hexadecimal digits.
func (r Replica) String() string { return hex.EncodeToString(r[:]) }

// IsZero reports whether there is no identity.
func (r Replica) IsZero() bool { return r == Replica{} }

// Compare orders identities by their bytes.
func (r Replica) Compare(other Replica) int { return bytes.Compare(r[:], other[:]) }

// counterBits is the width of the counter in a [Time], below the milliseconds since 1970.
const counterBits = 16

// MaxTime is the greatest time that is accepted from others, in the year 6429: writes above it can still be stamped.
const MaxTime = Time(1)<<63 - 1

// Time is a moment of a hybrid clock: 48 bits of milliseconds since 1970 and 16 bits of a counter.
type Time uint64

// At returns the first moment of a millisecond. Before 1970 it is 0.
func At(t time.Time) Time {
	return Time(min(max(0, t.UnixMilli()), int64(MaxTime>>counterBits))) << counterBits
}

// Wall returns the millisecond of a moment, in UTC.
func (t Time) Wall() time.Time { return time.UnixMilli(int64(t >> counterBits)).UTC() }

// String returns 16 lower-case hexadecimal digits.
func (t Time) String() string { return fmt.Sprintf("%016x", uint64(t)) }

// ParseTime is the inverse of [Time.String]. The error is [hippo.ErrInvalid].
func ParseTime(s string) (Time, error) {
	n, err := strconv.ParseUint(s, 16, 64)
	if err != nil || len(s) != 16 || !lowerHex(s) || Time(n) > MaxTime {
		return 0, fmt.Errorf("%w: %.40q is not a time, which has 16 lower-case hexadecimal digits and is at most %v", hippo.ErrInvalid, s, MaxTime)
	}
	return Time(n), nil
}

func lowerHex(s string) bool {
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Drift is how far ahead of the own machine a time may be and still move its clock.
const Drift = time.Hour

// Clock stamps the writes of one replica. The zero value has stamped nothing. It is a value that is stored with the data.
type Clock struct {
	// Last is the last moment that was given out, or seen from others.
	Last Time
}

// Next returns the moment of a write at a time of the machine that replaces what has the moment above, 0 for nothing. It is above that, and
// above all that the clock knows. If above lies ahead by more than [Drift], the clock itself stays where it is.
func (c *Clock) Next(now time.Time, above Time) Time {
	t := max(At(now), c.Last+1)
	c.Last = t
	if t > above {
		return t
	}
	t = above + 1
	c.See(now, t)
	return t
}

// See takes note of the moment of another replica. One that lies ahead of the machine by more than [Drift] changes nothing.
func (c *Clock) See(now time.Time, t Time) {
	if t > c.Last && !Ahead(now, t) {
		c.Last = t
	}
}

// Ahead reports whether a moment lies ahead of the machine by more than [Drift].
func Ahead(now time.Time, t Time) bool { return t > At(now.Add(Drift)) }

// Stamp orders the writes of all replicas. Origin is the one that wrote.
type Stamp struct {
	Time   Time
	Origin Replica
}

// Compare orders stamps by time, then by origin: the same on every machine.
func (s Stamp) Compare(other Stamp) int {
	return cmp.Or(cmp.Compare(s.Time, other.Time), s.Origin.Compare(other.Origin))
}
