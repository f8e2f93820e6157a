package index

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Repeated documents are those that share their key with another document of the namespace, whichever parts earlier calls have cached.
func TestRepeats(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var cache repeats
		parts := []*part{saidPart(t, 400)}
		for range 20 {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0, 1:
				parts = append(parts, saidPart(t, 4))
			case 2:
				at := rapid.IntRange(0, len(parts)-1).Draw(t, "replaced")
				parts = append(append([]*part{}, parts[:at]...), saidPart(t, 8))
			default:
				parts = append([]*part{saidPart(t, 300)}, parts[1:]...)
			}
			for _, namespace := range []string{"a", "b", "none"} {
				got, want := make(map[repeated]bool), repeatedDirectly(parts, namespace)
				for i, x := range cache.in(parts, namespace) {
					if got[x] = true; i > 0 && cache.in(parts, namespace)[i-1].key > x.key {
						t.Fatalf("%d parts: not in the order of the keys", len(parts))
					}
				}
				if !maps.Equal(got, want) {
					t.Fatalf("%d parts, namespace %q: (-want +got):\n%s", len(parts), namespace, cmp.Diff(want, got, cmp.AllowUnexported(repeated{})))
				}
			}
		}
	})
}

// saidPart returns a part of up to n documents of two namespaces, some of which say the same.
func saidPart(t *rapid.T, n int) *part {
	s := &segment{docs: rapid.IntRange(1, n).Draw(t, "documents")}
	s.names = names{blobs{data: []byte("ab"), ends: []uint32{0, 1, 2}}}
	middle := rapid.Uint32Range(0, uint32(s.docs)).Draw(t, "first of b")
	s.tenants = []tenant{{namespace: 0, docRange: docRange{0, middle}}, {namespace: 1, docRange: docRange{middle, uint32(s.docs)}}}
	seed := rapid.Uint64().Draw(t, "keys")
	for i := range uint64(s.docs) {
		key := (seed + i) * 0x9e3779b97f4a7c15
		if key>>60 == 0 {
			key >>= 55 // one of few, also 0
		}
		s.columns.said = append(s.columns.said, key)
	}
	return &part{segment: s}
}

// repeatedDirectly finds them by comparing all documents.
func repeatedDirectly(parts []*part, namespace string) map[repeated]bool {
	byKey := make(map[uint64][]repeated)
	for i, p := range parts {
		for _, x := range p.tenants {
			for doc := x.from; doc < x.to && p.names.text(x.namespace) == namespace; doc++ {
				if key := p.columns.said[doc]; key != 0 {
					byKey[key] = append(byKey[key], repeated{key, docIn(i, doc)})
				}
			}
		}
	}
	out := make(map[repeated]bool)
	for _, list := range byKey {
		for _, x := range list {
			if len(list) > 1 {
				out[x] = true
			}
		}
	}
	return out
}
