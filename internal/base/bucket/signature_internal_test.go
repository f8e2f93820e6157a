package bucket

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// The signatures are those of the examples in the documentation of AWS, "Authenticating Requests: Using the Authorization Header".
func TestSignature(t *testing.T) {
	t.Parallel()
	b, err := New(Options{
		Bucket: "examplebucket",
		Credentials: func(context.Context) (Credentials, error) {
			return Credentials{ID: "AKIAIOSFODNN7EXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}, nil
		},
		Now: func() time.Time { return time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	b.base.Host = "examplebucket.s3.amazonaws.com"
	for query, want := range map[string]string{
		"max-keys=2&prefix=J": "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
		"lifecycle=":          "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		r, err := b.request(t.Context(), &call{method: http.MethodGet, query: values})
		if err != nil || !strings.HasSuffix(r.Header.Get("Authorization"), "Signature="+want) {
			t.Errorf("%s: got %v (%v), want signature %s", query, r.Header["Authorization"], err, want)
		}
	}
	body := io.NewSectionReader(strings.NewReader("Welcome to Amazon S3."), 0, 21)
	r, err := b.request(t.Context(), &call{method: http.MethodPut, key: "test.txt", body: body})
	if want := "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"; err != nil || r.Header.Get("X-Amz-Content-Sha256") != want || r.ContentLength != 21 {
		t.Errorf("got a payload of hash %s and %d bytes (%v), want %s and 21", r.Header.Get("X-Amz-Content-Sha256"), r.ContentLength, err, want)
	}
}
