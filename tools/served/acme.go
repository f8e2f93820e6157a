package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	// domain is what the certificates are for, by the names of a server of the check.
	domain = "memory.example.org"
	// validity is that of the certificates in seconds; they are renewed when two thirds are over.
	validity = 12
)

// issuer is pebble, the small ACME server of Let's Encrypt, with a server of names that says that all are here.
type issuer struct {
	directory, management string
	pebble                *process
	client                *http.Client // trusts it
}

// checkACME gets a certificate from an ACME server that checks the name, waits for its renewal, and starts again while
// the issuer is gone.
func checkACME(ctx context.Context, w *workplace) (string, error) {
	address, port, err := freeAddress()
	if err != nil {
		return "", err
	}
	i, err := startIssuer(ctx, w, port)
	if err != nil {
		return "", err
	}
	if _, err := w.command(ctx, w.hippo, "token", "create", "admin", "--right", "admin"); err != nil {
		return "", err
	}
	args := []string{"serve", "--http", address, "--acme-domain", domain, "--acme-email", "me@example.org", "--acme-url", i.directory, "--log", "info"}
	env := w.environ("SSL_CERT_FILE=" + w.path("api.pem"))
	server, err := w.start(ctx, env, w.hippo, args...)
	if err != nil {
		return "", err
	}
	first, err := i.certificate(ctx, address)
	if err != nil {
		return "", fmt.Errorf("%w\n%s\n%s", err, server.stop(), i.pebble.stop())
	}
	second, err := i.renewal(ctx, address, first)
	if err != nil {
		return "", fmt.Errorf("%w\n%s\n%s", err, server.stop(), i.pebble.stop())
	}
	if _, err := dial(ctx, address, "other.example.org", nil); err == nil {
		return "", errors.New("there is a certificate for another name")
	}
	server.stop()
	i.pebble.stop()
	if _, err := w.start(ctx, env, w.hippo, args...); err != nil {
		return "", err
	}
	var kept *x509.Certificate
	if err := eventually(ctx, func() (err error) { kept, err = dial(ctx, address, domain, nil); return err }); err != nil {
		return "", fmt.Errorf("without the issuer: %w", err)
	}
	if kept.SerialNumber.Cmp(second.SerialNumber) != 0 {
		return "", fmt.Errorf("after a restart the certificate is %v, want %v", kept.SerialNumber, second.SerialNumber)
	}
	return fmt.Sprintf("pebble signed a certificate for %s, and its renewal; it is kept over a restart", domain), nil
}

// startIssuer starts the issuer, which checks names by connections to a port.
func startIssuer(ctx context.Context, w *workplace, port string) (*issuer, error) {
	i := &issuer{}
	addresses := make([]string, 4)
	for n := range addresses {
		var err error
		if addresses[n], _, err = freeAddress(); err != nil {
			return nil, err
		}
	}
	api, management, names, control := addresses[0], addresses[1], addresses[2], addresses[3]
	pool, err := writeAPICertificate(w)
	if err != nil {
		return nil, err
	}
	i.directory, i.management = "https://"+api+"/dir", "https://"+management
	i.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": api, "managementListenAddress": management, "certificate": w.path("api.pem"), "privateKey": w.path("api.key"),
		"httpPort": 1, "tlsPort": json.Number(port), "profiles": map[string]any{"default": map[string]any{"description": "short", "validityPeriod": validity}},
	}})
	if err == nil {
		err = os.WriteFile(w.path("pebble.json"), config, 0o600)
	}
	if err != nil {
		return nil, err
	}
	tools, err := buildTools(ctx, w, "pebble", "pebble-challtestsrv")
	if err != nil {
		return nil, err
	}
	if _, err := w.start(ctx, w.environ(), tools["pebble-challtestsrv"], "-dnsserver", names, "-management", control, "-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", "",
		"-defaultIPv4", "127.0.0.1", "-defaultIPv6", ""); err != nil {
		return nil, err
	}
	if i.pebble, err = w.start(ctx, w.environ("PEBBLE_VA_NOSLEEP=1"), tools["pebble"], "-strict", "-config", w.path("pebble.json"), "-dnsserver", names); err != nil {
		return nil, err
	}
	_, err = i.root(ctx)
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, i.pebble.stop())
	}
	return i, err
}

// buildTools builds programs of the module of pebble, as tools/go.mod pins it.
func buildTools(ctx context.Context, w *workplace, names ...string) (paths map[string]string, err error) {
	paths = make(map[string]string)
	for _, name := range names {
		paths[name] = w.path(name)
		cmd := exec.CommandContext(ctx, "go", "build", "-o", paths[name], "github.com/letsencrypt/pebble/v2/cmd/"+name)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", name, err, out)
		}
	}
	return paths, nil
}

// writeAPICertificate writes the certificate with which the issuer itself serves, which hippo has to trust.
func writeAPICertificate(w *workplace) (*x509.CertPool, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return pool, errors.Join(os.WriteFile(w.path("api.pem"), text, 0o600),
		os.WriteFile(w.path("api.key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
}

// root returns the root of the certificates of the issuer.
func (i *issuer) root(ctx context.Context) (pool *x509.CertPool, err error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	err = eventually(ctx, func() error {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, i.management+"/roots/0", http.NoBody)
		if err != nil {
			return err
		}
		a, err := i.client.Do(r)
		if err != nil {
			return err
		}
		defer a.Body.Close() //nolint:errcheck // it was only read
		text, err := io.ReadAll(a.Body)
		pool = x509.NewCertPool()
		if err == nil && !pool.AppendCertsFromPEM(text) {
			err = fmt.Errorf("%s is no certificate", strings.TrimSpace(string(text)))
		}
		return err
	})
	return pool, err
}

// certificate waits until a server has a certificate of the issuer.
func (i *issuer) certificate(ctx context.Context, address string) (c *x509.Certificate, err error) {
	root, err := i.root(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	err = eventually(ctx, func() (err error) { c, err = dial(ctx, address, domain, root); return err })
	return c, err
}

// renewal waits until a server has another certificate; the one before must not have ended by then.
func (i *issuer) renewal(ctx context.Context, address string, before *x509.Certificate) (after *x509.Certificate, err error) {
	err = eventually(ctx, func() (err error) {
		if after, err = i.certificate(ctx, address); err == nil && after.SerialNumber.Cmp(before.SerialNumber) == 0 {
			err = errors.New("the certificate is not renewed")
		}
		return err
	})
	if err == nil && time.Now().After(before.NotAfter) {
		err = fmt.Errorf("the certificate ended at %v, before it was renewed", before.NotAfter)
	}
	return after, err
}

// dial connects to a server by a name and returns its certificate; without roots it is not verified.
func dial(ctx context.Context, address, name string, roots *x509.CertPool) (*x509.Certificate, error) {
	d := tls.Dialer{Config: &tls.Config{RootCAs: roots, ServerName: name, InsecureSkipVerify: roots == nil, MinVersion: tls.VersionTLS12}}
	c, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	defer c.Close() //nolint:errcheck // nothing was written
	secure, ok := c.(*tls.Conn)
	if !ok {
		return nil, errors.New("no TLS")
	}
	return secure.ConnectionState().PeerCertificates[0], nil
}
