package app

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/index/snapshots"
)

// SnapshotsInDatabase is the setting for snapshots beside the memories.
const SnapshotsInDatabase = "database"

// Snapshots is where the index files of a database are kept for other machines; the zero value: nowhere.
type Snapshots struct {
	Place index.Snapshots
	// InDatabase: each namespace has its own beside its memories.
	InDatabase bool
}

// ParseSnapshots returns the place that a setting names: database, off, a folder, or s3://BUCKET/PREFIX with the parameters endpoint and
// region. Keys for a bucket come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. It sends nothing.
func ParseSnapshots(text string, env func(string) string, now func() time.Time) (s Snapshots, err error) {
	switch {
	case text == SnapshotsInDatabase:
		s.InDatabase = true
	case text == "" || text == "off":
	case strings.HasPrefix(text, "s3://"):
		s.Place, err = parseBucket(text, env, now)
	case strings.Contains(text, "://"):
		err = hippo.Fieldf("snapshots", "must be database, off, a folder, or s3://BUCKET/PREFIX?endpoint=URL&region=NAME, got %q", text)
	default:
		if text, err = config.Expand("snapshots", text); err == nil {
			s.Place = snapshots.NewFolder(text)
		}
	}
	return s, err
}

func parseBucket(text string, env func(string) string, now func() time.Time) (*snapshots.Bucket, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil {
		return nil, hippo.Fieldf("snapshots", "must be like s3://BUCKET/PREFIX?endpoint=URL&region=NAME, without keys: those come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	q := u.Query()
	for name := range q {
		if name != "endpoint" && name != "region" {
			return nil, hippo.Fieldf("snapshots", "has the parameters endpoint and region, not %q", name)
		}
	}
	prefix := strings.TrimPrefix(u.Path, "/")
	if prefix != "" && !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	return snapshots.NewBucket(snapshots.BucketOptions{
		Endpoint: q.Get("endpoint"), Region: q.Get("region"), Bucket: u.Host, Prefix: prefix, Now: now,
		Credentials: func(context.Context) (snapshots.Credentials, error) {
			return snapshots.Credentials{ID: env("AWS_ACCESS_KEY_ID"), Secret: env("AWS_SECRET_ACCESS_KEY"), SessionToken: env("AWS_SESSION_TOKEN")}, nil
		},
	})
}
