package httpd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/mail"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"github.com/hippo-memory/hippo"
)

// ACMEOptions configure an [ACME].
type ACMEOptions struct {
	// Domains are the names that certificates are for, in lower case.
	Domains []string
	// Email is where the issuer sends notices; empty: nowhere.
	Email string
	// Folder keeps the account and the certificates; it has private keys.
	Folder string
	// Directory is the URL of the issuer; empty: that of Let's Encrypt.
	Directory string
	// Client speaks with the issuer; nil: one of its own.
	Client *http.Client
	// Now is the clock.
	Now func() time.Time
	// Log receives failures.
	Log *slog.Logger
}

// ACME gets certificates from an issuer, and renews them a month before they end. The issuer checks that this server has
// the name by a TLS connection to port 443 (TLS-ALPN-01). Sources: RFC 8555, RFC 8737. It is safe for concurrent use.
type ACME struct {
	ACMEOptions
	manager autocert.Manager

	mu     sync.Mutex
	logged time.Time
}

// failurePause is the shortest time between two failures in the log.
const failurePause = time.Minute

// NewACME returns an ACME. It contacts nobody before it is asked for a certificate. An option that cannot be used is a
// [*hippo.FieldError].
func NewACME(o ACMEOptions) (*ACME, error) {
	domainName := regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	for _, d := range o.Domains {
		if _, err := netip.ParseAddr(d); err == nil || len(d) > 253 || !domainName.MatchString(d) {
			return nil, hippo.Fieldf("acme-domain", "must be a name such as memory.example.org, without a port or a wildcard, got %.100q", d)
		}
	}
	if o.Email != "" {
		if a, err := mail.ParseAddress(o.Email); err != nil || a.Address != o.Email {
			return nil, hippo.Fieldf("acme-email", "must be an address such as me@example.org, got %.100q", o.Email)
		}
	}
	if o.Directory != "" {
		u, err := url.Parse(o.Directory)
		if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || u.Hostname() != "127.0.0.1") {
			return nil, hippo.Fieldf("acme-url", "must be a URL that begins with https, got %.100q", o.Directory)
		}
	}
	if err := os.MkdirAll(o.Folder, 0o700); err != nil {
		return nil, hippo.Fieldf("acme-dir", "cannot be used: %v", err)
	}
	a := &ACME{ACMEOptions: o}
	a.manager = autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(o.Folder), HostPolicy: autocert.HostWhitelist(o.Domains...), Email: o.Email,
		Client: &acme.Client{DirectoryURL: o.Directory, HTTPClient: o.Client, UserAgent: "hippo"},
	}
	if o.Directory == "" {
		a.manager.Client.DirectoryURL = autocert.DefaultACMEDirectory
	}
	return a, nil
}

// Protocol is that of the connections by which an issuer checks the name, for [Options.Protocols].
func (a *ACME) Protocol() string { return acme.ALPNProto }

// Get is for [Options.Certificate]. The first connection waits for the issuer.
func (a *ACME) Get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if name := strings.TrimSuffix(strings.ToLower(hello.ServerName), "."); !slices.Contains(a.Domains, name) {
		return nil, errors.New("a connection for another name")
	}
	c, err := a.manager.GetCertificate(hello)
	if err != nil && !slices.Contains(hello.SupportedProtos, acme.ALPNProto) {
		a.report(hello.ServerName, err)
	}
	return c, err
}

// report logs a failure, unless there was one a moment ago.
func (a *ACME) report(name string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := a.Now(); now.Sub(a.logged) >= failurePause {
		a.logged = now
		a.Log.Error("no certificate", "name", name, "hint", "the issuer must reach this server by the name, on port 443", "error", err)
	}
}

// Warm gets the certificates, so that a failure shows at once and no client waits. Call it when the server answers.
func (a *ACME) Warm(ctx context.Context) error {
	var errs []error
	for _, d := range a.Domains {
		if ctx.Err() != nil {
			break
		}
		hello := &tls.ClientHelloInfo{
			ServerName: d, SupportedProtos: []string{"http/1.1"}, SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256},
			SupportedCurves: []tls.CurveID{tls.CurveP256}, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256},
		}
		if _, err := a.Get(hello); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", d, err))
		}
	}
	return errors.Join(errs...)
}
