package app

import (
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/bucket"
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
		var b *bucket.Bucket
		if b, err = bucket.Parse("snapshots", text, env, now); err == nil {
			s.Place = snapshots.Bucket{Bucket: b}
		}
	case strings.Contains(text, "://"):
		err = hippo.Fieldf("snapshots", "must be database, off, a folder, or s3://BUCKET/PREFIX?endpoint=URL&region=NAME, got %q", text)
	default:
		if text, err = config.Expand("snapshots", text); err == nil {
			s.Place = snapshots.NewFolder(text)
		}
	}
	return s, err
}
