package adaptive_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/retrieval/surprise/adaptive"
)

func loss(t interface {
	Helper()
	Fatal(...any)
}, m *adaptive.Model, text string,
) float64 {
	t.Helper()
	x, err := m.Loss(nil, text) //nolint:staticcheck // it is not used
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestModel_LearnsItsStore(t *testing.T) {
	t.Parallel()
	var m adaptive.Model
	if x := loss(t, &m, "anything"); x != 0 {
		t.Errorf("a model that knows nothing is surprised: %v", x)
	}
	for i := range 40 {
		m.Learn(fmt.Sprintf("login talk %02d: a brief remark on the login page", i))
	}
	usual := loss(t, &m, "login talk 77: a brief remark on the login page")
	decision := loss(t, &m, "We moved every customer record out of Frankfurt, since auditors objected to foreign backups.")
	short := loss(t, &m, "a remark on the page")
	if !(usual < short && short < decision) || usual > .5 || decision < .7 {
		t.Errorf("got %v, short %v, decision %v", usual, short, decision)
	}
	m.Learn("We moved every customer record out of Frankfurt, since auditors objected to foreign backups.")
	if again := loss(t, &m, "We moved every customer record out of Frankfurt, since auditors objected to foreign backups."); again >= decision {
		t.Errorf("what was learned is as surprising as before: %v, %v", again, decision)
	}
}

// Losses are in [0, 1], and equal for equal histories.
func TestModel_Deterministic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.String(), 8, 12).Draw(t, "texts")
		asked := rapid.String().Draw(t, "asked")
		var a, b adaptive.Model
		for _, x := range texts {
			a.Learn(x)
			b.Learn(x)
		}
		x, y := loss(t, &a, asked), loss(t, &b, asked)
		if x != y || !(x >= 0 && x <= 1) {
			t.Fatalf("got %v and %v", x, y)
		}
	})
}

func TestModel_Bounds(t *testing.T) {
	t.Parallel()
	var m adaptive.Model
	for range 10 {
		m.Learn(strings.Repeat("a", 100_000))
	}
	if x := loss(t, &m, strings.Repeat("a", 1000)); !(x > 0 && x <= .6) {
		t.Errorf("the same again: %v", x)
	}
	if x := loss(t, &m, "quite another thing"); !(x > .9 && x <= 1) {
		t.Errorf("quite another thing: %v", x)
	}
}
