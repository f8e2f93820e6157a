package snapshots_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/smithy-go/aws-http-auth/credentials"
	"github.com/aws/smithy-go/aws-http-auth/sigv4"
	v4 "github.com/aws/smithy-go/aws-http-auth/v4"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index/snapshots"
)

// service is a service that speaks as much of S3 as is needed, and refuses requests whose signature is not right.
type service struct {
	*httptest.Server
	mu      sync.Mutex
	objects map[string][]byte
	asked   []string
	// before answers in place of the service if it returns true; nil: never.
	before func(w http.ResponseWriter, r *http.Request) bool
	pages  int // objects of a list in one answer; 0: all
}

const (
	accessKey, secretKey, token = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "a token"
	region                      = "eu-central-1"
)

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{objects: make(map[string][]byte)}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func key(context.Context) (snapshots.Credentials, error) {
	return snapshots.Credentials{ID: accessKey, Secret: secretKey, SessionToken: token}, nil
}

func (s *service) bucket(t *testing.T, prefix string) *snapshots.Bucket {
	t.Helper()
	b, err := snapshots.NewBucket(snapshots.BucketOptions{Endpoint: s.URL + "/", Region: region, Bucket: "my.bucket", Prefix: prefix, Credentials: key, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (s *service) keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.objects))
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.Method)
	if s.before != nil && s.before(w, r) {
		return
	}
	body, err := io.ReadAll(r.Body)
	if fault := signatureFault(r, body); fault != "" || err != nil {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "<Error><Code>SignatureDoesNotMatch</Code><Message>"+fault+"</Message></Error>")
		return
	}
	name, ok := strings.CutPrefix(r.URL.Path, "/my.bucket")
	name = strings.TrimPrefix(name, "/")
	switch {
	case !ok:
		w.WriteHeader(http.StatusNotFound)
	case name == "":
		s.list(w, r)
	case r.Method == http.MethodPut:
		s.objects[name] = body
	case r.Method == http.MethodDelete:
		delete(s.objects, name)
		w.WriteHeader(http.StatusNoContent)
	default:
		b, ok := s.objects[name]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, "<Error><Code>NoSuchKey</Code></Error>")
			return
		}
		_, _ = w.Write(b)
	}
}

func (s *service) list(w http.ResponseWriter, r *http.Request) {
	type object struct{ Key string }
	answer := struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		IsTruncated           bool
		NextContinuationToken string `xml:",omitempty"`
		Contents              []object
	}{}
	for _, k := range slices.Sorted(maps.Keys(s.objects)) {
		if !strings.HasPrefix(k, r.URL.Query().Get("prefix")) || k <= r.URL.Query().Get("continuation-token") {
			continue
		}
		if s.pages > 0 && len(answer.Contents) == s.pages {
			answer.IsTruncated, answer.NextContinuationToken = true, answer.Contents[s.pages-1].Key
			break
		}
		answer.Contents = append(answer.Contents, object{k})
	}
	_ = xml.NewEncoder(w).Encode(answer)
}

// signatureFault returns what is wrong with the signature of a request.
func signatureFault(r *http.Request, body []byte) string {
	sum := sha256.Sum256(body)
	if r.Header.Get("X-Amz-Content-Sha256") != hex.EncodeToString(sum[:]) {
		return "another payload"
	}
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err != nil {
		return "no date"
	}
	again := r.Clone(r.Context())
	again.Header = http.Header{}
	err = sigv4.New(func(o *v4.SignerOptions) { o.DisableDoublePathEscape, o.AddPayloadHashHeader = true, true }).SignRequest(&sigv4.SignRequestInput{
		Request: again, PayloadHash: sum[:], Service: "s3", Region: region, Time: at,
		Credentials: credentials.Credentials{AccessKeyID: accessKey, SecretAccessKey: secretKey, SessionToken: token},
	})
	if err != nil || again.Header.Get("Authorization") != r.Header.Get("Authorization") {
		return "not that of the key"
	}
	return ""
}

// recorder answers a request that it keeps.
type recorder struct{ request *http.Request }

func (r *recorder) RoundTrip(q *http.Request) (*http.Response, error) {
	r.request = q
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("<ListBucketResult/>")), Request: q}, nil
}

