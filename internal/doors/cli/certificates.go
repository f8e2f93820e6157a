package cli

import (
	"cmp"
	"context"
	"crypto/tls"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// certificateOptions are the flags of serve that say where its certificate comes from: files, or an issuer (ACME).
type certificateOptions struct {
	cert, key                string
	domains                  []string
	email, folder, directory string
}

func (o *certificateOptions) add(f *pflag.FlagSet) {
	addPath(f, &o.cert, "tls-cert", "the file of the certificate and its chain, for HTTPS; reloaded when it changes")
	addPath(f, &o.key, "tls-key", "the file of its key")
	f.StringSliceVar(&o.domains, "acme-domain", nil, "obtain a certificate for this name through ACME, and accept the terms of the issuer; may be repeated")
	f.StringVar(&o.email, "acme-email", "", "the address for notices of the issuer")
	addPath(f, &o.folder, "acme-dir", "the folder of the account and the certificates (default: acme beside the tokens)")
	f.StringVar(&o.directory, "acme-url", "", "the directory URL of the issuer (default: Let's Encrypt)")
}

// given reports whether there is a certificate.
func (o *certificateOptions) given() bool { return o.cert != "" || len(o.domains) > 0 }

// certificates are where the certificate of a server comes from; at most one is set.
type certificates struct {
	files *httpd.Certificate
	acme  *httpd.ACME
}

// source returns the certificates; none without flags.
func (o *certificateOptions) source(s *shell, log *slog.Logger) (c certificates, err error) {
	switch {
	case (o.cert == "") != (o.key == ""):
		return c, usagef("--tls-cert and --tls-key belong together: give both")
	case o.cert != "" && len(o.domains) > 0:
		return c, usagef("--tls-cert and --acme-domain are two ways to a certificate: give one")
	case o.cert != "":
		if c.files, err = httpd.LoadCertificate(o.cert, o.key, log); err != nil {
			return c, hippo.Fieldf("tls-cert", "cannot be used: %v", err)
		}
	case len(o.domains) > 0:
		domains := make([]string, len(o.domains))
		for i, d := range o.domains {
			domains[i] = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(d), "."))
		}
		c.acme, err = httpd.NewACME(httpd.ACMEOptions{
			Domains: domains, Email: o.email, Directory: o.directory, Now: s.now, Log: log,
			Folder: cmp.Or(o.folder, filepath.Join(filepath.Dir(config.TokensPath(os.Getenv)), "acme")),
		})
		return c, err
	case o.email != "" || o.folder != "" || o.directory != "":
		return c, usagef("--acme-email, --acme-dir and --acme-url need --acme-domain")
	}
	return c, nil
}

// use sets what a server needs of the certificates.
func (c *certificates) use(o *httpd.Options) {
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
func (c *certificates) begin(ctx context.Context) {
	if c.acme != nil {
		go func() { _ = c.acme.Warm(ctx) }() // it is logged, and the next connection tries again
	}
}

// reload reads files again, whether they seem to have changed or not. What cannot be used is logged; the old one stays.
func (c *certificates) reload() {
	if c.files != nil {
		c.files.Reload()
	}
}
