package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// naturalCall is a call as a model makes it without the schema before its eyes. It works, or the
// error contains all of want, parts of which are separated by " & ".
type naturalCall struct{ tool, arguments, want string }

// recordExample is in the error for a record of the wrong shape.
const recordExample = `for example {"content":"Retries need jitter","situation":["debugging outages"],"importance":0.6}`

// naturalCalls are the calls that a review of November 2026 found wrong: of 45 of them, 8 worked or
// said what to do.
func naturalCalls() []naturalCall {
	const record, search, modify, reinforce, forget = "hippo_record_insight", "hippo_search_insights", "hippo_modify_insight", "hippo_reinforce_insight", "hippo_forget"
	return []naturalCall{
		{record, `{"content":"x note","situation":"debugging, gateway","importance":0.5}`, ""},
		{record, `{"content":"x note","situation":"[\"debugging\",\"gateway\"]","importance":0.5}`, ""},
		{record, `{"content":"x note","importance":0.5}`, ""},
		{record, `{"content":"x note","situation":null,"importance":0.5}`, ""},
		{record, `{"content":"x note","situation":["gateway"]}`, ""},
		{record, `{"content":"x note","situation":["gateway"],"importance":"0.8"}`, ""},
		{record, `{"content":"x note","situation":["gateway"],"importance":"high"}`, "importance: must be a number & " + recordExample},
		{record, `{"content":"x note","situation":["gateway"],"importance":8}`, "importance: must be between 0 and 1, got 8"},
		{record, `{"content":"x note","situation":["gateway"],"importance":null}`, ""},
		{record, `{"situation":["gateway"],"importance":0.5}`, "content: is required & " + recordExample},
		{record, `{"content":"x note","situation":["gateway"],"importance":0.5,"tags":"ci, cache"}`, ""},
		{record, `{"content":"x note","situation":["gateway"],"importance":0.5,"tags":"[\"ci\"]"}`, ""},
		{record, `{"content":"x note","situation":["gateway"],"importance":0.5,"tags":["CI","ci"," ci "]}`, ""},
		{record, `{"content":"x note","situation":["gateway"],"importance":0.5,"pinned":"true"}`, ""},
		{record, `{"content":"x note","situation":["gateway"],"importance":0.5,"metadata":{"a":1}}`, "metadata: is unknown & tags & " + recordExample},
		{record, `{"content":"x note","situation":["gateway"],"importance":0.5,"reasoning":"because"}`, "reasoning: is unknown & " + recordExample},
		{record, `{"content":"x note","situation":["gateway"],"importance":0.5,"event_time":"yesterday"}`, ""},
		{record, `{"content":"x note","situation":["gateway"],"importance":0.5,"event_time":"2026-02-01 10:00"}`, ""},
		{record, `{"content":"x note","situation":["gateway"],"importance":0.5,"event_time":1700000000}`, ""},
		{record, `{"content":"x note","situation":["gateway"],"importance":0.5,"valid_until":"next friday"}`, ""},
		{record, `{"content":"x note","situation":["gateway"],"importance":0.5,"supersedes":["SHORT"]}`, ""},
		{record, `{"content":"x note","situation":["gateway"],"importance":0.5,"source":"assistant"}`, ""},
		{record, `{"content":"x note","situation":["gateway"],"importance":0.5,"type":["decision"]}`, ""},
		{record, `{"insight":"x","situations":["a"],"importance":0.5}`, ""},
		{search, `{"query":"gateway","limit":10}`, ""},
		{search, `{"query":"gateway","limit":"5"}`, ""},
		{search, `{"query":"gateway","limit":{"limit":5}}`, ""},
		{search, `{"query":"gateway","limit":"{\"count\":5}"}`, ""},
		{search, `{"query":"gateway","limit":{"count":0}}`, "limit.count: must be between 1 and 1000, got 0"},
		{search, `{"query":"gateway","limit":"many"}`, `limit: must be a whole number & {"offset":0,"count":10}`},
		{search, `{"query":"gateway","count":5}`, ""},
		{search, `{"query":"gateway","top_k":5}`, ""},
		{search, `{"query":"gateway","n_results":5}`, ""},
		{search, `{"query":["gateway","outage"]}`, ""},
		{search, `{"q":"gateway"}`, ""},
		{search, `{"query":"gateway","situation":"gateway"}`, ""},
		{search, `{"query":"gateway","min_relevance":0.3}`, ""},
		{search, `{"query":"gateway","relevance_range":[0.1,1]}`, ""},
		{search, `{"query":"gateway","created_after":"last week"}`, ""},
		{search, `{"query":"gateway","detail":"Full"}`, ""},
		{search, `{"query":"gateway","explain":"true"}`, ""},
		{modify, `{"uuid":"SHORT","importance":0.9}`, ""},
		{modify, `{"uuid":"PLAIN","importance":0.9}`, ""},
		{modify, `{"id":"UUID","importance":0.9}`, ""},
		{modify, `{"uuid":"UUID","reinforce":"up"}`, ""},
		{modify, `{"uuid":["UUID"],"importance":0.5}`, ""},
		{modify, `{"uuid":"UUID"}`, "must change at least one of content, situation"},
		{reinforce, `{}`, "upvotes: at least one memory must be voted on"},
		{reinforce, `{"upvotes":["SHORT"]}`, ""},
		{reinforce, `{"uuid":"UUID","vote":"up"}`, ""},
		{reinforce, `{"upvotes":["not-a-uuid"]}`, "upvotes: must be a UUID, or at least 4 digits of its end"},
		{forget, `{"uuids":["SHORT"],"purge":"false"}`, ""},
		{forget, `{"uuids":["SHORT"],"reason":"wrong"}`, `reason: is unknown & known are uuids, restore, purge & for example {"uuids":["7f4a7c15"]}`},
		{forget, `{"uuids":"SHORT, SHORT"}`, ""},
		{"hippo_get", `{"id":"SHORT"}`, ""},
		{"hippo_status", `{"verbose":true}`, "verbose: is unknown & for example {}"},
	}
}

