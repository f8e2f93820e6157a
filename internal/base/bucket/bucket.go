// Package bucket speaks as much of S3 as it takes to keep objects in a bucket, list and remove them.
package bucket

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
	"github.com/hippo-memory/hippo/internal/base/secret"
)

// Options say where a bucket is and who asks.
type Options struct {
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

// Bucket is a bucket of a service that speaks S3, from a prefix on: the keys of its methods do not have it. It is safe for concurrent use.
type Bucket struct {
	o      Options
	base   *url.URL
	signer *sigv4.Signer
}

const (
	defaultRegion = "us-east-1"
	// MaxObject is the size of an object up to which a service takes it in one request.
	MaxObject = 5 << 30
	// maxAnswer bounds what is read of a list or an error.
	maxAnswer = 8 << 20
	// attempts are how often a request is sent that the service could not carry out, and firstPause is the time before the
	// second, which doubles.
	attempts   = 3
	firstPause = 100 * time.Millisecond
)

// New returns a bucket. It sends nothing. The error is [hippo.ErrInvalid] for options that lack something.
func New(o Options) (*Bucket, error) {
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
		return nil, hippo.Fieldf("endpoint", "must be the URL of a service, such as https://minio.example.com, got %q", secret.RedactURL(o.Endpoint))
	}
	return &Bucket{o, base, sigv4.New(func(s *v4.SignerOptions) { s.DisableDoublePathEscape, s.AddPayloadHashHeader = true, true })}, nil
}

