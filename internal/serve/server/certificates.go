package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// Certificates says where the certificate of a server comes from: files, or an issuer (ACME).
type Certificates struct {
	Cert, Key string // files; reloaded when they change
	// Domains are the names of a certificate of an issuer, whose terms they accept.
	Domains []string
	Email   string // for notices of the issuer
	// Folder has the account and the certificates; empty: acme beside the tokens.
	Folder    string
	Directory string // the URL of the issuer; empty: Let's Encrypt
}

// given reports whether there is a certificate.
func (a *Certificates) given() bool { return a.Cert != "" || len(a.Domains) > 0 }

// certificateSource is where the certificate of a server comes from; at most one is set.
type certificateSource struct {
	files *httpd.Certificate
	acme  *httpd.ACME
}

// source returns the source; it is empty if no certificate is asked for.
func (a *Certificates) source(now func() time.Time, log *slog.Logger) (c certificateSource, err error) {
	switch {
	case (a.Cert == "") != (a.Key == ""):
		return c, optionf("--tls-cert and --tls-key belong together: give both")
	case a.Cert != "" && len(a.Domains) > 0:
		return c, optionf("--tls-cert and --acme-domain are two ways to a certificate: give one")
	case a.Cert != "":
		if c.files, err = httpd.LoadCertificate(a.Cert, a.Key, log); err != nil {
			return c, hippo.Fieldf("tls-cert", "cannot be used: %v", err)
		}
	case len(a.Domains) > 0:
		domains := make([]string, len(a.Domains))
		for i, d := range a.Domains {
			domains[i] = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(d), "."))
		}
		c.acme, err = httpd.NewACME(httpd.ACMEOptions{
			Domains: domains, Email: a.Email, Directory: a.Directory, Now: now, Log: log,
			Folder: cmp.Or(a.Folder, filepath.Join(filepath.Dir(config.TokensPath(os.Getenv)), "acme")),
		})
		return c, err
	case a.Email != "" || a.Folder != "" || a.Directory != "":
		return c, optionf("--acme-email, --acme-dir and --acme-url need --acme-domain")
	}
	return c, nil
}

// use sets what a server needs of the certificates.
func (c *certificateSource) use(o *httpd.Options) {
	var get func(*tls.ClientHelloInfo) (*tls.Certificate, error)
	switch {
	case c.files != nil:
		get = c.files.Get
	case c.acme != nil:
		get, o.Protocols = c.acme.Get, []string{c.acme.Protocol()}
	}
	o.Certificate = get
}

// begin gets certificates from the issuer in the background, so that a failure shows at once.
func (c *certificateSource) begin(ctx context.Context) {
	if c.acme != nil {
		go func() { _ = c.acme.Warm(ctx) }() // it is logged, and the next connection tries again
	}
}

// reload reads files again, whether they seem to have changed or not. What cannot be used is logged; the old one stays.
func (c *certificateSource) reload() {
	if c.files != nil {
		c.files.Reload()
	}
}