// The bucket of AWS is a host of its own, and a request is signed as AWS documents it.
func TestBucket_ofAWS(t *testing.T) {
	t.Parallel()
	var r recorder
	b, err := snapshots.NewBucket(snapshots.BucketOptions{
		Bucket: "examplebucket", Client: &http.Client{Transport: &r},
		Credentials: func(context.Context) (snapshots.Credentials, error) {
			return snapshots.Credentials{ID: accessKey, Secret: secretKey}, nil
		},
		Now: func() time.Time { return time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Newest(t.Context(), "s", "15-a", highest); err != nil {
		t.Fatal(err)
	}
	if got, want := r.request.URL.String(), "https://examplebucket.s3.us-east-1.amazonaws.com/?list-type=2&prefix=s%2F"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
	if got := r.request.Header.Get("Authorization"); !strings.HasPrefix(strings.ReplaceAll(got, ", ", ","), want) || !strings.Contains(got, "SignedHeaders=host;x-amz-content-sha256;x-amz-date") {
		t.Errorf("got %s, want %s...", got, want)
	}
}

// A list that comes in parts is read whole.
func TestBucket_pages(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.pages = 1
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
		s.before = func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "<Error><Code>ThisCode</Code><Message>and this message</Message></Error>")
			return true
		}
		_, err := s.bucket(t, "").Newest(t.Context(), "s", "15-a", highest)
		if !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "my.bucket") || !strings.Contains(err.Error(), "ThisCode and this message") {
			t.Errorf("%d: got %v, want the error of the service", status, err)
		}
		if len(s.asked) != want {
			t.Errorf("%d: %d requests were sent, want %d", status, len(s.asked), want)
		}
	}
	s := newService(t)
	s.before = func(w http.ResponseWriter, _ *http.Request) bool {
		if len(s.asked) < 3 {
			w.WriteHeader(http.StatusInternalServerError)
		}
		return len(s.asked) < 3
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
		s.before = func(w http.ResponseWriter, _ *http.Request) bool { _, _ = io.WriteString(w, text); return true }
		if got, _ := s.bucket(t, "").Newest(t.Context(), "s", "15-a", highest); got != 0 {
			t.Errorf("%s: got revision %d, want none", name, got)
		}
	}
	s := newService(t)
	s.before = func(w http.ResponseWriter, _ *http.Request) bool {
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
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
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

func TestNewBucket_refuses(t *testing.T) {
	t.Parallel()
	for _, o := range []snapshots.BucketOptions{
		{},
		{Bucket: "a/b", Credentials: key, Now: time.Now},
		{Bucket: "b", Prefix: "a b", Credentials: key, Now: time.Now},
		{Bucket: "b", Endpoint: "minio", Credentials: key, Now: time.Now},
		{Bucket: "b", Endpoint: "ftp://minio", Credentials: key, Now: time.Now},
		{Bucket: "b", Endpoint: "https://user:password@minio", Credentials: key, Now: time.Now},
		{Bucket: "b", Now: time.Now},
		{Bucket: "b", Credentials: key},
	} {
		if _, err := snapshots.NewBucket(o); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("%+v: got %v, want invalid", o, err)
		}
	}
}

// A key that cannot be had is an error; one without an ID sends no signature.
func TestBucket_credentials(t *testing.T) {
	t.Parallel()
	var r recorder
	var have snapshots.Credentials
	var fault error
	b, err := snapshots.NewBucket(snapshots.BucketOptions{
		Endpoint: "http://minio:9000", Bucket: "b", Client: &http.Client{Transport: &r}, Now: time.Now,
		Credentials: func(context.Context) (snapshots.Credentials, error) { return have, fault },
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Newest(t.Context(), "s", "15-a", highest); err != nil || r.request.Header.Get("Authorization") != "" {
		t.Errorf("got %v, want no signature", err)
	}
	if fault = errors.New("expired"); true {
		if _, err := b.Newest(t.Context(), "s", "15-a", highest); !errors.Is(err, fault) {
			t.Errorf("got %v, want %v", err, fault)
		}
	}
}
