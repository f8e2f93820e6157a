package snapshots

import (
	"context"
	"crypto/sha256"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/smithy-go/aws-http-auth/credentials"
	"github.com/aws/smithy-go/aws-http-auth/sigv4"
	v4 "github.com/aws/smithy-go/aws-http-auth/v4"

	"github.com/hippo-memory/hippo"
)

// BucketOptions says where a bucket is and who asks.
type BucketOptions struct {
	// Endpoint is the URL of the service, "https://minio.example.com"; empty: that of AWS in Region. The bucket is then part of
	// the name of the host, else of the path.
	Endpoint string
	// Region is that of the bucket; empty: us-east-1, which services of others mostly ignore.
	Region string
	// Bucket is its name, and Prefix what the names of its objects begin with, "index/".
	Bucket, Prefix string
	// Credentials returns a key for each request, so that it may change. It returns one without an ID for a bucket that
	// needs none.
	Credentials func(context.Context) (Credentials, error)
	// Client carries out the requests; nil: one with no limit of its own, because each request has a context.
	Client *http.Client
	// Now is the clock of signatures.
	Now func() time.Time
}

// Credentials are a key of the service.
type Credentials struct{ ID, Secret, SessionToken string }

// Bucket keeps snapshots in a bucket of a service that speaks S3. It is safe for concurrent use.
type Bucket struct {
	o      BucketOptions
	base   *url.URL
	signer *sigv4.Signer
}

const (
	defaultRegion = "us-east-1"
	// maxObject is the size of an object up to which a service takes it in one request.
	maxObject = 5 << 30
	// maxAnswer bounds what is read of a list or an error.
	maxAnswer = 8 << 20
	// attempts are how often a request is sent that the service could not carry out, and firstPause is the time before the
	// second, which doubles.
	attempts   = 3
	firstPause = 100 * time.Millisecond
)

// NewBucket returns the snapshots of a bucket. It sends nothing. The error is [hippo.ErrInvalid] for options that lack something.
func NewBucket(o BucketOptions) (*Bucket, error) {
	if o.Region == "" {
		o.Region = defaultRegion
	}
	if o.Client == nil {
		o.Client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	if o.Bucket == "" || !isPlain(o.Bucket, ".") {
		return nil, hippo.Fieldf("bucket", "must be the name of a bucket, got %q", o.Bucket)
	}
	if !isPlain(o.Prefix, "./") {
		return nil, hippo.Fieldf("prefix", "must be letters, digits, hyphens, underscores, dots and slashes, got %q", o.Prefix)
	}
	if o.Now == nil || o.Credentials == nil {
		return nil, hippo.Fieldf("bucket", "needs a clock and credentials")
	}
	text := strings.TrimSuffix(o.Endpoint, "/") + "/" + o.Bucket
	if o.Endpoint == "" {
		text = "https://" + o.Bucket + ".s3." + o.Region + ".amazonaws.com/"
	}
	base, err := url.Parse(text)
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" || base.User != nil || base.RawQuery != "" {
		return nil, hippo.Fieldf("endpoint", "must be the URL of a service, such as https://minio.example.com, got %q", o.Endpoint)
	}
	return &Bucket{o, base, sigv4.New(func(s *v4.SignerOptions) { s.DisableDoublePathEscape, s.AddPayloadHashHeader = true, true })}, nil
}

// Newest implements the interface.
func (b *Bucket) Newest(ctx context.Context, store, form string, most hippo.Revision) (hippo.Revision, error) {
	list, err := b.list(ctx, store)
	return newest(list, form, most), err
}

