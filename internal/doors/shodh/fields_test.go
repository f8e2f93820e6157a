package shodh_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/shodh"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// TestParams: each property and parameter of a request that the document has is taken, with the type, the bounds and the
// values that the document has for it.
func TestParams(t *testing.T) {
	t.Parallel()
	doc := loadDocument(t)
	known := shodh.Params()
	for pattern, params := range known {
		if strings.HasSuffix(pattern, "/api/clusters") {
			continue
		}
		route, err := doc.route(pattern)
		if err != nil {
			t.Fatal(err)
		}
		want := make(map[string]*openapi3.Schema)
		var required []string
		for _, p := range route.Operation.Parameters {
			if p.Value.In == "query" {
				want[p.Value.Name] = p.Value.Schema.Value
			}
		}
		if b := route.Operation.RequestBody; b != nil {
			schema := b.Value.Content.Get("application/json").Schema.Value
			required = schema.Required
			for name, p := range schema.Properties {
				want[name] = p.Value
			}
		}
		for name, schema := range want {
			p, ok := params[name]
			if !ok {
				t.Errorf("%s does not take %s", pattern, name)
				continue
			}
			if d := cmp.Diff(shapeOf(schema), p.Shape); d != "" {
				t.Errorf("%s, %s: -document +here\n%s", pattern, name, d)
			}
			if p.Required != slices.Contains(required, name) {
				t.Errorf("%s, %s is required: %v", pattern, name, p.Required)
			}
		}
	}
}

// shapeOf describes a schema as [shodh.Params] describes a parameter.
func shapeOf(s *openapi3.Schema) string {
	for len(s.AllOf) == 1 {
		s = s.AllOf[0].Value
	}
	kind := slices.DeleteFunc(slices.Clone(*s.Type), func(k string) bool { return k == "null" })[0]
	if s.Items != nil {
		return fmt.Sprintf("array of %s, at least %d", shapeOf(s.Items.Value), s.MinItems)
	}
	if s.Enum != nil {
		return fmt.Sprintf("one of %v", s.Enum)
	}
	bounds := ""
	if s.Min != nil {
		bounds = fmt.Sprintf(" from %v", *s.Min)
	}
	if s.Max != nil {
		bounds += fmt.Sprintf(" to %v", *s.Max)
	}
	return kind + bounds
}

// TestOtherFrontEnds: what other front ends and programs store is shown so that it conforms, whatever it is.
func TestOtherFrontEnds(t *testing.T) {
	t.Parallel()
	s := start(t)
	m := s.engine.In(owner())
	for i, tc := range []struct {
		memory hippo.Memory
		want   object
	}{
		{hippo.Memory{}, object{"source_type": "ai_generated", "type": "Observation", "credibility": 1.0}},
		{hippo.Memory{Type: "decision"}, object{"type": "Decision", "memory_type": "Decision"}},
		{hippo.Memory{Type: "FILE-ACCESS"}, object{"type": "FileAccess"}},
		{hippo.Memory{Type: "insight"}, object{"type": "Observation"}},
		{hippo.Memory{Source: hippo.Source{Kind: hippo.SourceUser}, Trust: hippo.TrustDefault}, object{"source_type": "user", "credibility": 1.0}},
		{hippo.Memory{Source: hippo.Source{Kind: hippo.SourceTool}, Trust: hippo.TrustDefault}, object{"source_type": "api", "credibility": 0.0}},
		{hippo.Memory{Source: hippo.Source{Kind: hippo.SourceHook}, Trust: hippo.TrustDefault}, object{"source_type": "system", "credibility": .5}},
		{hippo.Memory{Source: hippo.Source{Kind: hippo.SourceImport}, Trust: hippo.TrustDefault}, object{"source_type": "file"}},
		{hippo.Memory{Source: hippo.Source{Kind: hippo.SourceSync}, Trust: hippo.TrustDefault}, object{"source_type": "file"}},
		{hippo.Memory{Source: hippo.Source{Author: "ann", Session: "s", Seq: 3}}, object{"user_id": "ann", "episode_id": "s", "sequence_number": 3.0}},
		{hippo.Memory{Surprise: hippo.Surprise{Score: .75}}, object{"surprise_score": .75}},
		{hippo.Memory{Metadata: metadata(`{"emotion":"joy","quality_score":0.9}`)}, object{"emotion": "joy", "metadata": object{"quality_score": .9}}},
		{
			hippo.Memory{Metadata: metadata(`{"emotion":7,"emotional_valence":"low","credibility":-1,"source_type":"moon","sequence_number":1.5,"episode_id":null}`)},
			object{
				"emotion": nil, "emotional_valence": nil, "credibility": 1.0, "source_type": "ai_generated", "sequence_number": nil, "episode_id": nil,
				"metadata": object{"emotion": 7.0, "emotional_valence": "low", "credibility": -1.0, "source_type": "moon", "sequence_number": 1.5, "episode_id": nil},
			},
		},
		{hippo.Memory{Metadata: metadata(`{"source_type":"web","credibility":0.1}`)}, object{"source_type": "web", "credibility": .1, "metadata": object{}}},
	} {
		x := tc.memory
		x.Content, x.Importance.Base = fmt.Sprintf("memory %d", i), .5
		if x.Source.Kind == "" {
			x.Trust = hippo.TrustNormal
		}
		if _, err := memory.Record(t.Context(), m, &x); err != nil {
			t.Fatal(err)
		}
		a := s.must(200, "GET", "/api/memories/"+x.ID.String(), nil)
		for k, want := range tc.want {
			if d := cmp.Diff(want, a.get(k)); d != "" {
				t.Errorf("%d, %s: -want +got\n%s", i, k, d)
			}
		}
	}
	s.must(200, "GET", "/api/memories?limit=100", nil)
}

