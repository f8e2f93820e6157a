package mcpserver_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/doors/script"
)

// TestMain makes the test binary the process of a program, as the main function of Hippo does.
func TestMain(m *testing.M) {
	if code, ran := script.Child(os.Args, os.Stdin, os.Stdout); ran {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

func TestRun_in_one_call(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, content := range []string{"gateway retries without jitter", "gateway timeout of 30 s", "cache is cold"} {
		s.tool("hippo_record_insight", object{"content": content, "situation": []string{"on call"}, "importance": .5})
	}
	r := s.tool("hippo_run", object{"program": `found = search("gateway", limit=20)
id = store("Two causes: " + "; ".join([m.content for m in found]), situation=["outages"])
upvote(found)
len(found)`})
	if r.IsError || r.Text != "2\nstored 2" || r.Data != nil {
		t.Errorf("result is %+v", r)
	}
	if r := s.tool("hippo_run", object{"program": "1", "format": "json"}); r.IsError || r.Text != "result: 1" || r.Data != nil {
		t.Errorf("with a format that it does not have: %+v", r)
	}
	for program, want := range map[string]string{ // as JSON the first text of an answer is an object
		"'[1,2]'": "result: [1,2]", "True": "result: true", "'\"a\"'": `result: "a"`, "-1.5": "result: -1.5", "{'a': 1}": `{"a":1}`, "[1, 2]": "1\n2",
	} {
		if r := s.tool("hippo_run", object{"program": program}); r.IsError || r.Text != want {
			t.Errorf("%s: %+v, want %q", program, r, want)
		}
	}
	if found := s.tool("hippo_search_insights", object{"query": "two causes"}); !strings.Contains(found.Text, "Two causes: ") {
		t.Errorf("search finds %s", found.Text)
	}
}

func TestRun_failure_says_where_and_what_there_is(t *testing.T) {
	t.Parallel()
	s := start(t)
	r := s.tool("hippo_run", object{"program": "store('x')\nimport re"})
	for _, want := range []string{"error [invalid] line 2, column 1:", "\n  import re\n", "hint: there is no import", "nothing was stored", "search(query, limit=10"} {
		if !r.IsError || !strings.Contains(r.Text, want) {
			t.Errorf("no %q in\n%s", want, r.Text)
		}
	}
	r = s.tool("hippo_run", object{"program": "print('before')\nfail('on purpose')"})
	if !r.IsError || !strings.Contains(r.Text, "on purpose") || !strings.Contains(r.Text, "printed before:\nbefore") {
		t.Errorf("result is %s", r.Text)
	}
	for _, args := range []object{{}, {"program": ""}, {"program": "1", "max_tokens": "many"}, {"program": 3}} {
		if r := s.tool("hippo_run", args); !r.IsError || !strings.HasPrefix(r.Text, "error [invalid] ") {
			t.Errorf("%v: %+v", args, r)
		}
	}
	if status := s.tool("hippo_status", object{}); !strings.HasPrefix(status.Text, "0 insights") {
		t.Errorf("status is %s", status.Text)
	}
}

func TestRun_dry_run_and_read_only(t *testing.T) {
	t.Parallel()
	s := start(t)
	if r := s.tool("hippo_run", object{"program": "store('x')", "dry_run": true}); r.IsError || !strings.Contains(r.Text, `store "x"`) {
		t.Errorf("dry run: %+v", r)
	}
	if r := s.tool("hippo_run", object{"program": "store('x')", "read_only": true}); !r.IsError || !strings.Contains(r.Text, "read_only") {
		t.Errorf("read only: %+v", r)
	}
	if r := s.tool("hippo_run", object{"program": "'word ' * 10000", "max_tokens": 100}); r.IsError || !strings.Contains(r.Text, "cut at max_tokens") || len(r.Text) > 1000 {
		t.Errorf("long: %d bytes", len(r.Text))
	}
	if status := s.tool("hippo_status", object{}); !strings.HasPrefix(status.Text, "0 insights") {
		t.Errorf("status is %s", status.Text)
	}
}

func TestRun_page_is_a_resource(t *testing.T) {
	t.Parallel()
	s := start(t)
	if raw := string(s.call("resources/list", object{})); !strings.Contains(raw, `"uri":"hippo://run"`) {
		t.Errorf("resources are %s", raw)
	}
	raw := s.call("resources/read", object{"uri": "hippo://run"})
	var r struct {
		Result struct{ Contents []struct{ Text string } }
	}
	if err := json.Unmarshal(raw, &r); err != nil || len(r.Result.Contents) != 1 || r.Result.Contents[0].Text != script.Card() {
		t.Errorf("the page is %s, %v", raw, err)
	}
}
