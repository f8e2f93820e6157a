package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// conversation is how a client of a protocol asks, and the form of a call that it understands.
type conversation struct {
	path, offer, call string
}

func conversations() map[string]conversation {
	return map[string]conversation{
		"anthropic": {
			"/v1/messages", `{"model":"m","stream":true,"tools":[{"name":"mcp__hippo__hippo_status"}],"messages":[{"role":"user","content":"TEXT"}]}`,
			`"partial_json":"{\"a\":1}"`,
		},
		"responses": {
			"/v1/responses", `{"model":"m","stream":true,"tools":[{"type":"namespace","name":"mcp__hippo","tools":[{"type":"function","name":"hippo_status"}]}],"input":"TEXT"}`,
			`"arguments":"{\"a\":1}"`,
		},
		"chat": {
			"/v1/chat/completions", `{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"hippo_hippo_status"}}],"messages":[{"role":"user","content":"TEXT"}]}`,
			`"arguments":"{\"a\":1}"`,
		},
		"gemini": {
			"/v1beta/models/m:streamGenerateContent", `{"tools":[{"functionDeclarations":[{"name":"mcp_hippo_hippo_status"}]}],"contents":[{"parts":[{"text":"TEXT"}]}]}`,
			`"functionCall":{"args":{"a":1},"name":"mcp_hippo_hippo_status"}`,
		},
	}
}

func post(t *testing.T, m *model, path, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, m.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close() //nolint:errcheck // it is read whole
	b, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s %v", answer.Status, err)
	}
	return string(b)
}

func startForTest(t *testing.T) *model {
	t.Helper()
	m, err := startModel()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.close)
	return m
}

// The model makes the call of the script in the form of each protocol, then answers, and counts what was injected.
func TestModel(t *testing.T) {
	t.Parallel()
	for name, c := range conversations() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := startForTest(t)
			m.begin(call{tool{name: "hippo_status"}, `{"a":1}`})
			body := strings.Replace(c.offer, "TEXT", `x &lt;hippo-memory&gt; moss &lt;/hippo-memory&gt; moss <hippo-memory a=\"b\">moss</hippo-memory>`, 1)
			if got := post(t, m, c.path, body); !strings.Contains(got, c.call) || !strings.Contains(got, "hippo_status") {
				t.Errorf("first %s", got)
			}
			if got := post(t, m, c.path, body); !strings.Contains(got, modelAnswer) {
				t.Errorf("then %s", got)
			}
			seen := m.seen()
			if len(seen) != 2 || seen[0].injected("moss") != 2 {
				t.Errorf("seen %+v", seen)
			}
		})
	}
}

// A tool that the client shows by name only is looked for first. A request without tools is not the agent's.
func TestModel_Deferred(t *testing.T) {
	t.Parallel()
	m := startForTest(t)
	m.begin(call{tool{name: "hippo_status"}, `{}`})
	const path, body = "/v1/messages", `{"stream":true,"tools":[{"name":"ToolSearch"}]}`
	if got := post(t, m, path, `{"messages":[]}`); !strings.Contains(got, modelAnswer) {
		t.Errorf("without tools: %s", got)
	}
	if got := post(t, m, path, body); !strings.Contains(got, `select:mcp__hippo__hippo_status`) {
		t.Errorf("first %s", got)
	}
	if got := post(t, m, path, body); !strings.Contains(got, `"name":"mcp__hippo__hippo_status"`) {
		t.Errorf("then %s", got)
	}
	if n := len(m.seen()); n != 2 {
		t.Errorf("%d requests of the agent, want 2", n)
	}
}
