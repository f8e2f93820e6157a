package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// maxBody is the size in bytes up to which a request is read.
const maxBody = 32 << 20

// tool is a tool that a client offers to its model. Codex groups those of a server in a namespace.
type tool struct{ namespace, name string }

// call is a call of a tool by the model. Args is a JSON object.
type call struct {
	tool
	args string
}

// answer is what the model says: a call, or a text.
type answer struct {
	id   string // unique
	call *call
	text string
}

// protocol is how a client talks to a model over HTTP.
type protocol struct {
	// path matches the paths of the requests for an answer.
	path *regexp.Regexp
	// tools returns the tools of a request.
	tools func(body []byte) []tool
	// reply returns the content type and the body of an answer.
	reply func(path string, body []byte, a answer) (contentType, text string)
}

func protocols() []protocol { return []protocol{anthropic(), responses(), chat(), gemini()} }

// request is what the model was sent.
type request struct {
	// Text has every string of the request but those that describe tools, a line each.
	Text string `json:"text"`
	// Agent: it is a request for the work of an agent, which has tools, not for the title of a session or the like.
	Agent bool            `json:"agent"`
	Path  string          `json:"path"`
	Body  json.RawMessage `json:"body"`
}

// memoryFrame is the frame of what hooks inject.
var memoryFrame = regexp.MustCompile(`(?s)<hippo-memory.*?</hippo-memory>`)

// injected returns how often a text stands in what hooks injected.
func (r *request) injected(text string) int {
	n := 0
	for _, frame := range memoryFrame.FindAllString(r.Text, -1) {
		n += strings.Count(frame, text)
	}
	return n
}

// model is a mock of the servers of all protocols on loopback. It makes the calls of a script, one an answer, and
// then answers with a text.
type model struct {
	server http.Server
	url    string

	mu       sync.Mutex
	script   []call
	answers  int
	looking  bool // the client defers its tools, and the model asked for the next one
	requests []request
}

// modelAnswer is the text of every answer without a call.
const modelAnswer = "MOCK ANSWER"

// startModel starts a model on a free port.
func startModel() (*model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{url: "http://" + l.Addr().String()}
	m.server.Handler = m
	go func() { _ = m.server.Serve(l) }() // ends with an error that says that it was closed
	return m, nil
}

func (m *model) close() { _ = m.server.Close() }

// begin sets the calls that the model makes next, and forgets the requests.
func (m *model) begin(script ...call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.script, m.looking, m.requests = script, false, nil
}

// seen returns the requests for an agent since begin.
func (m *model) seen() []request {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []request
	for _, r := range m.requests {
		if r.Agent {
			out = append(out, r)
		}
	}
	return out
}

// ServeHTTP answers a client.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	contentType, text := "application/json", "{}"
	switch p := protocolOf(r.URL.Path); {
	case p != nil && r.Method == http.MethodPost:
		contentType, text = p.reply(r.URL.Path, body, m.next(p, r.URL.Path, body))
	case strings.Contains(r.URL.Path, "ountTokens") || strings.Contains(r.URL.Path, "count_tokens"):
		text = `{"totalTokens":10,"input_tokens":10}`
	case strings.Contains(r.URL.Path, "models"):
		text = `{"object":"list","data":[],"models":[]}`
	}
	w.Header().Set("Content-Type", contentType)
	_, _ = io.WriteString(w, text) // the client may be gone
}

func protocolOf(path string) *protocol {
	for _, p := range protocols() {
		if p.path.MatchString(path) {
			return &p
		}
	}
	return nil
}

func readBody(r *http.Request) ([]byte, error) {
	in := io.Reader(r.Body)
	switch e := r.Header.Get("Content-Encoding"); e {
	case "", "identity":
	case "gzip":
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = z
	default:
		return nil, fmt.Errorf("content encoding %q is not known", e)
	}
	b, err := io.ReadAll(io.LimitReader(in, maxBody+1))
	if err == nil && len(b) > maxBody {
		err = errors.New("the request is too large")
	}
	return b, err
}

// next records a request and returns the answer to it.
func (m *model) next(p *protocol, path string, body []byte) answer {
	offered := p.tools(body)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers++
	a := answer{id: strconv.Itoa(m.answers), text: modelAnswer}
	m.requests = append(m.requests, request{Text: textOf(body), Agent: len(offered) > 0, Path: path, Body: body})
	if len(offered) == 0 || len(m.script) == 0 {
		return a
	}
	c := m.script[0]
	found, searchable := false, false
	for _, t := range offered {
		if strings.HasSuffix(t.name, c.name) { // clients put the name of the server before it
			c.tool, found = t, true
		}
		searchable = searchable || t.name == toolSearch
	}
	switch {
	case found:
	case m.looking:
		c.name = deferredPrefix + c.name
	case searchable:
		m.looking = true
		query, _ := json.Marshal(map[string]any{"query": "select:" + deferredPrefix + c.name, "max_results": 5}) // strings can be marshalled
		a.call = &call{tool{name: toolSearch}, string(query)}
		return a
	default:
		a.text = "there is no tool " + c.name
		return a
	}
	m.script, m.looking = m.script[1:], false
	a.call = &c
	return a
}

// textOf returns all strings of a JSON value but those below "tools", without the escapes that Gemini CLI adds to
// what hooks inject.
func textOf(body []byte) string {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return ""
	}
	if top, ok := v.(map[string]any); ok {
		delete(top, "tools")
	}
	var b strings.Builder
	unescape := strings.NewReplacer("&lt;", "<", "&gt;", ">")
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(unescape.Replace(v))
			b.WriteByte('\n')
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(v)
	return b.String()
}
