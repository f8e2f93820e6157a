package snapshots_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/bucket"
	"github.com/hippo-memory/hippo/internal/base/bucket/bucketfake"
	"github.com/hippo-memory/hippo/internal/retrieval/index/snapshots"
)

// service is a service that speaks S3, with a bucket.
type service struct {
	*httptest.Server
	bucketfake.Service
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{}
	s.Server = httptest.NewServer(&s.Service)
	t.Cleanup(s.Close)
	return s
}

func (s *service) bucket(t *testing.T, prefix string) snapshots.Bucket {
	t.Helper()
	b, err := bucket.New(bucket.Options{
		Endpoint: s.URL + "/", Region: bucketfake.Region, Bucket: bucketfake.Name, Prefix: prefix, Now: time.Now,
		Credentials: func(context.Context) (bucket.Credentials, error) { return bucketfake.Credentials(), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return snapshots.Bucket{Bucket: b}
}

// A list that comes in parts is read whole.
func TestBucket_pages(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Pages = 1
	b := s.bucket(t, "")
	keep(t, b, "s", "15-a", 1, "one")
	keep(t, b, "s", "15-a", 2, "two")
	checkNewest(t, b, "s", "15-a", highest, 2)
}

// A service that cannot carry out a request is asked again; one that refuses it is not.
func TestBucket_again(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]int{http.StatusServiceUnavailable: 3, http.StatusTooManyRequests: 3, http.StatusForbidden: 1, http.StatusMovedPermanently: 1, http.StatusBadRequest: 1} {
		s := newService(t)
		s.Before = func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "<Error><Code>ThisCode</Code><Message>and this message</Message></Error>")
			return true
		}
		_, err := s.bucket(t, "").Newest(t.Context(), "s", "15-a", highest)
		if !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "my.bucket") || !strings.Contains(err.Error(), "ThisCode and this message") {
			t.Errorf("%d: got %v, want the error of the service", status, err)
		}
		if len(s.Asked()) != want {
			t.Errorf("%d: %d requests were sent, want %d", status, len(s.Asked()), want)
		}
	}
	s := newService(t)
	failed := 0
	s.Before = func(w http.ResponseWriter, _ *http.Request) bool {
		if failed++; failed < 3 {
			w.WriteHeader(http.StatusInternalServerError)
		}
		return failed < 3
	}
	keep(t, s.bucket(t, ""), "s", "15-a", 1, "the whole text, again")
	if got, err := fetch(t, s.bucket(t, ""), "s", "15-a", 1); got != "the whole text, again" || err != nil {
		t.Errorf("got %q (%v)", got, err)
	}
}

// What a service says that lies is an error, or no snapshot.
func TestBucket_lies(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no list": "hello", "nothing": "", "half": "<ListBucketResult><Contents><Key>s/15-a",
		"endless": "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
		"others":  "<ListBucketResult><Contents><Key>x/15-a-00000000000000000001.index</Key></Contents><Contents><Key>s/../15-a-00000000000000000001.index</Key></Contents></ListBucketResult>",
	} {
		s := newService(t)
		s.Before = func(w http.ResponseWriter, _ *http.Request) bool { _, _ = io.WriteString(w, text); return true }
		if got, _ := s.bucket(t, "").Newest(t.Context(), "s", "15-a", highest); got != 0 {
			t.Errorf("%s: got revision %d, want none", name, got)
		}
	}
	s := newService(t)
	s.Before = func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "half")
		return true
	}
	if got, err := fetch(t, s.bucket(t, ""), "s", "15-a", 1); err == nil {
		t.Errorf("got %q, want an error for half an object", got)
	}
}

// A service that does not answer is given up with the context.
func TestBucket_slow(t *testing.T) {
	t.Parallel()
	s := newService(t)
	hang := make(chan struct{})
	s.Before = func(w http.ResponseWriter, r *http.Request) bool {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-hang:
		case <-r.Context().Done():
		}
		return true
	}
	defer close(hang)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.bucket(t, "").Fetch(ctx, "s", "15-a", 1, io.Discard); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the end of the context", err)
	}
}