// TestNaturalCalls: a call that can only be meant in one way works; any other says which key is
// meant, and shows the form.
func TestNaturalCalls(t *testing.T) {
	t.Parallel()
	for i, c := range naturalCalls() {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			s := start(t)
			id := s.record("Retries without jitter took the gateway down", .5, "gateway outages")
			args := strings.NewReplacer("UUID", id, "PLAIN", strings.ReplaceAll(id, "-", ""), "SHORT", id[28:]).Replace(c.arguments)
			o := s.tool(c.tool, json.RawMessage(args))
			if c.want == "" {
				if o.IsError || o.Protocol != nil {
					t.Errorf("%s %s: %s%s", c.tool, args, o.Text, o.Protocol)
				}
				return
			}
			for want := range strings.SplitSeq(c.want, " & ") {
				if !o.IsError || !strings.Contains(o.Text, want) {
					t.Errorf("%s %s: got %q, want %q", c.tool, args, o.Text, want)
				}
			}
		})
	}
}

// What is stored is what was meant: no list as the only element of a list, and no tag twice.
func TestNaturalCalls_StoreWhatIsMeant(t *testing.T) {
	t.Parallel()
	for args, want := range map[string][3]string{
		`{"content":"x","situation":"debugging, gateway"}`:                       {"debugging|gateway", "", ""},
		`{"content":"x","situation":"[\"debugging\",\"gateway\"]"}`:              {"debugging|gateway", "", ""},
		`{"content":"x","situation":["[\"debugging\", \"gateway\"]"]}`:           {"debugging|gateway", "", ""},
		`{"content":"x","situation":["debugging, on call"]}`:                     {"debugging, on call", "", ""},
		`{"content":"x","situation":"","tags":"ci, cache"}`:                      {"", "ci|cache", ""},
		`{"content":"x","tags":["CI","ci"," ci ","x"],"type":["decision"]}`:      {"", "CI|x", "decision"},
		`{"content":"[\"a list\", \"as content\"]","tags":[],"type":"decision"}`: {"", "", "decision"},
	} {
		s := start(t)
		s.must("hippo_record_insight", decoded(t, args), nil)
		var a struct {
			Results []struct {
				Insight struct {
					Content, Type   string
					Situation, Tags []string
				}
			}
		}
		s.must("hippo_search_insights", object{"query": "", "detail": "full"}, &a)
		m := a.Results[0].Insight
		got := [3]string{strings.Join(m.Situation, "|"), strings.Join(m.Tags, "|"), m.Type}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", args, diff)
		}
		if strings.Contains(args, "a list") && m.Content != `["a list", "as content"]` {
			t.Errorf("%s: content %q", args, m.Content)
		}
	}
}

func decoded(t *testing.T, args string) object {
	t.Helper()
	var out object
	if err := json.Unmarshal([]byte(args), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// A situation in other words hides nothing, and one that fits comes first; strict keeps only what
// fits, and so does a search for a situation alone.
func TestSituation_IsPreferred(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.record("The gateway needs its certificate renewed by hand", .5, "tls certificates")
	s.record("The gateway needs its certificate renewed in March", .5, "planning a release")
	for args, want := range map[string]int{
		`{"query":"gateway certificate","situation_filter":["HTTPS problems"]}`:                   2,
		`{"query":"gateway certificate","situation_filter":["planning a release"]}`:               2,
		`{"query":"gateway certificate","situation_filter":["planning a release"],"strict":true}`: 1,
		`{"query":"gateway certificate","situation_filter":["HTTPS problems"],"strict":"true"}`:   0,
		`{"situation_filter":["planning a release"]}`:                                             1,
		`{"query":"gateway","situation_filter":["planning a release"],"ranker":"insight"}`:        1,
	} {
		var a answer
		s.must("hippo_search_insights", decoded(t, args), &a)
		if a.Total != want || want > 0 && strings.Contains(args, "planning") && !strings.HasSuffix(a.Results[0].Insight.Content, "March") {
			t.Errorf("%s: got %+v", args, a.contents())
		}
	}
}
