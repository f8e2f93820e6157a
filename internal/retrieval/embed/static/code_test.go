package static_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
	"github.com/hippo-memory/hippo/models"
)

var _ embed.CodeEmbedder = (*static.WithCode)(nil)

func openWithCode(t *testing.T, table, code []byte) *static.WithCode {
	t.Helper()
	m, err := static.OpenWithCode(open(t, table), code)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func codeVector(m *static.WithCode, tokens []int32) []float32 {
	v := make([]float32, m.CodeDimension())
	m.EmbedCode(v, slices.Clone(tokens))
	return v
}

// The vector is the sum of the rows, each times its scale and log2(1 + its occurrences).
func TestEmbedCode_Values(t *testing.T) {
	t.Parallel()
	data, tokens := writeSmall(t).data, small()
	m := openWithCode(t, data, data)
	ids := []int32{1, 0, 1, 1}
	want := make([]float64, m.CodeDimension())
	length := 0.0
	for k := range want {
		want[k] = float64(tokens[0].scale)*float64(tokens[0].row[k]) + 2*float64(tokens[1].scale)*float64(tokens[1].row[k])
		length += want[k] * want[k]
	}
	for k, x := range codeVector(m, ids) {
		if math.Abs(float64(x)-want[k]/math.Sqrt(length)) > 1e-5 {
			t.Errorf("component %d is %v, want %v", k, x, want[k]/math.Sqrt(length))
		}
	}
}

func TestEmbedCode_IgnoresOrderAndUnknownTokens(t *testing.T) {
	t.Parallel()
	m := openWithCode(t, models.Builtin(), models.Code())
	tokens := make([]int32, 200) // more than are added at a time
	for i := range tokens {
		tokens[i] = int32(i * 97 % 150)
	}
	want := codeVector(m, tokens)
	reversed := slices.Clone(tokens)
	slices.Reverse(reversed)
	if d := cmp.Diff(want, codeVector(m, reversed)); d != "" {
		t.Errorf("reversed (-want +got):\n%s", d)
	}
	if d := cmp.Diff(want, codeVector(m, append([]int32{-1, 1 << 20, math.MaxInt32}, tokens...))); d != "" {
		t.Errorf("with tokens outside of the vocabulary (-want +got):\n%s", d)
	}
	if d := cmp.Diff(make([]float32, m.CodeDimension()), codeVector(m, nil)); d != "" {
		t.Errorf("without tokens (-want +got):\n%s", d)
	}
}

func TestOpenWithCode_RefusesDamage(t *testing.T) {
	t.Parallel()
	m := open(t, models.Builtin())
	for name, data := range map[string][]byte{
		"of another vocabulary": writeSmall(t).data, "cut short": models.Code()[:1<<20], "empty": nil,
	} {
		if _, err := static.OpenWithCode(m, data); !errors.Is(err, hippo.ErrCorrupt) {
			t.Errorf("a file %s: %v", name, err)
		}
	}
}
