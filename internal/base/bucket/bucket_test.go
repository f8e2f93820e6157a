package bucket_test

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
)

func key(context.Context) (bucket.Credentials, error) { return bucketfake.Credentials(), nil }

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
	b, err := bucket.New(bucket.Options{
		Bucket: "examplebucket", Client: &http.Client{Transport: &r},
		Credentials: func(context.Context) (bucket.Credentials, error) {
			return bucket.Credentials{ID: bucketfake.AccessKey, Secret: bucketfake.SecretKey}, nil
		},
		Now: func() time.Time { return time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.List(t.Context(), "s/"); err != nil {
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

func TestNew_refuses(t *testing.T) {
	t.Parallel()
	for _, o := range []bucket.Options{
		{},
		{Bucket: "a/b", Credentials: key, Now: time.Now},
		{Bucket: "b", Prefix: "a b", Credentials: key, Now: time.Now},
		{Bucket: "b", Endpoint: "minio", Credentials: key, Now: time.Now},
		{Bucket: "b", Endpoint: "ftp://minio", Credentials: key, Now: time.Now},
		{Bucket: "b", Endpoint: "https://user:password@minio", Credentials: key, Now: time.Now},
		{Bucket: "b", Now: time.Now},
		{Bucket: "b", Credentials: key},
	} {
		if _, err := bucket.New(o); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("%+v: got %v, want invalid", o, err)
		}
	}
}

// A key that cannot be had is an error; one without an ID sends no signature.
func TestBucket_credentials(t *testing.T) {
	t.Parallel()
	var r recorder
	var have bucket.Credentials
	var fault error
	b, err := bucket.New(bucket.Options{
		Endpoint: "http://minio:9000", Bucket: "b", Client: &http.Client{Transport: &r}, Now: time.Now,
		Credentials: func(context.Context) (bucket.Credentials, error) { return have, fault },
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.List(t.Context(), "s/"); err != nil || r.request.Header.Get("Authorization") != "" {
		t.Errorf("got %v, want no signature", err)
	}
	if fault = errors.New("expired"); true {
		if _, err := b.List(t.Context(), "s/"); !errors.Is(err, fault) {
			t.Errorf("got %v, want %v", err, fault)
		}
	}
}

// An object is written once if that is asked for, whether the service knows how or not.
func TestBucket_PutOnce(t *testing.T) {
	t.Parallel()
	for _, knows := range []bool{true, false} {
		s := &bucketfake.Service{}
		if !knows {
			s.Before = func(w http.ResponseWriter, r *http.Request) bool {
				if r.Header.Get("If-None-Match") != "" {
					w.WriteHeader(http.StatusNotImplemented)
				}
				return r.Header.Get("If-None-Match") != ""
			}
		}
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		b, err := bucket.New(bucket.Options{Endpoint: server.URL, Region: bucketfake.Region, Bucket: bucketfake.Name, Prefix: "p/", Credentials: key, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		put := func(text string) {
			t.Helper()
			if err := b.PutOnce(t.Context(), "a", io.NewSectionReader(strings.NewReader(text), 0, int64(len(text)))); err != nil {
				t.Error(err)
			}
		}
		put("one")
		if knows {
			put("two")
		}
		var got strings.Builder
		if err := b.Get(t.Context(), "a", &got); err != nil || got.String() != "one" {
			t.Errorf("%q, %v", got.String(), err)
		}
		list, err := b.List(t.Context(), "")
		if err != nil || len(list) != 1 || list[0].Key != "a" || list[0].Size != 3 || list[0].ETag == "" {
			t.Errorf("%v, %v", list, err)
		}
		if err := errors.Join(b.Remove(t.Context(), "a"), b.Remove(t.Context(), "a")); err != nil {
			t.Error(err)
		}
		if err := b.Get(t.Context(), "a", &got); !errors.Is(err, hippo.ErrNotFound) {
			t.Errorf("got %v", err)
		}
	}
}

// An address names a bucket, and no key of it.
func TestParse(t *testing.T) {
	t.Parallel()
	env := func(string) string { return "" }
	b, err := bucket.Parse("carrier", "s3://memory/own?endpoint=https://minio.example.com&region=x", env, time.Now)
	if err != nil || b.String() != "bucket memory at minio.example.com" {
		t.Errorf("%v, %v", b, err)
	}
	for _, text := range []string{"s3://", "s3://key:secret@b", "s3://b?key=secret", "s3://b/x y", "https://b", "s3://b?endpoint=https://u:secret@h"} {
		if _, err := bucket.Parse("carrier", text, env, time.Now); !errors.Is(err, hippo.ErrInvalid) || strings.Contains(err.Error(), "u:secret") || strings.Contains(err.Error(), "key:secret") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
