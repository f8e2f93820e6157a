package cli_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// authority signs the certificates of a test.
type authority struct {
	t    *testing.T
	dir  string
	key  *ecdsa.PrivateKey
	root *x509.Certificate
	last int64 // the serial number of its latest certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir(), key: newKey(t), last: 1}
	der := a.sign(&x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "root"}, NotBefore: time.Now().AddDate(-1, 0, 0), NotAfter: time.Now().AddDate(1, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil, a.key)
	var err error
	if a.root, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.write("root.pem", "CERTIFICATE", der)
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// sign signs a certificate for a key; without a parent it is its own.
func (a *authority) sign(c, parent *x509.Certificate, key *ecdsa.PrivateKey) []byte {
	a.t.Helper()
	if parent == nil {
		parent = c
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	return der
}

// path returns the path of a file of the authority.
func (a *authority) path(name string) string { return filepath.Join(a.dir, name) }

func (a *authority) write(name, kind string, der []byte) {
	a.t.Helper()
	if err := os.WriteFile(a.path(name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// issue writes cert.pem and key.pem for a name or an address, and returns the serial number.
func (a *authority) issue(name string, end time.Time) (serial int64) {
	a.t.Helper()
	a.last++
	c := &x509.Certificate{SerialNumber: big.NewInt(a.last), NotBefore: time.Now().AddDate(-1, 0, 0), NotAfter: end, KeyUsage: x509.KeyUsageDigitalSignature}
	if ip := net.ParseIP(name); ip != nil {
		c.IPAddresses = []net.IP{ip}
	} else {
		c.DNSNames = []string{name}
	}
	key := newKey(a.t)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	a.write("cert.pem", "CERTIFICATE", a.sign(c, a.root, key))
	a.write("key.pem", "PRIVATE KEY", der)
	return a.last
}

// flags are those of serve for the certificate.
func (a *authority) flags() []string {
	return []string{"--tls-cert", a.path("cert.pem"), "--tls-key", a.path("key.pem")}
}

// stamp sets when the files were changed: a change that keeps it is seen by nobody who only looks at the time.
func (a *authority) stamp(at time.Time) {
	a.t.Helper()
	if err := errors.Join(os.Chtimes(a.path("cert.pem"), at, at), os.Chtimes(a.path("key.pem"), at, at)); err != nil {
		a.t.Fatal(err)
	}
}

// tomorrow is an end of a certificate that is valid.
func tomorrow() time.Time { return time.Now().AddDate(0, 0, 1) }
