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

// ParseSnapshots returns the place that a setting names: off (nil), a folder, or s3://BUCKET/PREFIX with the parameters endpoint and
// region. Keys for a bucket come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. It sends nothing.
func ParseSnapshots(text string, env func(string) string, now func() time.Time) (index.Snapshots, error) {
	switch {
	case text == "" || text == "off":
		return nil, nil
	case strings.HasPrefix(text, "s3://"):
		return parseBucket(text, env, now)
	case strings.Contains(text, "://"):
		return nil, hippo.Fieldf("snapshots", "must be off, a folder, or s3://BUCKET/PREFIX?endpoint=URL&region=NAME, got %q", text)
	default:
		path, err := config.Expand("snapshots", text)
		return snapshots.NewFolder(path), err
	}
}

func parseBucket(text string, env func(string) string, now func() time.Time) (index.Snapshots, error) {
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
