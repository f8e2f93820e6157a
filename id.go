package hippo

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// ID identifies a memory: a UUID, version 7 for memories recorded by this
// program. The zero ID means none.
type ID [16]byte

// ParseID reads the 36-character form of a UUID, in either case.
// The error is [ErrInvalid].
func ParseID(s string) (ID, error) {
	var id ID
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return ID{}, fmt.Errorf("%w: %.60q is not a UUID", ErrInvalid, s)
	}
	plain := s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:]
	if _, err := hex.Decode(id[:], []byte(plain)); err != nil {
		return ID{}, fmt.Errorf("%w: %.60q is not a UUID", ErrInvalid, s)
	}
	return id, nil
}

// String returns the lower-case 36-character form.
func (id ID) String() string {
	var b [36]byte
	hex.Encode(b[0:8], id[0:4])
	hex.Encode(b[9:13], id[4:6])
	hex.Encode(b[14:18], id[6:8])
	hex.Encode(b[19:23], id[8:10])
	hex.Encode(b[24:], id[10:])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	return string(b[:])
}

// shortDigits is the number of hexadecimal digits of [ID.Short].
const shortDigits = 8

// Short returns the last 8 hexadecimal digits. They are random in a UUID of version 7, which
// begins with the time, and stay when the content changes. See [ShortIDs] for two memories
// with the same ones.
func (id ID) Short() string { return id.end(shortDigits) }

// end returns the last n hexadecimal digits, at most 32.
func (id ID) end(n int) string {
	digits := hex.EncodeToString(id[:])
	return digits[len(digits)-min(n, len(digits)):]
}

// FirstNumber is the least [ID.Number].
const FirstNumber = 1 << 52

// numberDigits is the number of hexadecimal digits of an ID that are in its [ID.Number].
const numberDigits = 13

// Number returns a number for programs that know memories by one: [FirstNumber] plus the last 13
// hexadecimal digits, which are random. It is below 2^53, so that every reader of JSON keeps it. Two of 100,000
// memories have the same one with a probability of 1e-6.
func (id ID) Number() int64 {
	return FirstNumber | int64(binary.BigEndian.Uint64(id[8:])&(FirstNumber-1)) //nolint:gosec // below 2^53
}

// EndOfNumber returns the end of the IDs that have a number; false if it is no [ID.Number].
func EndOfNumber(number int64) (end string, ok bool) {
	if number < FirstNumber || number >= 2*FirstNumber {
		return "", false
	}
	return fmt.Sprintf("%0*x", numberDigits, number-FirstNumber), true
}

// ShortIDs holds the short forms of IDs whose last 8 digits several memories have: the longer
// end that distinguishes each. The others are absent, so nil is the most frequent value.
type ShortIDs map[ID]string

// NewShortIDs returns the short forms of IDs; digits[i] of ids[i] distinguish it from all
// other memories.
func NewShortIDs(ids []ID, digits []int) ShortIDs {
	var s ShortIDs
	for i, n := range digits {
		if n > shortDigits {
			if s == nil {
				s = make(ShortIDs)
			}
			s[ids[i]] = ids[i].end(n)
		}
	}
	return s
}

// Of returns the short form of an ID.
func (s ShortIDs) Of(id ID) string {
	if text, ok := s[id]; ok {
		return text
	}
	return id.Short()
}

// IsZero reports whether id is the zero ID.
func (id ID) IsZero() bool { return id == ID{} }

// Compare orders IDs by their bytes; for version 7 that is by time.
func (id ID) Compare(other ID) int { return bytes.Compare(id[:], other[:]) }

// MarshalText implements [encoding.TextMarshaler].
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (id *ID) UnmarshalText(b []byte) error {
	v, err := ParseID(string(b))
	if err == nil {
		*id = v
	}
	return err
}
