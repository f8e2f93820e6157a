package far

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/bucket"
	"github.com/hippo-memory/hippo/internal/sync/folder"
)

// inBucket begins the keys of the files, as the folder is called that others have.
const inBucket = "hippo-sync/"

// objects is a bucket as a place.
type objects struct{ in *bucket.Bucket }

var _ place = objects{}

// OpenBucket returns the folder in a bucket. It sends nothing.
func OpenBucket(b *bucket.Bucket, memo string) *Folder { return open(objects{b}, memo) }

// list implements the interface. The tag is made here: a service has none.
func (o objects) list(ctx context.Context, tag string) (files []listed, newTag string, same bool, err error) {
	list, err := o.in.List(ctx, inBucket)
	if err != nil {
		return nil, "", false, explain(err)
	}
	names := plain()
	for _, x := range list {
		name := strings.TrimPrefix(x.Key, inBucket)
		if !names.MatchString(name) {
			continue
		}
		f := listed{Name: name, Size: x.Size}
		if !strings.HasPrefix(name, "r/") && x.Size <= maxKept {
			f.Tag = x.ETag
		}
		files = append(files, f)
	}
	b, err := json.Marshal(files)
	newTag = digest(b)
	return files, newTag, newTag == tag, err
}

// get implements the interface.
func (o objects) get(ctx context.Context, name string) ([]byte, error) {
	var b bytes.Buffer
	err := o.in.Get(ctx, inBucket+name, &capped{&b, folder.MaxFile})
	if errors.Is(err, hippo.ErrNotFound) {
		return nil, fmt.Errorf("%w: there is no such file", hippo.ErrUnavailable)
	}
	return b.Bytes(), explain(err)
}

// put implements the interface.
func (o objects) put(ctx context.Context, name string, data []byte) error {
	return explain(o.in.PutOnce(ctx, inBucket+name, io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))))
}

// remove implements the interface.
func (o objects) remove(ctx context.Context, name string) error {
	return explain(o.in.Remove(ctx, inBucket+name))
}

// close implements the interface.
func (objects) close() error { return nil }

// explain says where keys come from if the service has refused a request.
func explain(err error) error {
	if bucket.Refused(err) {
		return fmt.Errorf("%w: give $AWS_ACCESS_KEY_ID and $AWS_SECRET_ACCESS_KEY of a key that may list, read, write and delete there", err)
	}
	return err
}

// capped is a writer that takes a number of bytes.
type capped struct {
	io.Writer
	left int
}

// Write implements [io.Writer].
func (c *capped) Write(b []byte) (int, error) {
	if c.left -= len(b); c.left < 0 {
		return 0, fmt.Errorf("%w: a file of more than %d bytes", hippo.ErrCorrupt, folder.MaxFile)
	}
	return c.Writer.Write(b)
}
