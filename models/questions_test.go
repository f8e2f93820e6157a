package models_test

import (
	"math"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/cnn"
	"github.com/hippo-memory/hippo/models"
)

// What questions have in common is nearer to each of these questions than to its answer, in
// languages that it was computed from and in others.
func TestQuestions(t *testing.T) {
	t.Parallel()
	m, err := cnn.Open(models.Multilingual(), cnn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mean := models.Questions()
	if n := math.Sqrt(dot(mean, mean)); len(mean) != m.Model().Dimension || n < .2 || n >= 1 {
		t.Fatalf("%d components of length %f, want %d below 1", len(mean), n, m.Model().Dimension)
	}
	for _, pair := range [][2]string{
		{"Which database does the shop use?", "The shop uses Postgres."},
		{"Wann fährt der letzte Zug nach Bern?", "Der letzte Zug nach Bern fährt um elf."},
		{"¿Quién pintó la cocina?", "Ana pintó la cocina."},
		{"Où sont les clés de la cave ?", "Les clés de la cave sont chez Paul."},
		{"服务器什么时候重启？", "服务器每天三点重启。"},
		{"Сколько стоит билет?", "Билет стоит пять рублей."},
	} {
		v, err := m.Embed(t.Context(), embed.Query, pair[:])
		if err != nil {
			t.Fatal(err)
		}
		if q, a := dot(mean, v[0]), dot(mean, v[1]); q <= a {
			t.Errorf("%q: %.3f, the answer %.3f", pair[0], q, a)
		}
	}
}
