package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// explained returns the error of a connection with what to do about it, where that is known. Final reports that the server
// stays as it is until somebody does something.
func explained(err error) (out error, final bool) {
	hint := ""
	var unknown x509.UnknownAuthorityError
	var other x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &unknown):
		hint = "the certificate is from an authority that this machine does not know: if it is your own, name the file with its certificate in $SSL_CERT_FILE"
	case errors.As(err, &other):
		hint = "the certificate is for another name: use that one, or check the address"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		hint = "the certificate has ended or does not count yet: renew it on the server, or set the clock of this machine"
	case isPlain(err):
		hint = "the server answers without TLS: use http: with --insecure-http, or give the server a certificate"
	default:
		return err, false
	}
	return fmt.Errorf("%w; %s", err, hint), true
}

// isPlain reports whether a server answered a TLS connection with HTTP, or something else.
func isPlain(err error) bool {
	_, ok := errors.AsType[tls.RecordHeaderError](err)
	return ok || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") // net/http has no type for it
}

// errTLSOnly is the error of a request without TLS to a server that has it.
var errTLSOnly = errors.New("the server answers with TLS only: begin the address with https")

// speaksTLS reports whether a server that was sent a call without TLS, and has never answered, has TLS. Such a server
// answers a request without a body so, but may reset the connection while it is sent one.
func (c *Client) speaksTLS(ctx context.Context) bool {
	if c.answered.Load() || !strings.HasPrefix(c.Address, "http:") {
		return false
	}
	_, _, err := c.send(ctx, http.MethodGet, nil, shortTimes().attempt)
	return errors.Is(err, errTLSOnly)
}

// wantsTLS reports whether an answer is that of a server with TLS to a request without.
func wantsTLS(a *http.Response, body []byte) bool {
	return a.StatusCode == http.StatusBadRequest && strings.Contains(string(body), "Client sent an HTTP request to an HTTPS server")
}
