package endpoint

import (
	"strings"
	"testing"
	"unicode"
)

// FuzzQuoted checks that what is repeated of an answer is short and in one line, whatever the answer.
func FuzzQuoted(f *testing.F) {
	for _, body := range []string{
		`{"error":{"message":"too long\n"}}`, `{"error":"no model"}`, `{"object":"error","message":"x"}`, `{"detail":[{"msg":"field required"}]}`, "<html>\x00" + strings.Repeat("é", 200),
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if text := quoted(Explanation(body)); len(text) > maxQuoted+len("...") || strings.ContainsFunc(text, unicode.IsControl) {
			t.Errorf("quoted as %q", text)
		}
	})
}
