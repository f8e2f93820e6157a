package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/secret"
)

const (
	maxRedirects = 10
	// maxRetries is how often in a row a request may fail for a transient reason without
	// a byte gained.
	maxRetries = 5
	// bufferSize is how many bytes are read and written at a time.
	bufferSize = 256 << 10
	partSuffix = ".partial"
)

// downloader gets the files of a model from a hub, or from a folder as if it were one.
type downloader struct {
	PullOptions
	spec Spec
	base *url.URL
}

func newDownloader(s Spec, o PullOptions) (*downloader, error) {
	if o.From != "" {
		for _, f := range s.Files {
			if _, err := sizeIn(o.From, f.Name, "from"); err != nil {
				return nil, err
			}
		}
		o.Endpoint, o.Client = "http://folder", &http.Client{Transport: folderTransport(o.From)}
	}
	base, err := url.Parse(o.Endpoint)
	if err != nil || base.Scheme != "https" && base.Scheme != "http" || base.Host == "" {
		return nil, hippo.Fieldf("endpoint", "%q is not the address of a web server", secret.RedactURL(o.Endpoint))
	}
	return &downloader{PullOptions: o, spec: s, base: base}, nil
}

// folderTransport answers requests with the files of a folder.
type folderTransport string

// RoundTrip implements [http.RoundTripper].
func (dir folderTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Path = "/" + path.Base(r.URL.Path)
	res, err := http.NewFileTransportFS(os.DirFS(string(dir))).RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if n, err := strconv.ParseInt(res.Header.Get("Content-Length"), 10, 64); err == nil {
		res.ContentLength = n // which this transport leaves at -1
	}
	return res, nil
}

// origin names a file in errors.
func (d *downloader) origin(name string) string {
	if d.From != "" {
		return "copy " + filepath.Join(d.From, name)
	}
	return "download " + name + " from " + secret.RedactURL(d.base.String())
}

// errTransient is an error that may pass.
var errTransient = fmt.Errorf("%w: interrupted", hippo.ErrUnavailable)

// transfer is the download of one file. It resumes only what it can verify: without a
// checksum of the registry or the hub it starts over.
type transfer struct {
	*downloader
	part  *os.File
	size  int64 // of the part
	want  File  // by the registry
	known File  // by the registry and the latest answer of the hub
	asked bool  // the hub has answered
}

// download completes the file at a path, in as many requests as it takes, and returns what
// the registry and the hub know of it.
func (d *downloader) download(ctx context.Context, to string, want File) (File, error) {
	part, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return want, diskError(err)
	}
	t := &transfer{downloader: d, part: part, want: want, known: want}
	if info, err := part.Stat(); err == nil {
		t.size = info.Size()
	}
	most := t.size // not of the last attempt: one may gain again what the next loses
	for failures := 0; failures <= maxRetries; failures++ {
		if failures > 0 {
			select {
			case <-ctx.Done():
			case <-time.After(d.Pause << (failures - 1)):
			}
		}
		if err = t.attempt(ctx); !errors.Is(err, errTransient) {
			break
		}
		if t.size > most {
			failures, most = 0, t.size
		}
	}
	return t.known, diskError(errors.Join(err, part.Sync(), part.Close()))
}

// attempt makes one request for what the part lacks, unless only its name is missing. It
// ends the request when no byte comes for a while.
func (t *transfer) attempt(ctx context.Context) error {
	verifiable := t.known.SHA256 != ""
	switch {
	case t.size > 0 && t.size == t.known.Size && verifiable:
		return ctx.Err()
	case t.known.Size > 0 && t.size > t.known.Size, t.asked && !verifiable:
		if err := t.restart(); err != nil {
			return err
		}
	}
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(t.Stall, func() { cancel(fmt.Errorf("%w: no byte came in %v", errTransient, t.Stall)) })
	defer watchdog.Stop()
	res, linked, err := t.request(within)
	if err == nil {
		err = errors.Join(t.receive(res, linked, func() { watchdog.Reset(t.Stall) }), res.Body.Close())
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil && within.Err() != nil:
		return context.Cause(within)
	}
	return err
}

// restart empties the part.
func (t *transfer) restart() error {
	t.size = 0
	return t.part.Truncate(0)
}