// Parse reads the address of a bucket, s3://BUCKET/PREFIX with the parameters endpoint and region. Keys for it come from AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. It sends nothing. Errors are of the given field, and show no secret.
func Parse(field, text string, env func(string) string, now func() time.Time) (*Bucket, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil || u.Fragment != "" {
		return nil, hippo.Fieldf(field, "must be like s3://BUCKET/PREFIX?endpoint=URL&region=NAME, without keys: those come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	q := u.Query()
	for name := range q {
		if name != "endpoint" && name != "region" {
			return nil, hippo.Fieldf(field, "has the parameters endpoint and region, not %q", name)
		}
	}
	prefix := strings.TrimPrefix(u.Path, "/")
	if prefix != "" && !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	return New(Options{
		Endpoint: q.Get("endpoint"), Region: q.Get("region"), Bucket: u.Host, Prefix: prefix, Now: now,
		Credentials: func(context.Context) (Credentials, error) {
			return Credentials{ID: env("AWS_ACCESS_KEY_ID"), Secret: env("AWS_SECRET_ACCESS_KEY"), SessionToken: env("AWS_SESSION_TOKEN")}, nil
		},
	})
}

// isPlain reports whether a name has only letters, digits, hyphens, underscores and some other characters.
func isPlain(name, others string) bool {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	return strings.Trim(name, plain+others) == ""
}

// Get writes an object to a writer. A missing one is [hippo.ErrNotFound].
func (b *Bucket) Get(ctx context.Context, key string, to io.Writer) error {
	answer, err := b.send(ctx, &call{method: http.MethodGet, key: b.o.Prefix + key})
	if err != nil {
		return err
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	if _, err := io.Copy(to, answer.Body); err != nil {
		return fmt.Errorf("%w: %w", hippo.ErrUnavailable, err)
	}
	return nil
}

// Put writes an object, in place of an older one.
func (b *Bucket) Put(ctx context.Context, key string, from *io.SectionReader) error {
	return discard(b.send(ctx, &call{method: http.MethodPut, key: b.o.Prefix + key, body: from}))
}

// PutOnce writes an object unless there is one. A service that does not know this condition writes it.
func (b *Bucket) PutOnce(ctx context.Context, key string, from *io.SectionReader) error {
	err := discard(b.send(ctx, &call{method: http.MethodPut, key: b.o.Prefix + key, body: from, once: true}))
	switch status := (*statusError)(nil); {
	case errors.As(err, &status) && status.code == http.StatusPreconditionFailed:
		return nil
	case errors.As(err, &status) && status.code == http.StatusNotImplemented:
		return b.Put(ctx, key, from)
	}
	return err
}

// Remove removes an object, which may be missing.
func (b *Bucket) Remove(ctx context.Context, key string) error {
	err := discard(b.send(ctx, &call{method: http.MethodDelete, key: b.o.Prefix + key}))
	if errors.Is(err, hippo.ErrNotFound) {
		return nil
	}
	return err
}

// Object is an object of a list.
type Object struct {
	Key  string `xml:"Key"`
	Size int64  `xml:"Size"`
	// ETag changes with the content.
	ETag string `xml:"ETag"`
}

// listed is an answer of ListObjectsV2.
type listed struct {
	Contents []Object `xml:"Contents"`
	More     bool     `xml:"IsTruncated"`
	Next     string   `xml:"NextContinuationToken"`
}

// List returns the objects whose keys begin with a text.
func (b *Bucket) List(ctx context.Context, begin string) (list []Object, err error) {
	prefix := b.o.Prefix + begin
	for query := (url.Values{"list-type": {"2"}, "prefix": {prefix}}); ; {
		answer, err := b.send(ctx, &call{method: http.MethodGet, query: query})
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
			if strings.HasPrefix(o.Key, prefix) {
				o.Key = strings.TrimPrefix(o.Key, b.o.Prefix)
				list = append(list, o)
			}
		}
		if !page.More || page.Next == "" || page.Next == query.Get("continuation-token") {
			return list, nil
		}
		query.Set("continuation-token", page.Next)
	}
}

// call is a request for an object, or for the bucket if the key is empty.
type call struct {
	method, key string
	query       url.Values
	body        *io.SectionReader
	once        bool // only if there is no object
}

// statusError is an answer of the service that is none of success.
type statusError struct {
	of   string
	code int
	text string
}

func (e *statusError) Error() string { return fmt.Sprintf("%s: %s", e.of, e.text) }

// Unwrap makes it an [hippo.ErrUnavailable].
func (e *statusError) Unwrap() error { return hippo.ErrUnavailable }

// Refused reports whether the service has refused a request because of its key.
func Refused(err error) bool {
	var status *statusError
	return errors.As(err, &status) && (status.code == http.StatusUnauthorized || status.code == http.StatusForbidden)
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

// send sends a request, and repeats it if the service could not carry it out. The caller closes the body of the answer.
func (b *Bucket) send(ctx context.Context, c *call) (*http.Response, error) {
	var err error
	for pause, i := firstPause, 0; i < attempts; pause, i = 2*pause, i+1 {
		var answer *http.Response
		again := false
		if answer, again, err = b.try(ctx, c); err == nil {
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
func (b *Bucket) try(ctx context.Context, c *call) (answer *http.Response, again bool, err error) {
	r, err := b.request(ctx, c)
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
	case answer.StatusCode == http.StatusNotFound && c.key != "":
		return nil, false, fmt.Errorf("%s: %s: %w", b, c.key, hippo.ErrNotFound)
	default:
		text, _ := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
		var fault struct{ Code, Message string }
		_ = xml.Unmarshal(text, &fault) // a service may answer without
		again = answer.StatusCode >= http.StatusInternalServerError && answer.StatusCode != http.StatusNotImplemented ||
			answer.StatusCode == http.StatusTooManyRequests || c.once && answer.StatusCode == http.StatusConflict // another one writes it
		return nil, again, &statusError{b.String(), answer.StatusCode, strings.TrimSpace(answer.Status + " " + fault.Code + " " + fault.Message)}
	}
}

// request returns a signed request.
func (b *Bucket) request(ctx context.Context, c *call) (*http.Request, error) {
	u := b.base.JoinPath(c.key)
	u.RawQuery = c.query.Encode()
	r, err := http.NewRequestWithContext(ctx, c.method, u.String(), nil)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	if c.once {
		r.Header.Set("If-None-Match", "*")
	}
	if body := c.body; body != nil {
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

// reader ends with its context.
type reader struct {
	ctx context.Context
	r   io.Reader
}

// Read implements [io.Reader].
func (r *reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(b)
}
