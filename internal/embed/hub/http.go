package hub

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
)

const (
	maxRedirects = 10
	// maxWait is the longest time that the hub may ask to wait.
	maxWait = 5 * time.Minute
)

// request asks for what a part lacks. The hub says what a file is (linked) and
// sends one on to another server for the bytes.
func (s *hubSource) request(ctx context.Context, p *part, f File) (res *http.Response, linked http.Header, err error) {
	address := s.base.JoinPath(s.spec.Repo, "resolve", s.spec.Revision, f.Name)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("User-Agent", "hippo")
	req.Header.Set("Accept-Encoding", "identity") // a length is of no use for what is packed on the way
	if p.size > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", p.size))
		if p.ticket.ETag != "" {
			req.Header.Set("If-Range", p.ticket.ETag)
		}
	}
	client := *s.Client
	client.Transport = &bearer{next: client.Transport, base: s.base, token: s.Token}
	client.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		if len(via) >= maxRedirects {
			return fmt.Errorf("%w: more than %d redirects", hippo.ErrUnavailable, maxRedirects)
		}
		if via[len(via)-1].URL.Scheme == "https" && next.URL.Scheme != "https" {
			return fmt.Errorf("%w: redirect from https to %s", hippo.ErrUnavailable, next.URL.Scheme)
		}
		if linked == nil && next.Response.Header.Get("X-Linked-Etag") != "" && sameHost(via[len(via)-1].URL, s.base) {
			linked = next.Response.Header
		}
		return nil
	}
	res, err = client.Do(req)
	if err != nil {
		return nil, nil, requestError(err, p.size > 0)
	}
	if linked == nil && sameHost(res.Request.URL, s.base) {
		linked = res.Header
	}
	return res, linked, nil
}

// requestError says whether a request that got no answer is worth another try:
// not if there never was a connection, nor if the server is not who it should be.
func requestError(err error, connected bool) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // without the address, which may have a signature in it
	}
	if errors.Is(err, hippo.ErrUnavailable) {
		return err
	}
	op, _ := errors.AsType[*net.OpError](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	if untrusted || op != nil && op.Op == "dial" && !connected {
		return fmt.Errorf("%w: %w", hippo.ErrUnavailable, err)
	}
	return &passing{err: err}
}

// bearer adds the token to requests to the endpoint, and to no others.
type bearer struct {
	next  http.RoundTripper
	base  *url.URL
	token string
}

func (b *bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	next := b.next
	if next == nil {
		next = http.DefaultTransport
	}
	if b.token != "" && sameHost(req.URL, b.base) && private(req.URL) {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+b.token)
	}
	return next.RoundTrip(req)
}

func sameHost(a, b *url.URL) bool { return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host) }

// private says whether nobody on the way can read what is sent.
func private(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// answer is what the hub says of the bytes that it sends.
type answer struct {
	start  int64
	ticket ticket
}

func (s *hubSource) answer(res *http.Response, linked http.Header, f File) (answer, error) {
	if err := s.status(res, f); err != nil {
		return answer{}, err
	}
	if kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type")); err == nil && kind == "text/html" {
		return answer{}, fmt.Errorf("%w: a web page came instead of the file; does the network want a login?", hippo.ErrUnavailable)
	}
	a := answer{ticket: ticket{File: f}}
	total := max(0, res.ContentLength)
	if res.StatusCode == http.StatusPartialContent {
		var err error
		if a.start, total, err = contentRange(res.Header.Get("Content-Range")); err != nil {
			return answer{}, err
		}
	}
	if tag := res.Header.Get("ETag"); strings.HasPrefix(tag, `"`) {
		a.ticket.ETag = tag
	}
	said := said(linked, f)
	if total > 0 {
		said.Size = total
	}
	if err := f.accepts(said); err != nil {
		return answer{}, err
	}
	a.ticket.File = said
	return a, nil
}

// said is what is known of a file together with what the hub says: of one in
// large storage its size, and as its tag the SHA-256 sum; of others the tag is a
// Git hash, which tells nothing here.
func said(linked http.Header, known File) File {
	if n, err := strconv.ParseInt(linked.Get("X-Linked-Size"), 10, 64); err == nil && n > 0 {
		known.Size = n
	}
	if sum := bare(linked.Get("X-Linked-Etag")); validSum(sum) {
		known.SHA256 = sum
	} else if sum := bare(linked.Get("ETag")); validSum(sum) && known.SHA256 == "" {
		known.SHA256 = sum
	}
	return known
}

// bare is an entity tag without its quotes.
func bare(tag string) string { return strings.Trim(strings.TrimPrefix(tag, "W/"), `"`) }

// contentRange reads "bytes START-END/TOTAL".
func contentRange(s string) (start, total int64, err error) {
	var end int64
	if n, err := fmt.Sscanf(s, "bytes %d-%d/%d", &start, &end, &total); n != 3 || err != nil || start < 0 || end != total-1 || start > end {
		return 0, 0, fmt.Errorf("%w: the answer has the range %q", hippo.ErrUnavailable, s)
	}
	return start, total, nil
}

// status gives an answer that has no file its kind.
func (s *hubSource) status(res *http.Response, f File) error {
	switch code := res.StatusCode; {
	case code == http.StatusOK, code == http.StatusPartialContent:
		return nil
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return fmt.Errorf("%w: %s: %s wants a token that may read it: set HF_TOKEN", hippo.ErrUnavailable, res.Status, s.spec.Repo)
	case code == http.StatusNotFound, code == http.StatusGone:
		return fmt.Errorf("%w: %s: %s has no %s at %s", hippo.ErrUnavailable, res.Status, s.spec.Repo, f.Name, s.spec.Revision)
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code >= 500:
		after := retryAfter(res.Header)
		if after > maxWait {
			return fmt.Errorf("%w: %s: try again in %v", hippo.ErrUnavailable, res.Status, after)
		}
		return &passing{err: errors.New(res.Status), after: after}
	default:
		return fmt.Errorf("%w: %s", hippo.ErrUnavailable, res.Status)
	}
}

// retryAfter is the time that the hub asks to wait, in seconds or as a date,
// which counts from the hub's own; 0 if it does not ask.
func retryAfter(h http.Header) time.Duration {
	v := h.Get("Retry-After")
	if n, err := strconv.Atoi(v); err == nil && n > 0 {
		return min(time.Duration(n), 1<<30) * time.Second
	}
	at, err := http.ParseTime(v)
	now, err2 := http.ParseTime(h.Get("Date"))
	if err != nil || err2 != nil {
		return 0
	}
	return max(0, at.Sub(now))
}
