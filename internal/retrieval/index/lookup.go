package index

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
)

// maxLookup is the most memories of a kind that [Index.Lookup] returns.
const maxLookup = 8

// shownDigits is the number of digits of an end of a UUID from which on it takes precedence
// over prefixes: those of [hippo.ID.Short].
const shownDigits = 8

// fitting is what a reference fits: the memories that can be found, and the forgotten ones.
type fitting struct{ live, forgotten []hippo.ID }

func (f *fitting) empty() bool { return len(f.live)+len(f.forgotten) == 0 }

// Lookup returns the memories of a scope that a reference in lower case fits: those that can be
// found, and the forgotten ones, at most 8 of each, by ID. It fits a UUID that begins or ends with
// it, with or without dashes, or whose last 8 digits begin with it, which is what lists show, and a content hash that begins with it; of a hash only the
// first 16 digits are compared. A UUID that ends with 8 or more digits takes precedence
// over what begins with them. Cost: a scan.
func (s *state) Lookup(scope *hippo.Scope, ref string) (live, forgotten []hippo.ID) {
	if ref == "" {
		return nil, nil
	}
	id, isID := uuidDigits(ref)
	end, isEnd := uuidEnd(ref)
	hash, isHash := hexPrefix(ref[:min(len(ref), 16)])
	isHash = isHash && len(ref) <= 64
	var ends, begins fitting
	s.eachRow(scope, func(p *part, d uint32) {
		r := &p.columns.rows[d]
		to := &begins
		switch {
		case isEnd && hasEnd(&r.id, end):
			to = &ends
		case isID && id.matches(r.id[:]), isID && len(ref) < shownDigits && id.matches(r.id[len(r.id)-shownDigits/2:]), isHash && hash.matchesUint(p.columns.extras[d].hash):
		default:
			return
		}
		if p.live.has(d) {
			to.live = append(to.live, r.id)
		} else {
			to.forgotten = append(to.forgotten, r.id)
		}
	})
	if len(end) < shownDigits || ends.empty() {
		ends.live, ends.forgotten = append(ends.live, begins.live...), append(ends.forgotten, begins.forgotten...)
	}
	return firstIDs(ends.live), firstIDs(ends.forgotten)
}

// Has reports whether all of these memories can be found. Cost: a binary search in each segment for each.
func (s *state) Has(ids []hippo.ID) bool {
	parts := s.current.Load().parts
	for _, id := range ids {
		if !slices.ContainsFunc(parts, func(p *part) bool {
			doc, ok := p.find(id)
			return ok && p.live.has(doc)
		}) {
			return false
		}
	}
	return true
}

// Distinguish returns for each ID how many of its last hexadecimal digits no other memory of
// the scope has, forgotten ones included, but at least 8. Cost: a scan of
// 4 bytes a memory, 0.02 ms of 10,000 memories and 0.2 ms of 100,000, see [idEnds].
func (s *state) Distinguish(scope *hippo.Scope, ids []hippo.ID) []int {
	out := make([]int, len(ids))
	wanted := make(map[uint32][]int, len(ids)) // by the last 8 digits
	var filter [1 << 16 / 64]uint64            // of the last 4 digits
	for i, id := range ids {
		end := lastDigits(&id)
		wanted[end] = append(wanted[end], i)
		filter[end>>6&1023] |= 1 << (end & 63)
		out[i] = shownDigits
	}
	for _, p := range s.current.Load().parts {
		in, ok := p.scope(scope)
		if !ok {
			continue
		}
		ends := idEnds(p.segment)
		for d := range in.all() {
			end := ends[d]
			if filter[end>>6&1023]&(1<<(end&63)) == 0 || !p.known(d) {
				continue
			}
			other := p.columns.rows[d].id
			for _, i := range wanted[end] {
				if ids[i] != other {
					out[i] = max(out[i], commonEnd(ids[i], other)+1)
				}
			}
		}
	}
	return out
}

// commonEnd returns the number of hexadecimal digits at the end that two IDs have in common.
func commonEnd(a, b hippo.ID) int {
	n := 0
	for i := len(a) - 1; i >= 0; i-- {
		switch {
		case a[i] == b[i]:
			n += 2
		case a[i]&15 == b[i]&15:
			return n + 1
		default:
			return n
		}
	}
	return n
}

// eachRow calls fn for every memory of a scope, forgotten ones included.
func (s *state) eachRow(scope *hippo.Scope, fn func(p *part, d uint32)) {
	for _, p := range s.current.Load().parts {
		in, ok := p.scope(scope)
		if !ok {
			continue
		}
		for d := range in.all() {
			if p.known(d) {
				fn(p, d)
			}
		}
	}
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

// uuidDigits parses the beginning of a UUID, with its dashes or without any.
func uuidDigits(s string) (digits, bool) {
	if !strings.Contains(s, "-") {
		d, ok := hexPrefix(s)
		return d, ok && len(s) <= 32
	}
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

// uuidEnd returns the digits of the end of a UUID, which may have its dashes.
func uuidEnd(s string) (string, bool) {
	plain := strings.ReplaceAll(s, "-", "")
	if len(plain) > 32 || plain == "" {
		return "", false
	}
	for i, fromEnd := 0, 0; i < len(s); i++ {
		c := s[len(s)-1-i]
		switch {
		case c == '-' && (fromEnd == 12 || fromEnd == 16 || fromEnd == 20 || fromEnd == 24):
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'f':
			fromEnd++
		default:
			return "", false
		}
	}
	return plain, true
}

// hasEnd reports whether the digits of an ID end with end, in lower case.
func hasEnd(id *hippo.ID, end string) bool {
	const digits = "0123456789abcdef"
	for i := range len(end) {
		at := 2*len(id) - 1 - i
		b := id[at/2]
		if at%2 == 0 {
			b >>= 4
		}
		if digits[b&15] != end[len(end)-1-i] {
			return false
		}
	}
	return true
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