func metadata(text string) (m map[string]json.RawMessage) {
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		panic(err)
	}
	return m
}

// TestTrust: what a program says of the source decides what is surfaced unasked, and credibility only lowers it.
func TestTrust(t *testing.T) {
	t.Parallel()
	s := start(t)
	m := s.engine.In(owner())
	for i, tc := range []struct {
		given object
		kind  hippo.SourceKind
		trust hippo.Trust
	}{
		{object{}, hippo.SourceUser, hippo.TrustNormal},
		{object{"source_type": "user", "credibility": 1}, hippo.SourceUser, hippo.TrustNormal},
		{object{"source_type": "ai_generated"}, hippo.SourceAgent, hippo.TrustNormal},
		{object{"source_type": "inferred"}, hippo.SourceAgent, hippo.TrustLow},
		{object{"source_type": "system"}, hippo.SourceHook, hippo.TrustLow},
		{object{"source_type": "file"}, hippo.SourceImport, hippo.TrustLow},
		{object{"source_type": "web", "credibility": 1}, hippo.SourceTool, hippo.TrustNone},
		{object{"source_type": "api"}, hippo.SourceTool, hippo.TrustNone},
		{object{"credibility": .5}, hippo.SourceUser, hippo.TrustNormal},
		{object{"credibility": .4}, hippo.SourceUser, hippo.TrustLow},
		{object{"credibility": .2}, hippo.SourceUser, hippo.TrustNone},
		{object{"source_type": "web", "credibility": .4}, hippo.SourceTool, hippo.TrustNone},
	} {
		tc.given["content"] = fmt.Sprintf("The gadget%d listens on port 80", i)
		id, err := hippo.ParseID(s.remember(tc.given))
		if err != nil {
			t.Fatal(err)
		}
		ms, err := memory.Get(t.Context(), m, []hippo.ID{id})
		if err != nil {
			t.Fatal(err)
		}
		if got := ms[0]; got.Source.Kind != tc.kind || got.Trust != tc.trust {
			t.Errorf("%v: stored as %s with trust %d, want %s and %d", tc.given, got.Source.Kind, got.Trust, tc.kind, tc.trust)
		}
		a := s.must(200, "POST", "/api/context", object{"context": fmt.Sprintf("where does gadget%d listen", i), "auto_ingest": false})
		if surfaced := strings.Contains(string(a.body), id.String()); surfaced != (tc.trust >= hippo.TrustNormal) {
			t.Errorf("%v: surfaced: %v", tc.given, surfaced)
		}
	}
}

