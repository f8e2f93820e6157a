package httpd_test

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// Of the requests of one caller a bounded number waits; further ones are refused at once, whatever they have sent.
func TestServer_ManyWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := httpd.New([]httpd.Route{{Pattern: "POST /login", Handler: http.HandlerFunc(echo)}}, httpd.Options{Limits: httpd.Limits{Requests: 8}})
		const sent, held = 300, 2 + 256
		codes := make(chan int, sent)
		var bodies []*io.PipeWriter
		for range sent {
			body, writer := io.Pipe()
			bodies = append(bodies, writer)
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/login", body)
			go func() {
				w := httptest.NewRecorder()
				s.ServeHTTP(w, r)
				codes <- w.Code
			}()
		}
		synctest.Wait()
		if len(codes) != sent-held {
			t.Errorf("%d were answered at once, want %d", len(codes), sent-held)
		}
		for range len(codes) {
			if code := <-codes; code != http.StatusTooManyRequests {
				t.Errorf("status %d", code)
			}
		}
		for _, w := range bodies {
			_ = w.CloseWithError(io.ErrUnexpectedEOF)
		}
	})
}

// An HTTP/2 connection learns how many requests it may have at a time.
func TestServer_Streams(t *testing.T) {
	t.Parallel()
	model := httptest.NewTLSServer(http.NotFoundHandler()) // for its certificate
	defer model.Close()
	s := httpd.New(routes(), httpd.Options{Certificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &model.TLS.Certificates[0], nil }})
	address := listen(t, s)
	c, err := (&tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}}).DialContext(t.Context(), "tcp", address) //nolint:gosec // of the test itself
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := io.WriteString(c, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"); err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 9)
	if _, err := io.ReadFull(c, head); err != nil || head[3] != 4 {
		t.Fatalf("no settings: %v, %v", head, err)
	}
	settings := make([]byte, int(head[1])<<8|int(head[2]))
	if _, err := io.ReadFull(c, settings); err != nil {
		t.Fatal(err)
	}
	for ; len(settings) >= 6; settings = settings[6:] {
		if binary.BigEndian.Uint16(settings) == 3 { // SETTINGS_MAX_CONCURRENT_STREAMS. Source: RFC 9113, section 6.5.2
			if n := binary.BigEndian.Uint32(settings[2:]); n != 32 {
				t.Errorf("%d streams", n)
			}
			return
		}
	}
	t.Error("the streams are not bounded")
}
