package cli_test

import (
	"net"
	"net/http"
	"strings"
	"testing"
)

// Clients that go away in the middle of a record, and headers and paths that are tricks, change nothing, and leave no trace
// of a stack or of content; the server answers others.
func TestServe_BrokenClients(t *testing.T) {
	t.Parallel()
	s := serveWeb(t, nil)
	head := "POST /api/v1/memories HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + s.token + "\r\nContent-Type: application/json\r\n"
	host := "GET /api/v1/memories HTTP/1.1\r\nAuthorization: Bearer " + s.token + "\r\n"
	for what, c := range map[string]struct{ sends, want string }{
		"half of a body":                   {head + "Content-Length: 100\r\n\r\n{\"content\":\"heliotr", ""},
		"half of a chunk":                  {head + "Transfer-Encoding: chunked\r\n\r\n20\r\n{\"content\":\"heliotr", ""},
		"half of a header":                 {head + "X-Half: heliotr", ""},
		"two lengths":                      {head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n{\"a\":}", " 400 "},
		"a length below zero":              {head + "Content-Length: -1\r\n\r\n", " 400 "},
		"an unknown encoding":              {head + "Transfer-Encoding: gzip, heliotr\r\n\r\n", " 501 "},
		"a header with a line break in it": {head + "X-Folded: a\r\n b: heliotr\r\nX Y: z\r\n\r\n", " 400 "},
		"a header of 100 KB":               {head + "X-Long: " + strings.Repeat("x", 100<<10) + "\r\n\r\n", " 431 "},
		"no host":                          {"GET /healthz HTTP/1.1\r\n\r\n", " 400 "},
		"two hosts":                        {host + "Host: localhost\r\nHost: evil.example.org\r\n\r\n", " 400 "},
		"a name of another site":           {host + "Host: rebound.example.org\r\n\r\n", " 403 "},
		"an address with a name in front":  {host + "Host: 127.0.0.1.rebound.example.org\r\n\r\n", " 403 "},
		"a name in the request line":       {"GET http://rebound.example.org/api/v1/memories HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + s.token + "\r\n\r\n", " 403 "},
		"a path out of the root":           {"GET /ui/static/../../../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", " 3"},
		"the same with escapes":            {"GET /ui/static/%2e%2e%2f%2e%2e%2fetc%2fpasswd HTTP/1.1\r\nHost: localhost\r\n\r\n", " 404 "},
		"a zero byte in a path":            {"GET /api/v1/memories/%00 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + s.token + "\r\n\r\n", " 4"},
		"another protocol":                 {"\x16\x03\x01\x00\x05hello\r\n\r\n", " 400 "},
	} {
		if got := s.raw(c.sends, c.want == ""); !strings.HasPrefix(got, "HTTP/1.1"+c.want) && c.want != "" {
			t.Errorf("%s: %.100q", what, got)
		}
	}
	s.expect(http.StatusOK, "GET", "/healthz", "", "")
	if a := s.expect(http.StatusOK, "GET", "/api/v1/memories", s.token, ""); !strings.Contains(a.body, `"total_count":0`) {
		t.Errorf("there are memories: %.300s", a.body)
	}
	if log := s.log(); strings.Contains(log, "goroutine") || strings.Contains(log, "heliotr") || strings.Contains(log, "panic") {
		t.Errorf("the log is %s", log)
	}
}

// raw sends bytes and returns the beginning of the answer; a client that goes away reads none.
func (s *served) raw(text string, away bool) string {
	s.t.Helper()
	c, err := (&net.Dialer{}).DialContext(s.t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_, err = c.Write([]byte(text))
	if away || err != nil {
		return ""
	}
	answer := make([]byte, 200)
	n, _ := c.Read(answer) // a connection that is closed has no answer
	return string(answer[:n])
}