// receive appends an answer to the part; it calls alive for each block of bytes.
func (t *transfer) receive(res *http.Response, linked http.Header, alive func()) error {
	if err := t.status(res); err != nil {
		return err
	}
	var start, end int64
	total := max(0, res.ContentLength)
	if res.StatusCode == http.StatusPartialContent {
		_, err := fmt.Sscanf(res.Header.Get("Content-Range"), "bytes %d-%d/%d", &start, &end, &total)
		if err != nil || end != total-1 {
			start = -1
		}
	}
	t.known, t.asked = announced(linked, t.want), true
	t.known.Size = cmp.Or(total, t.known.Size)
	if err := t.want.check(t.known); err != nil {
		return err
	}
	if start != t.size || start > 0 && t.known.SHA256 == "" {
		if err := t.restart(); err != nil {
			return err
		}
		if start != 0 {
			return fmt.Errorf("%w: the answer is not the rest of the file", errTransient)
		}
	}
	limit := cmp.Or(t.known.Size, 2*t.spec.Size+1<<20)
	for buf := make([]byte, bufferSize); ; {
		t.Progress(t.want.Name, t.size, t.known.Size)
		n, err := res.Body.Read(buf)
		alive()
		if t.size+int64(n) > limit {
			return fmt.Errorf("%w: %s has more than %d bytes", hippo.ErrCorrupt, t.want.Name, limit)
		}
		if _, err := t.part.Write(buf[:n]); err != nil {
			return err
		}
		t.size += int64(n)
		switch {
		case err == nil:
		case !errors.Is(err, io.EOF), t.size < t.known.Size:
			return fmt.Errorf("%w: after %d bytes: %w", errTransient, t.size, err)
		default:
			t.Progress(t.want.Name, t.size, t.known.Size)
			return nil
		}
	}
}

// request asks for what the part lacks. The hub describes the file (linked) and
// redirects to another server for its bytes.
func (t *transfer) request(ctx context.Context) (res *http.Response, linked http.Header, err error) {
	address := t.base.JoinPath(t.spec.Repo, "resolve", t.spec.Revision, t.want.Name)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("User-Agent", "hippo")
	req.Header.Set("Accept-Encoding", "identity") // or lengths would be those of compressed bytes
	if t.size > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", t.size))
	}
	if t.Token != "" && mayHaveToken(address, t.base) {
		req.Header.Set("Authorization", "Bearer "+t.Token)
	}
	client := *t.Client
	client.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		from := via[len(via)-1].URL
		switch {
		case len(via) >= maxRedirects:
			return fmt.Errorf("more than %d redirects", maxRedirects)
		case from.Scheme == "https" && next.URL.Scheme != "https":
			return fmt.Errorf("redirect from https to %s", next.URL.Scheme)
		case !mayHaveToken(next.URL, t.base): // net/http would send it to a subdomain
			next.Header.Del("Authorization")
		}
		if linked == nil && next.Response.Header.Get("X-Linked-Etag") != "" && sameHost(from, t.base) {
			linked = next.Response.Header
		}
		return nil
	}
	if res, err = client.Do(req); err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err // without the address, which may have a signature in it
		}
		if t.asked {
			return nil, nil, fmt.Errorf("%w: %w", errTransient, err)
		}
		return nil, nil, fmt.Errorf("%w: %w", hippo.ErrUnavailable, err) // it has never answered
	}
	if linked == nil && sameHost(res.Request.URL, t.base) {
		linked = res.Header
	}
	return res, linked, nil
}

// mayHaveToken reports whether the token may be sent to an address: to the endpoint's
// host only, and where nobody can read it on the way.
func mayHaveToken(to, base *url.URL) bool {
	ip := net.ParseIP(to.Hostname())
	private := to.Scheme == "https" || to.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	return private && sameHost(to, base)
}

func sameHost(a, b *url.URL) bool { return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host) }

// status returns the error of an answer that has no file.
func (t *transfer) status(res *http.Response) error {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")) // "" if it is malformed
	hint := ""
	switch code := res.StatusCode; {
	case code == http.StatusOK && kind == "text/html":
		hint = ": a web page came instead of the file; does the network want a login?"
	case code == http.StatusOK, code == http.StatusPartialContent:
		return nil
	case code == http.StatusRequestedRangeNotSatisfiable && t.size > 0:
		return errors.Join(errTransient, t.restart())
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code >= 500:
		return fmt.Errorf("%w: %s", errTransient, res.Status)
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		hint = ": " + t.spec.Repo + " wants a token that may read it: set HF_TOKEN"
	case code == http.StatusNotFound, code == http.StatusGone:
		hint = fmt.Sprintf(": %s has no %s at %s", t.spec.Repo, t.want.Name, t.spec.Revision)
	}
	return fmt.Errorf("%w: %s%s", hippo.ErrUnavailable, res.Status, hint)
}

// announced adds to a file what the hub says of it: of one in large storage its size,
// and its SHA-256 checksum as entity tag; the tag of others is a Git hash.
func announced(linked http.Header, f File) File {
	if n, err := strconv.ParseInt(linked.Get("X-Linked-Size"), 10, 64); err == nil && n > 0 {
		f.Size = n
	}
	for _, header := range []string{"ETag", "X-Linked-Etag"} {
		sum := strings.Trim(strings.TrimPrefix(linked.Get(header), "W/"), `"`)
		if isChecksum(sum) && (f.SHA256 == "" || header == "X-Linked-Etag") {
			f.SHA256 = sum
		}
	}
	return f
}