// TestContext_Ingests: a context is stored once, with low trust, and does not surface itself.
func TestContext_Ingests(t *testing.T) {
	t.Parallel()
	s := start(t)
	const text = "We talk about the blue heron of the harbour"
	a := s.must(200, "POST", "/api/context", object{"context": text})
	if a.get("ingested") != true || a.count("count") != 0 {
		t.Fatalf("got %s", a.body)
	}
	stored := s.must(200, "GET", "/api/memories/"+a.text("ingested_id"), nil)
	if stored.text("content") != text || stored.text("type") != "Conversation" || stored.text("source_type") != "system" || stored.get("credibility") != .5 {
		t.Errorf("got %s", stored.body)
	}
	for body, why := range map[string]string{
		text: "a memory with the same content exists", "the token is ghp_" + secretDigits: "looks like a secret", strings.Repeat("x", hippo.MaxContent+1): "must be at most",
	} {
		a := s.must(200, "POST", "/api/context", object{"context": body})
		if a.get("ingested") != false || a.get("ingested_id") != nil || !strings.Contains(a.text("not_ingested"), why) || a.count("count") != 0 {
			t.Errorf("%.40s: got %s", body, a.body)
		}
	}
	if got := s.must(200, "GET", "/api/memories", nil).count("total"); got != 1 {
		t.Errorf("there are %d memories, want 1", got)
	}
}

// TestUpdate: what a request names is changed, what it does not name stays.
func TestUpdate(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.remember(whole())
	path := "/api/memories/" + id
	get := func() any { return without(s.must(200, "GET", path, nil).get(), "updated_at") }
	want, _ := get().(map[string]any)
	for i, tc := range []struct {
		change, want object
	}{
		{object{}, object{}},
		{object{"tags": []string{"x", "x", " y "}}, object{"tags": []any{"x", "y"}}},
		{object{"clear": []string{"tags"}}, object{"tags": []any{}}},
		{object{"memory_type": "Learning"}, object{"type": "Learning", "memory_type": "Learning"}},
		{object{"type": "error"}, object{"type": "Error", "memory_type": "Error"}},
		{object{"metadata": object{"new": "v"}}, object{"metadata": object{"ticket": 7.0, "nested": object{"a": []any{1.0, "b"}}, "new": "v"}}},
		{object{"metadata": object{"new": nil, "ticket": 8}, "clear": []string{"metadata.nested"}}, object{"metadata": object{"ticket": 8.0, "new": "v"}}},
		{object{"metadata": object{"quality_score": .8}}, object{"quality_score": .8}},
		{object{"quality_score": .25}, object{"quality_score": .25}},
		{object{"emotion": "joy", "emotional_valence": 1}, object{"emotion": "joy", "emotional_valence": 1.0}},
		{object{"metadata": object{"emotion": nil}}, object{"emotion": "joy"}},
		{object{"clear": []string{"metadata.emotion", "metadata.emotional_valence"}}, object{"emotion": nil, "emotional_valence": nil}},
		{object{"episode_id": "other", "sequence_number": 9}, object{"episode_id": "other", "sequence_number": 9.0}},
		{object{"episode_id": "setup-2026"}, object{"episode_id": "setup-2026"}},
		{object{"source_type": "file", "credibility": .5}, object{"source_type": "file", "credibility": .5}},
	} {
		s.advance(1e9)
		a := s.must(200, "PATCH", path, tc.change)
		for k, v := range tc.want {
			if want[k] = v; v == nil {
				delete(want, k)
			}
		}
		if d := cmp.Diff(any(want), get()); d != "" {
			t.Errorf("%d %v: -want +got\n%s", i, tc.change, d)
		}
		if d := cmp.Diff(any(want), without(a.get(), "updated_at")); d != "" {
			t.Errorf("%d %v: the answer: -want +got\n%s", i, tc.change, d)
		}
	}
	ref, err := memory.Resolve(t.Context(), s.engine.In(owner()), id, api.PreferLive)
	if err != nil {
		t.Fatal(err)
	}
	ms, err := memory.Get(t.Context(), s.engine.In(owner()), []hippo.ID{ref})
	if err != nil || ms[0].Source.Session != "setup-2026" || ms[0].Metadata["episode_id"] != nil {
		t.Errorf("what the record shows by itself is not in the metadata: %+v (%v)", ms, err)
	}
}

// TestDocs: docs/shodh.md explains each field and each operation.
func TestDocs(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "shodh.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range shodh.FieldNames() {
		if !strings.Contains(string(raw), "`"+name+"`") {
			t.Errorf("docs/shodh.md does not explain the field %s", name)
		}
	}
	for pattern := range shodh.Params() {
		if !strings.Contains(string(raw), "`"+pattern+"`") {
			t.Errorf("docs/shodh.md does not explain %s", pattern)
		}
	}
}
