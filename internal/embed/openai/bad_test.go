package openai_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/embed/openai"
)

func TestClient_refuses_answers(t *testing.T) {
	t.Parallel()
	const a, b = `{"index":0,"embedding":[1,2]}`, `{"index":1,"embedding":[3,4]}`
	data := func(items ...string) string { return `{"data":[` + strings.Join(items, ",") + `]}` }
	vector := func(v string) string { return data(a, `{"index":1,"embedding":`+v+`}`) }
	for _, c := range []struct{ name, body, want string }{
		{"too_few", data(a), "got 1 vectors for 2 texts"},
		{"too_many", data(a, b, `{"index":2,"embedding":[5,6]}`), "got 3 vectors for 2 texts"},
		{"none", `{"data":[]}`, "got 0 vectors for 2 texts"},
		{"no_data", `{}`, "got 0 vectors for 2 texts"},
		{"null_data", `{"data":null,"error":null}`, "got 0 vectors for 2 texts"},
		{"same_index", data(a, a), "two vectors of index 0"},
		{"no_index", data(a, `{"embedding":[3,4]}`), "a vector without index"},
		{"large_index", data(a, `{"index":2,"embedding":[3,4]}`), "index 2 for 2 texts"},
		{"negative_index", data(a, `{"index":-1,"embedding":[3,4]}`), "index -1 for 2 texts"},
		{"index_that_is_none", data(a, `{"index":"1","embedding":[3,4]}`), "another shape"},
		{"dimension", vector("[3,4,5]"), "vector 1 has 3 dimensions, want 2"},
		{"no_vector", data(a, `{"index":1}`), "vector 1 has 0 dimensions, want 2"},
		{"null_vector", vector("null"), "want a list of numbers"},
		{"empty_vector", vector("[]"), "the vector is empty"},
		{"blank_vector", vector("[ ]"), "no number"},
		{"nested_vector", vector("[[3,4]]"), "item 0 of the vector is no number"},
		{"vector_of_words", vector(`["3","4"]`), "item 0 of the vector is no number"},
		{"object_for_vector", vector("{}"), "want a list of numbers"},
		{"null_in_vector", vector("[3,null]"), "item 1 of the vector is no number"},
		{"infinite", vector("[3,1e99]"), "item 1 of the vector is no number or too large a one"},
		{"zero", vector("[0,-0.0]"), "vector 1 is all zero"},
		{"nan", vector("[NaN,1]"), "not JSON, it begins with"},
		{"nan_in_base64", vector(`"AADAfwAAgD8="`), "vector 1 has a number that is not finite"},
		{"infinite_in_base64", vector(`"AACAfwAAgD8="`), "vector 1 has a number that is not finite"},
		{"odd_base64", vector(`"AACAfw=="`), "vector 1 has 1 dimensions, want 2"},
		{"short_base64", vector(`"AAA="`), "a vector of 2 bytes"},
		{"bad_base64", vector(`"?"`), "want a list of numbers or a base64 text"},
		{"empty_base64", vector(`""`), "a vector of 0 bytes"},
		{"list", `[[1,2],[3,4]]`, "another shape"},
		{"half", data(a, b)[:30], "not JSON"},
		{"empty", "", `not JSON, it begins with ""`},
		{"html", "<html>" + strings.Repeat("x", 1000), `not JSON, it begins with "<html>x`},
		{"error", `{"error":{"message":"out of credit","code":402}}`, "an error with status 200: out of credit"},
		{"endless", strings.Repeat(" ", 2<<20), "more than 1572864 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, c.body) }))
			client, naps := open(t, configOf(s, 2))
			got, err := client.Embed(t.Context(), embed.Query, []string{"a", "b"})
			if !errors.Is(err, hippo.ErrUnsupported) || !strings.Contains(err.Error(), c.want) || got != nil {
				t.Errorf("got %v, %v, want an ErrUnsupported with %q", got, err, c.want)
			}
			if len(naps.taken) != 0 || len(err.Error()) > 600 {
				t.Errorf("%d pauses, %d bytes of error", len(naps.taken), len(err.Error()))
			}
		})
	}
}

func TestClient_one_vector_needs_no_index(t *testing.T) {
	t.Parallel()
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "{\"data\":[{\"embedding\":[ 3 ,\n\t4e0 ]}]}")
	}))
	client, _ := open(t, configOf(s, 0))
	got, err := client.Embed(t.Context(), embed.Query, []string{"a"})
	if err != nil || fmt.Sprint(got) != "[[0.6 0.8]]" {
		t.Errorf("got %v, %v", got, err)
	}
}

// Before it is asked, a model knows no dimension and gives no vectors.
func TestClient_not_ready(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	client, err := openai.New(configOf(b.server, 0))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Embed(t.Context(), embed.Query, []string{"a"}); !errors.Is(err, embed.ErrNotReady) || client.Model().Dimension != 0 || b.count() != 0 {
		t.Errorf("got %v, dimension %d, after %d requests, want ErrNotReady without any", err, client.Model().Dimension, b.count())
	}
	for range 2 {
		if err := client.Wait(t.Context()); err != nil || client.Model().Dimension != backendDimension || b.count() != 1 {
			t.Errorf("got %v, dimension %d, after %d requests, want %d after one", err, client.Model().Dimension, b.count(), backendDimension)
		}
	}
}

func TestClient_cannot_learn_the_dimension(t *testing.T) {
	t.Parallel()
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { replay(w, "ollama_404_model", "") }))
	client, err := openai.New(configOf(s, 0))
	if err != nil {
		t.Fatal(err)
	}
	if err = client.Wait(t.Context()); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "try pulling it first") {
		t.Errorf("got %v, want an ErrUnavailable with the server's advice", err)
	}
}

func TestClient_model_that_changes_its_dimension(t *testing.T) {
	t.Parallel()
	bodies := []string{`{"data":[{"index":0,"embedding":[1,2]}]}`, `{"data":[{"index":0,"embedding":[1,2,3]}]}`}
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, bodies[0])
		bodies = bodies[1:]
	}))
	client, _ := open(t, configOf(s, 0))
	_, err := client.Embed(t.Context(), embed.Query, []string{"a"})
	if !errors.Is(err, hippo.ErrUnsupported) || !strings.Contains(err.Error(), "has 3 dimensions, want 2") {
		t.Errorf("got %v, want an ErrUnsupported with both dimensions", err)
	}
}
