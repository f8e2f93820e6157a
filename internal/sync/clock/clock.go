// Package clock orders the writes of stores that change independently of each other.
//
// Each store has a [Replica] and stamps its writes with a hybrid logical clock: the machine's time, plus a counter for writes within
// one millisecond. The stamp of a write is above every stamp its store has issued and above the stamp of the value it replaces. A
// writer that has seen a value can therefore replace it, whatever the machines' clocks say. A clock that runs far ahead does not
// pull the others along.
//
// Source: Kulkarni, Demirbas, Madappa, Avva and Leone, "Logical physical clocks", 2014.
package clock

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/hippo-memory/hippo"
)

// Replica identifies a store among those that exchange changes. It is 128 random bits; the zero value means no identity. Two stores
// never share a Replica: a copy takes a new one.
type Replica [16]byte

// NewReplica reads a new identity from a source of random bytes.
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

// String returns the identity as 32 lower-case hexadecimal digits.
func (r Replica) String() string { return hex.EncodeToString(r[:]) }

// IsZero reports whether the identity is unset.
func (r Replica) IsZero() bool { return r == Replica{} }

// Compare orders identities by their bytes.
func (r Replica) Compare(other Replica) int { return bytes.Compare(r[:], other[:]) }

// counterBits is the width of the counter in a [Time], below the milliseconds since 1970.
const counterBits = 16

// MaxTime is the greatest time accepted from other replicas. It lies in the year 6429 and leaves room to stamp writes above it.
const MaxTime = Time(1)<<63 - 1

// Time is a reading of a hybrid clock: 48 bits of milliseconds since 1970, followed by a 16-bit counter.
type Time uint64

// At returns the first Time in a millisecond, or 0 before 1970.
func At(t time.Time) Time {
	return Time(min(max(0, t.UnixMilli()), int64(MaxTime>>counterBits))) << counterBits
}

// Wall returns the millisecond of t, in UTC.
func (t Time) Wall() time.Time { return time.UnixMilli(int64(t >> counterBits)).UTC() }

// String returns the time as 16 lower-case hexadecimal digits.
func (t Time) String() string {
	return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(t)))
}

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

// Drift is how far a time may lie ahead of this machine and still advance its clock.
const Drift = time.Hour

// Clock stamps the writes of one replica. The zero value has stamped nothing. A store saves its Clock with its data.
type Clock struct {
	// Last is the latest time that the clock has issued or accepted from another replica.
	Last Time
}

// Next returns the time for a write. The argument above is the time of the value that the write replaces, or 0 if it replaces nothing. The
// result exceeds both above and every time that the clock knows. An above that lies ahead of the machine by more than [Drift] does not move the clock.
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

// See advances the clock to a time from another replica. It ignores a time that lies ahead of the machine by more than [Drift].
func (c *Clock) See(now time.Time, t Time) {
	if t > c.Last && !Ahead(now, t) {
		c.Last = t
	}
}

// Ahead reports whether a time lies ahead of the machine by more than [Drift].
func Ahead(now time.Time, t Time) bool { return t > At(now.Add(Drift)) }

// Stamp orders the writes of all replicas. Origin is the replica that wrote.
type Stamp struct {
	Time   Time
	Origin Replica
}

// Compare orders stamps by time, then by origin. Every machine computes the same order.
func (s Stamp) Compare(other Stamp) int {
	return cmp.Or(cmp.Compare(s.Time, other.Time), s.Origin.Compare(other.Origin))
}
