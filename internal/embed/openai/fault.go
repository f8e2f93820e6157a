package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
)

// maxQuote is how many bytes of a server's words an error repeats.
const maxQuote = 200

// fault is a request that did not succeed.
type fault struct {
	host   string
	what   string // status line, or what was tried
	text   string // the server's or the system's words, without the key
	kind   error  // a sentinel of package hippo
	again  bool   // it may pass
	after  time.Duration
	long   bool // too much text
	many   bool // too many texts
	format bool // encoding_format is not known
}

func (f *fault) Error() string {
	s := "openai: " + f.host + ": " + f.what
	if f.text != "" {
		s += ": " + f.text
	}
	return s + ": " + f.kind.Error()
}

func (f *fault) Unwrap() error { return f.kind }

// judge returns the fault that an answer with a status other than 200 is.
func (c *Client) judge(r *http.Response, body []byte) *fault {
	p := parseFault([]byte(c.redact(string(body))))
	f := &fault{host: c.host, what: statusText(r.StatusCode), text: cut(p.text), kind: hippo.ErrUnavailable}
	words := strings.ToLower(p.text + " " + p.code)
	switch s := r.StatusCode; {
	case s == http.StatusRequestEntityTooLarge:
		f.many = asks(words, manyPhrases())
		f.long, f.kind = !f.many, hippo.ErrInvalid
	case s == http.StatusBadRequest, s == http.StatusUnprocessableEntity, s == http.StatusInternalServerError:
		f.many = asks(words, manyPhrases())
		f.long = !f.many && asks(words, longPhrases())
		f.format = s < 500 && strings.Contains(words, "encoding_format")
		f.again = s >= 500 && !f.many && !f.long
		f.kind = hippo.ErrInvalid
		if f.again { // a server that breaks on a text does so each time
			f.kind = hippo.ErrUnsupported
		}
	case s == http.StatusNotFound, s == http.StatusMethodNotAllowed:
		f.what += " at " + c.redact(r.Request.URL.Path) // which may be the mistake
	case s >= 300 && s < 400:
		f.text = cut(c.redact(redirected(r)))
	case s == http.StatusTooManyRequests && p.code == "insufficient_quota":
	case s == http.StatusRequestTimeout, s == http.StatusConflict, s == http.StatusTooEarly,
		s == http.StatusTooManyRequests, s > 500:
		f.again = true
	}
	f.after = retryAfter(r.Header)
	return f
}

func statusText(code int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))
}

// redirected says where a redirect goes to, without the query.
func redirected(r *http.Response) string {
	u, err := r.Location()
	if err != nil {
		return "redirects are not followed"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return "not followed; if it is right, set the URL to " + u.String()
}

// manyPhrases are found in complaints about the number of texts: of
// text-embeddings-inference, DashScope and OpenAI.
func manyPhrases() []string {
	return []string{"maximum allowed batch size", "batch size is invalid", "batch size exceed", "array too long", "too many inputs"}
}

// longPhrases are found in complaints about the length of texts: of OpenAI, vLLM,
// Ollama, llama.cpp, llama-box, text-embeddings-inference and Mistral.
func longPhrases() []string {
	return []string{
		"context length", "context size", "context window", "n_ctx", "kv size",
		"maximum model length", "maximum input length", "tokens per request",
		"too long", "too large to process", "too many tokens", "must have less than",
	}
}

func asks(words string, phrases []string) bool {
	for _, p := range phrases {
		if strings.Contains(words, p) {
			return true
		}
	}
	return false
}

// retryAfter returns how long the header asks to wait: 0 if it does not. A date
// is taken relative to the server's own, so that clocks need not agree.
func retryAfter(h http.Header) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseUint(v, 10, 32); err == nil {
		return min(time.Duration(s)*time.Second, maxPause)
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return 0
	}
	return min(max(0, at.Sub(now)), maxPause)
}

// complaint is what the body of an error says.
type complaint struct {
	text string
	code string
}

// control characters and runs of space, which do not go into an error.
var blanks = regexp.MustCompile(`[\s\pC]+`)

// parseFault reads the bodies of errors in the shapes that servers have for them:
//
//	{"error": {"message", "type", "code"}}   OpenAI, Ollama, llama.cpp, vLLM
//	{"error": "..."}                         Ollama's own, LM Studio
//	{"object": "error", "message", "type"}   vLLM before 0.10, Mistral
//	{"message", "type"}                      text-embeddings-inference
//	{"detail": "..." or [{"loc", "msg"}]}    FastAPI
//
// Of anything else it quotes the beginning.
func parseFault(body []byte) complaint {
	var b struct {
		Error   json.RawMessage `json:"error"`
		Detail  json.RawMessage `json:"detail"`
		Message string          `json:"message"`
		Type    string          `json:"type"`
	}
	err := json.Unmarshal(body, &b)
	p := complaint{text: b.Message, code: b.Type}
	if err == nil && len(b.Error) > 0 {
		p = parseError(b.Error)
	} else if err == nil && len(b.Detail) > 0 {
		p.text = parseDetail(b.Detail)
	}
	p.text = strings.TrimSpace(blanks.ReplaceAllString(p.text, " "))
	if p.text == "" && len(body) > 0 {
		p.text = fmt.Sprintf("%q", cut(string(body)))
	}
	return p
}

func parseError(data []byte) complaint {
	var p complaint
	if json.Unmarshal(data, &p.text) == nil {
		return p
	}
	var e struct {
		Message string          `json:"message"`
		Type    string          `json:"type"`
		Code    json.RawMessage `json:"code"` // a text or a number
	}
	if json.Unmarshal(data, &e) != nil {
		return p
	}
	p = complaint{text: e.Message, code: strings.Trim(string(e.Code), `"`)}
	if p.code == "null" || p.code == "" {
		p.code = e.Type
	}
	return p
}

func parseDetail(data []byte) string {
	var text string
	if json.Unmarshal(data, &text) == nil {
		return text
	}
	var list []struct {
		Loc []any  `json:"loc"`
		Msg string `json:"msg"`
	}
	if json.Unmarshal(data, &list) != nil {
		return ""
	}
	said := make([]string, len(list))
	for i, d := range list {
		for _, l := range d.Loc {
			said[i] += fmt.Sprint(l, ".")
		}
		said[i] = strings.TrimSuffix(said[i], ".") + " " + d.Msg
	}
	return strings.Join(said, "; ")
}

// cut returns the first maxQuote bytes of s, whole characters.
func cut(s string) string {
	n := maxQuote
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}
