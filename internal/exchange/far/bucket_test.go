package far_test

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/bucket/bucketfake"
)

// A key that the service does not take is an error with the way out.
func TestOpenBucket_refused(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(&bucketfake.Service{})
	t.Cleanup(s.Close)
	f := inBucket(t, s.URL, "another")
	if _, err := f.List(t.Context()); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "bucket my.bucket at 127.0.0.1") || !strings.Contains(err.Error(), "give $AWS_ACCESS_KEY_ID") {
		t.Errorf("got %v", err)
	}
}

// The files lie below the prefix, under the name that a folder has.
func TestOpenBucket_keys(t *testing.T) {
	t.Parallel()
	service := &bucketfake.Service{}
	s := httptest.NewServer(service)
	t.Cleanup(s.Close)
	if err := inBucket(t, s.URL, bucketfake.SecretKey).Put(t.Context(), "format", nil); err != nil {
		t.Fatal(err)
	}
	if keys := service.Keys(); len(keys) != 1 || keys[0] != "own/hippo-sync/format" {
		t.Errorf("%v", keys)
	}
}
