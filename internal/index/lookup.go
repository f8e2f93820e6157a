package index

import (
	"encoding/hex"
	"slices"

	"github.com/hippo-memory/hippo"
)

// maxLookup is the most memories that [Index.Lookup] returns.
const maxLookup = 8

// Lookup returns the live memories whose UUID, in its 36-character form, or
// whose content hash, in hexadecimal, begins with prefix, in lower case; at most
// 8, by ID. Of a hash only the first 16 digits are compared. Cost: a scan.
func (x *Index) Lookup(prefix string) []hippo.ID {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if prefix == "" {
		return nil
	}
	idDigits, isID := uuidDigits(prefix)
	hash, isHash := hexPrefix(prefix[:min(len(prefix), 16)])
	isHash = isHash && len(prefix) <= 64
	var out []hippo.ID
	for d := range x.rows.hot {
		id := &x.rows.hot[d].id
		fits := isID && idDigits.matches(id[:]) || isHash && hash.matchesUint(x.rows.cold[d].hash)
		if fits && !x.rows.dead.has(uint32(d)) {
			out = append(out, *id)
		}
	}
	slices.SortFunc(out, hippo.ID.Compare)
	return out[:min(len(out), maxLookup)]
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
