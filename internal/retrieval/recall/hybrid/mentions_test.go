package hybrid

import "testing"

// The cache is bounded: what was used longest ago is evicted first.
func TestMentions_AreCachedWithinBounds(t *testing.T) {
	t.Parallel()
	m := newMentions(nil, nil)
	list := mentionsOf("Of Ada Lovelace and Bob Dahl")
	if len(list) == 0 {
		t.Fatal("no mentions")
	}
	m.put(textKey{text: 0}, list)
	for n := uint64(1); m.old == nil; n++ {
		m.put(textKey{text: n}, list)
	}
	if _, ok := m.get(textKey{text: 0}); !ok {
		t.Error("evicted too early")
	}
	for n := uint64(1 << 32); n < 1<<32+2*maxCached; n++ {
		m.put(textKey{text: n}, list)
	}
	if _, ok := m.get(textKey{text: 1}); ok {
		t.Error("never evicted")
	}
	if cached := (len(m.young) + len(m.old)) * (len(list) + 1); cached > 2*maxCached {
		t.Errorf("%d entities are cached, want at most %d", cached, 2*maxCached)
	}
}