// Fetch implements the interface.
func (b *Bucket) Fetch(ctx context.Context, store, form string, revision hippo.Revision, to io.Writer) error {
	answer, err := b.send(ctx, http.MethodGet, b.key(store, name{form, revision}), nil, nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	if _, err := io.Copy(to, answer.Body); err != nil {
		return fmt.Errorf("%w: %w", hippo.ErrUnavailable, err)
	}
	return nil
}

// Keep implements the interface. A snapshot of more than 5 GiB is [hippo.ErrUnsupported].
func (b *Bucket) Keep(ctx context.Context, store, form string, revision hippo.Revision, from *io.SectionReader) error {
	if from.Size() > maxObject {
		return fmt.Errorf("%w: a snapshot of %d bytes: a bucket takes %d", hippo.ErrUnsupported, from.Size(), int64(maxObject))
	}
	if err := discard(b.send(ctx, http.MethodPut, b.key(store, name{form, revision}), nil, from)); err != nil {
		return err
	}
	list, err := b.list(ctx, store)
	if err != nil {
		return err
	}
	return b.remove(ctx, store, old(list, name{form, revision}))
}

// Remove removes all snapshots of a store.
func (b *Bucket) Remove(ctx context.Context, store string) error {
	list, err := b.list(ctx, store)
	if err != nil {
		return err
	}
	return b.remove(ctx, store, list)
}

func (b *Bucket) remove(ctx context.Context, store string, list []name) error {
	for _, n := range list {
		if err := discard(b.send(ctx, http.MethodDelete, b.key(store, n), nil, nil)); err != nil && !errors.Is(err, hippo.ErrNotFound) {
			return err
		}
	}
	return nil
}

func (b *Bucket) key(store string, n name) string {
	return b.o.Prefix + folderOf(store) + "/" + n.String()
}

// listed is an answer of ListObjectsV2.
type listed struct {
	Contents []struct {
		Key string `xml:"Key"`
	} `xml:"Contents"`
	More bool   `xml:"IsTruncated"`
	Next string `xml:"NextContinuationToken"`
}

// list returns the snapshots of a store.
func (b *Bucket) list(ctx context.Context, store string) (list []name, err error) {
	prefix := b.o.Prefix + folderOf(store) + "/"
	for query := (url.Values{"list-type": {"2"}, "prefix": {prefix}}); ; {
		answer, err := b.send(ctx, http.MethodGet, "", query, nil)
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
		if err = errors.Join(err, answer.Body.Close()); err != nil {
			return nil, fmt.Errorf("%w: %w", hippo.ErrUnavailable, err)
		}
		var page listed
		if err := xml.Unmarshal(text, &page); err != nil {
			return nil, fmt.Errorf("%w: %s returned no list: %w", hippo.ErrUnavailable, b, err)
		}
		for _, o := range page.Contents {
			if rest, ok := strings.CutPrefix(o.Key, prefix); ok {
				if n, ok := parse(rest); ok {
					list = append(list, n)
				}
			}
		}
		if !page.More || page.Next == "" || page.Next == query.Get("continuation-token") {
			return list, nil
		}
		query.Set("continuation-token", page.Next)
	}
}

// String names the bucket.
func (b *Bucket) String() string { return fmt.Sprintf("bucket %s at %s", b.o.Bucket, b.base.Host) }

// discard closes an answer of which only the status counts.
func discard(answer *http.Response, err error) error {
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer))
	return errors.Join(err, answer.Body.Close())
}

// send sends a request for an object, or for the bucket if the key is empty, and repeats it if the service could not carry it out.
// The caller closes the body of the answer.
func (b *Bucket) send(ctx context.Context, method, key string, query url.Values, body *io.SectionReader) (*http.Response, error) {
	var err error
	for pause, i := firstPause, 0; i < attempts; pause, i = 2*pause, i+1 {
		var answer *http.Response
		again := false
		if answer, again, err = b.try(ctx, method, key, query, body); err == nil {
			return answer, nil
		}
		if !again {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%s: %w", b, errors.Join(ctx.Err(), err))
		case <-time.After(pause):
		}
	}
	return nil, err
}

// try sends a request once. again: another one may succeed.
func (b *Bucket) try(ctx context.Context, method, key string, query url.Values, body *io.SectionReader) (answer *http.Response, again bool, err error) {
	r, err := b.request(ctx, method, key, query, body)
	if err != nil {
		return nil, false, err
	}
	answer, err = b.o.Client.Do(r)
	if err != nil {
		return nil, ctx.Err() == nil, fmt.Errorf("%w: %s: %w", hippo.ErrUnavailable, b, err)
	}
	if answer.StatusCode < http.StatusMultipleChoices {
		return answer, false, nil
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	switch {
	case answer.StatusCode == http.StatusNotFound && key != "":
		return nil, false, fmt.Errorf("%s: %s: %w", b, key, hippo.ErrNotFound)
	default:
		text, _ := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
		var fault struct{ Code, Message string }
		_ = xml.Unmarshal(text, &fault) // a service may answer without
		again = answer.StatusCode >= http.StatusInternalServerError || answer.StatusCode == http.StatusTooManyRequests
		return nil, again, fmt.Errorf("%w: %s: %s %s %s", hippo.ErrUnavailable, b, answer.Status, fault.Code, fault.Message)
	}
}

// request returns a signed request.
func (b *Bucket) request(ctx context.Context, method, key string, query url.Values, body *io.SectionReader) (*http.Request, error) {
	u := b.base.JoinPath(key)
	u.RawQuery = query.Encode()
	r, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	if body != nil {
		whole := io.NewSectionReader(body, 0, body.Size())
		if _, err := io.Copy(sum, &reader{ctx, whole}); err != nil {
			return nil, err
		}
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(body, 0, body.Size())), nil }
		r.Body, _ = r.GetBody() // it returns no error
		r.ContentLength = body.Size()
	}
	id, err := b.o.Credentials(ctx)
	if err != nil || id.ID == "" {
		return r, err
	}
	return r, b.signer.SignRequest(&sigv4.SignRequestInput{
		Request: r, PayloadHash: sum.Sum(nil), Service: "s3", Region: b.o.Region, Time: b.o.Now(),
		Credentials: credentials.Credentials{AccessKeyID: id.ID, SecretAccessKey: id.Secret, SessionToken: id.SessionToken},
	})
}
