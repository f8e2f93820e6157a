package models_test

import (
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
	"github.com/hippo-memory/hippo/models"
)

const maxCodeBytes = 6_000_000

// Functions in several languages, and questions that have few of their words.
func TestCodeFindsFunctions(t *testing.T) {
	t.Parallel()
	m, err := static.OpenWithCode(open(t), models.Code())
	if err != nil {
		t.Fatal(err)
	}
	functions := map[string]string{
		"reports whether a file exists":              "func present(path string) bool {\n\t_, err := os.Stat(path)\n\treturn err == nil || !errors.Is(err, fs.ErrNotExist)\n}",
		"sorts a list in descending order":           "def arrange(items):\n    return sorted(items, key=lambda x: x, reverse=True)",
		"sends an HTTP request and decodes the JSON": "func fetch(ctx context.Context, c *http.Client, url string, v any) error {\n\tr, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)\n\tif err != nil {\n\t\treturn err\n\t}\n\tres, err := c.Do(r)\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer res.Body.Close()\n\treturn json.NewDecoder(res.Body).Decode(v)\n}",
		"computes the mean of the numbers":           "def average(values):\n    return sum(values) / len(values) if values else 0.0",
		"waits until all workers have finished":      "func (p *pool) join() {\n\tclose(p.jobs)\n\tp.wg.Wait()\n}",
	}
	vector := func(text string) []float32 {
		v := make([]float32, m.CodeDimension())
		m.EmbedCode(v, m.Tokenize(nil, text))
		return v
	}
	for question, own := range functions {
		q := vector(question)
		want := dot(q, vector(own))
		for other, code := range functions {
			if got := dot(q, vector(code)); other != question && got >= want {
				t.Errorf("%q is as similar to the function for %q: %.3f, its own %.3f", question, other, got, want)
			}
		}
	}
}

func TestCodeIsSmall(t *testing.T) {
	t.Parallel()
	if n := len(models.Code()); n > maxCodeBytes {
		t.Errorf("%d bytes, at most %d", n, maxCodeBytes)
	}
}
