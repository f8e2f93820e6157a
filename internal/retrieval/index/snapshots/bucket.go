package snapshots

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/bucket"
)

// Bucket keeps snapshots in a bucket of a service that speaks S3. It is safe for concurrent use.
type Bucket struct{ *bucket.Bucket }

// Newest implements the interface.
func (b Bucket) Newest(ctx context.Context, store, form string, most hippo.Revision) (hippo.Revision, error) {
	list, err := b.list(ctx, store)
	return newest(list, form, most), err
}

// Fetch implements the interface.
func (b Bucket) Fetch(ctx context.Context, store, form string, revision hippo.Revision, to io.Writer) error {
	return b.Get(ctx, key(store, name{form, revision}), to)
}

// Keep implements the interface. A snapshot of more than 5 GiB is [hippo.ErrUnsupported].
func (b Bucket) Keep(ctx context.Context, store, form string, revision hippo.Revision, from *io.SectionReader) error {
	if from.Size() > bucket.MaxObject {
		return fmt.Errorf("%w: a snapshot of %d bytes: a bucket takes %d", hippo.ErrUnsupported, from.Size(), int64(bucket.MaxObject))
	}
	if err := b.Put(ctx, key(store, name{form, revision}), from); err != nil {
		return err
	}
	list, err := b.list(ctx, store)
	if err != nil {
		return err
	}
	return b.removeAll(ctx, store, old(list, name{form, revision}))
}

// Remove removes all snapshots of a store.
func (b Bucket) Remove(ctx context.Context, store string) error {
	list, err := b.list(ctx, store)
	if err != nil {
		return err
	}
	return b.removeAll(ctx, store, list)
}

func (b Bucket) removeAll(ctx context.Context, store string, list []name) error {
	for _, n := range list {
		if err := b.Bucket.Remove(ctx, key(store, n)); err != nil {
			return err
		}
	}
	return nil
}

func key(store string, n name) string { return folderOf(store) + "/" + n.String() }

// list returns the snapshots of a store.
func (b Bucket) list(ctx context.Context, store string) (list []name, err error) {
	folder := folderOf(store) + "/"
	objects, err := b.List(ctx, folder)
	for _, o := range objects {
		if n, ok := parse(strings.TrimPrefix(o.Key, folder)); ok {
			list = append(list, n)
		}
	}
	return list, err
}
