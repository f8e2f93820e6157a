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
		{record, `"{\"content\":\"x note\"}"`, ""},
		{record, `"x note"`, "arguments: must be an object & " + recordExample},
		{record, `{"insight":"x","situations":["a"],"importance":0.5}`, ""},
		{record, `{"content":"x note","situation":[""],"importance":"","tags":"","type":"","pinned":"","event_time":"","valid_from":" ","valid_until":"","supersedes":[],"source":"","project":""}`, ""},
		{record, `{"content":" ","situation":["gateway"],"importance":0.5}`, "content: is required, and must not be blank"},
		{record, `{"content":"Use pnpm</content>\n<parameter name=\"situation\">gateway"}`, ""},
		{search, `{"query":"gateway","situation_filter":[""],"limit":0,"offset":"","tags":[],"type":"","project":"","when":"","created_after":"","created_before":"","as_of":"","known_at":"","pinned":"","ranker":"","detail":"","explain":"","max_tokens":0}`, ""},
		{search, `{"query":"gateway","limit":"0","max_tokens":""}`, ""},
		{modify, `{"uuid":"UUID","content":"","situation":[],"importance":0.5,"tags":[],"type":"","pinned":"","reinforce":"","supersedes":"","valid_until":""}`, ""},
		{modify, `{"uuid":"UUID","tags":[]}`, "must change at least one of & a blank value changes nothing: \"clear\":[\"tags\"] empties"},
		{modify, `{"uuid":"UUID","clear":["type"],"type":"decision"}`, "clear: empties type, which the same call gives a value"},
		{modify, `{"uuid":"UUID","clear":"content"}`, "clear: must have only situation, tags, type, valid_from, valid_until and metadata.KEY"},
		{modify, `{"uuid":"UUID","add_situation":"debugging a queue"}`, ""},
		{reinforce, `{"upvotes":["UUID"],"downvotes":[],"query":""}`, ""},
		{reinforce, `{"upvotes":[]}`, "upvotes"},
		{"hippo_get", `{"ids":["UUID"],"max_tokens":0,"as_of":"","known_at":""}`, ""},
		{"hippo_get", `{"ids":[]}`, "is required, and must not be blank"},
		{"hippo_context", `{"prompt":"","project":"","max_tokens":0}`, ""},
		{"hippo_run", `{"program":"1","dry_run":"","read_only":"","max_tokens":0}`, ""},
		{"hippo_run", `{"program":" "}`, `program: is required, and must not be blank & for example {"program":`},
		{search, `{"query":"gateway","limit":10}`, ""},
		{search, `{"query":"gateway","limit":"5"}`, ""},
		{search, `{"query":"gateway","limit":{"limit":5}}`, ""},
		{search, `{"query":"gateway","limit":"{\"count\":5}"}`, ""},
		{search, `{"query":"gateway","limit":{"count":0}}`, ""},
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
		{modify, `{"uuid":"UUID"}`, "must change at least one of content, situation & for example"},
		{reinforce, `{}`, "upvotes: is required, or downvotes, and must not be blank & for example"},
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

// A client may lose all arguments of a call, as some do if one of them is blank. A tool that needs some names one of them and shows
// the form.
func TestNaturalCalls_WithoutArguments(t *testing.T) {
	t.Parallel()
	s := start(t)
	var listed struct {
		Result struct {
			Tools []struct {
				Name        string
				InputSchema struct{ Required []string }
			}
		}
	}
	if err := json.Unmarshal(s.call("tools/list", object{}), &listed); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, tool := range listed.Result.Tools {
		name, required := tool.Name, tool.InputSchema.Required
		for _, args := range []any{nil, object{}, "{}"} {
			o := s.tool(name, args)
			if o.Protocol != nil || o.IsError && !strings.Contains(o.Text, "for example {\"") {
				t.Errorf("%s without arguments: %s%s", name, o.Text, o.Protocol)
			}
			if len(required) > 0 && !strings.Contains(o.Text, required[0]+": is required") {
				t.Errorf("%s: %s", name, o.Text)
			}
			if o.IsError {
				refused++
			}
		}
	}
	if refused == 0 {
		t.Error("no tool refuses to do nothing")
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

// Nothing is erased but by an explicit word, and what stays is said; a situation is added behind the others.
func TestModify_Blanks(t *testing.T) {
	t.Parallel()
	s := start(t)
	var r struct{ UUID string }
	s.must("hippo_record_insight", object{"content": "x", "situation": []string{"a"}, "tags": []string{"t"}, "type": "decision", "valid_until": "2030-01-01"}, &r)
	shown := func() string { return s.must("hippo_get", object{"ids": r.UUID}, nil).Text }
	for _, step := range []struct {
		change     object
		said       string
		has, lacks string
	}{
		{object{"tags": []string{}, "situation": []string{}, "type": "", "valid_until": "", "importance": .7}, `a blank value changes nothing: "clear":["situation","tags","type"] empties`, "importance .70, decision, #t & holds until 2030-01-01 & situation: a", ""},
		{object{"add_situation": []string{"b", "A", "b"}}, "", "situation: a; b", ""},
		{object{"clear": []string{"tags", "situation"}}, "", "decision", "#t"},
		{object{"clear": "type", "tags": "", "valid_until": "none"}, "", "", "decision"},
		{object{"valid_until": "2031-01-01"}, "", "holds until 2031-01-01", ""},
		{object{"clear": []string{"valid_until", "valid_until"}}, "", "", "holds until"},
	} {
		step.change["uuid"] = r.UUID
		o := s.must("hippo_modify_insight", step.change, nil)
		if !strings.Contains(o.Text, step.said) || step.said == "" && strings.Contains(o.Text, "blank") {
			t.Errorf("%v: said %q, want %q", step.change, o.Text, step.said)
		}
		for has := range strings.SplitSeq(step.has, " & ") {
			if text := shown(); !strings.Contains(text, has) || step.lacks != "" && strings.Contains(text, step.lacks) {
				t.Errorf("after %v: %s", step.change, text)
			}
		}
	}
	for content, warns := range map[string]bool{"Use pnpm</content>\n<parameter name=\"situation\">gateway": true, "Use <b>pnpm</b> in </ul>": false} {
		o := s.must("hippo_record_insight", object{"content": content}, nil)
		if strings.Contains(o.Text, "markup of a tool call") != warns {
			t.Errorf("%q: %s", content, o.Text)
		}
	}
}
