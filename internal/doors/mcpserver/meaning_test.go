package mcpserver_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/enginetest"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/models"
)

// missing is what package app says of a model that cannot be had.
const missing = "semantic search: model nomic: model nomic is not here: unavailable: get it with: hippo model pull nomic"

// meanings are the sessions in testdata/meaning, by name: which models there are,
// and which are missing.
func meanings(t *testing.T) map[string]engine.Config {
	t.Helper()
	m, err := static.Open(models.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	builtin := []embedding.Model{{Embedder: m, Instant: true}}
	return map[string]engine.Config{
		"builtin":  {Models: builtin},
		"degraded": {Models: builtin, Degraded: []string{missing}},
		"none":     {},
	}
}

// TestTranscripts_Meaning is TestTranscripts with the real model of the program.
// What depends on how good that is, relevances and counts of hits, is left out.
func TestTranscripts_Meaning(t *testing.T) {
	t.Parallel()
	for name, c := range meanings(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", "meaning", name+".transcript")
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := replayOn(t, steady, connectWith(t, c), string(b))
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(b), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		})
	}
}

// connectWith is connect with the models of c.
func connectWith(t *testing.T, c engine.Config) *session {
	t.Helper()
	s := &session{t: t, done: make(chan error, 1)}
	s.clock.set(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	c.Now = s.clock.now
	s.engine = enginetest.Open(t, enginetest.Options{Config: c})
	open := func(context.Context) (*engine.Engine, error) { return s.engine, nil }
	s.serve(mcpserver.New(open, &mcpserver.Options{Version: "v1.2.3", Store: "memory:", Now: c.Now}))
	t.Cleanup(s.end)
	return s
}

// steady replaces what differs from model to model.
func steady(s string) string {
	for pattern, by := range map[string]string{
		`"relevance":[0-9.]+`:                `"relevance":R`,
		`confidence [0-9.]+`:                 `confidence C`,
		`"confidence":[0-9.]+`:               `"confidence":C`,
		`(?m)^(id-[0-9]+) [0-9]?\.[0-9]+ `:   `$1 R `,
		`(?m)^[0-9]+ of [0-9]+`:              `N of N`,
		`"total":[1-9][0-9]*`:                `"total":N`,
		`"total_count":[1-9][0-9]*`:          `"total_count":N`,
		`"relevance_distribution":\{[^}]*\}`: `"relevance_distribution":{}`,
		`,"next_offset":[0-9]+`:              ``,
		`, next offset [0-9]+`:               ``,
		`builtin@[0-9A-Za-z.-]+`:             `builtin@REVISION`,
	} {
		s = regexp.MustCompile(pattern).ReplaceAllString(s, by)
	}
	return s
}
