package restapi_test

import (
	"net/http"
	"testing"
	"time"
)

// TestVotes: the votes on a memory are listed, and the newest one is taken back, once.
func TestVotes(t *testing.T) {
	t.Parallel()
	type votes struct {
		Votes []struct {
			Kind         string
			Weight       float64
			Tied, Newest bool
			At           time.Time
		}
	}
	s := start(t)
	m := s.record(`{"content":"the pump needs oil"}`)
	list := func() (out votes) {
		s.do(http.MethodGet, "/memories/"+m.UUID+"/votes", "").want(http.StatusOK).into(&out)
		return out
	}
	if got := list(); got.Votes == nil || len(got.Votes) != 0 {
		t.Errorf("before a vote: %+v", got)
	}
	s.do(http.MethodPost, "/reinforce", `{"upvotes":["`+m.UUID+`"]}`).want(http.StatusOK)
	s.do(http.MethodPost, "/reinforce", `{"downvotes":["`+m.UUID+`"]}`).want(http.StatusOK)
	got := list().Votes
	if len(got) != 2 || got[0].Kind != "up" || got[0].Newest || got[1].Kind != "down" || !got[1].Newest || got[1].At.IsZero() || got[1].Weight != 1 {
		t.Fatalf("after two votes: %+v", got)
	}
	s.do(http.MethodPost, "/reinforce", `{"undo":["`+m.UUID+`"]}`).want(http.StatusOK)
	if got := list().Votes; len(got) != 1 || got[0].Kind != "up" || got[0].Newest {
		t.Errorf("after taking one back: %+v", got)
	}
	s.do(http.MethodPost, "/reinforce", `{"undo":["`+m.UUID+`"]}`).failed(http.StatusConflict, "conflict", "")
	s.do(http.MethodGet, "/memories/00000000-0000-7000-8000-000000000000/votes", "").failed(http.StatusNotFound, "not_found", "")
}

// TestInsight_documented: the document has every key of a memory, those of its use too.
func TestInsight_documented(t *testing.T) {
	t.Parallel()
	s := start(t)
	m := s.record(`{"content":"the pump needs oil","situation":["workshop"],"tags":["pump"],"type":"decision","pinned":true,"project":"p",
		"event_time":"2026-01-01","valid_from":"2026-01-01","valid_until":"2030-01-01","metadata":{"k":1}}`)
	s.do(http.MethodPost, "/reinforce", `{"upvotes":["`+m.UUID+`"],"query":"what does the pump need?"}`).want(http.StatusOK)
	var got map[string]any
	s.do(http.MethodGet, "/memories/"+m.UUID, "").want(http.StatusOK).into(&got)
	if got["feedback"] == nil {
		t.Errorf("the vote is not in %v", got)
	}
	got["untied_importance"] = true // without a model no vote is tied to its question
	var document struct {
		Components struct {
			Schemas struct {
				Insight struct{ Properties map[string]any }
			}
		}
	}
	s.do(http.MethodGet, "/openapi.json", "").want(http.StatusOK).into(&document)
	for key := range got {
		if document.Components.Schemas.Insight.Properties[key] == nil {
			t.Errorf("%s is not documented", key)
		}
	}
}
