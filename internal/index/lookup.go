package index

import (
	"encoding/hex"
	"slices"

	"github.com/hippo-memory/hippo"
)

// maxLookup is the most memories of a kind that [Index.Lookup] returns.
const maxLookup = 8

// Lookup returns the memories of a scope whose UUID, in its 36-character form, or whose
// content hash, in hexadecimal, begins with prefix, in lower case: those that can be found,
// and the forgotten ones. At most 8 of each, by ID. Of a hash only the first 16 digits are
// compared. Cost: a scan.
func (s *state) Lookup(scope *hippo.Scope, prefix string) (live, forgotten []hippo.ID) {
	if prefix == "" {
		return nil, nil
	}
	id, isID := uuidDigits(prefix)
	hash, isHash := hexPrefix(prefix[:min(len(prefix), 16)])
	isHash = isHash && len(prefix) <= 64
	for _, p := range s.current.Load().parts {
		set, ok := p.scope(scope)
		if !ok {
			continue
		}
		for d := range uint32(p.docs) {
			r := &p.columns.rows[d]
			found := isID && id.matches(r.id[:]) || isHash && hash.matchesUint(p.columns.extras[d].hash)
			if !found || set != nil && !set.has(d) {
				continue
			}
			switch {
			case p.live.has(d):
				live = append(live, r.id)
			case p.hidden.has(d):
				forgotten = append(forgotten, r.id)
			}
		}
	}
	return firstIDs(live), firstIDs(forgotten)
}

func firstIDs(list []hippo.ID) []hippo.ID {
	slices.SortFunc(list, hippo.ID.Compare)
	return list[:min(len(list), maxLookup)]
}

// digits is a prefix in hexadecimal: whole bytes, and perhaps half of one.
type digits struct {
	bytes []byte
	half  bool // of the last byte only the upper digit counts
}

// hexPrefix parses lower-case hexadecimal digits.
func hexPrefix(s string) (digits, bool) {
	half := len(s)%2 == 1
	if half {
		s += "0"
	}
	for _, c := range s {
		if c >= 'A' && c <= 'F' {
			return digits{}, false
		}
	}
	b, err := hex.DecodeString(s)
	return digits{b, half}, err == nil
}

// uuidDigits parses the beginning of a UUID, with its dashes.
func uuidDigits(s string) (digits, bool) {
	plain := make([]byte, 0, 32)
	for i := range len(s) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if i >= 36 || dash != (s[i] == '-') {
			return digits{}, false
		}
		if !dash {
			plain = append(plain, s[i])
		}
	}
	return hexPrefix(string(plain))
}

func (d digits) matches(b []byte) bool {
	for i, c := range d.bytes {
		if d.half && i == len(d.bytes)-1 {
			return b[i]>>4 == c>>4
		}
		if b[i] != c {
			return false
		}
	}
	return true
}

func (d digits) matchesUint(h uint64) bool {
	n := 4 * 2 * len(d.bytes)
	if d.half {
		n -= 4
	}
	want := uint64(0)
	for _, c := range d.bytes {
		want = want<<8 | uint64(c)
	}
	if d.half {
		want >>= 4
	}
	return h>>(64-n) == want
}
