package httpd_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

const domain = "memory.example.org"

// issuer is an issuer of certificates that checks names as RFC 8737 says. It believes the signatures of its clients.
type issuer struct {
	*httptest.Server
	t       *testing.T
	key     *ecdsa.PrivateKey
	root    *x509.Certificate
	address string // of the server that has the name
	orders  atomic.Int32

	mu          sync.Mutex
	valid       bool
	certificate []byte
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{t: t}
	var err error
	if i.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "root"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, root, root, i.key.Public(), i.key)
	if err != nil {
		t.Fatal(err)
	}
	if i.root, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	i.Server = httptest.NewServer(http.HandlerFunc(i.serve))
	t.Cleanup(i.Close)
	return i
}

// serve answers a request of the protocol.
func (i *issuer) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Replay-Nonce", rand.Text())
	status := map[bool]string{false: "pending", true: "valid"}
	i.mu.Lock()
	defer i.mu.Unlock()
	answer := func(code int, body any) {
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(body)
	}
	challenge := map[string]any{"type": "tls-alpn-01", "url": i.URL + "/challenge", "token": "t0", "status": status[i.valid]}
	order := map[string]any{"status": map[bool]string{false: "pending", true: "ready"}[i.valid], "authorizations": []string{i.URL + "/authz"}, "finalize": i.URL + "/finalize"}
	switch r.URL.Path {
	case "/":
		answer(200, map[string]string{"newNonce": i.URL + "/nonce", "newAccount": i.URL + "/account", "newOrder": i.URL + "/order", "revokeCert": i.URL + "/revoke", "keyChange": i.URL + "/change"})
	case "/nonce":
	case "/account":
		w.Header().Set("Location", i.URL+"/account/1")
		answer(201, map[string]string{"status": "valid"})
	case "/order":
		i.orders.Add(1)
		w.Header().Set("Location", i.URL+"/order/1")
		answer(201, order)
	case "/order/1":
		if i.certificate != nil {
			order["status"], order["certificate"] = "valid", i.URL+"/certificate"
		}
		w.Header().Set("Location", i.URL+"/order/1")
		answer(200, order)
	case "/authz":
		answer(200, map[string]any{"status": status[i.valid], "identifier": map[string]string{"type": "dns", "value": domain}, "challenges": []any{challenge}})
	case "/challenge":
		i.valid = i.check()
		answer(200, challenge)
	case "/finalize":
		i.sign(r)
		w.Header().Set("Location", i.URL+"/order/1")
		order["status"], order["certificate"] = "valid", i.URL+"/certificate"
		answer(200, order)
	case "/certificate":
		_, _ = w.Write(i.certificate)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// check connects as the issuer does to see whether the server has the name.
func (i *issuer) check() bool {
	d := tls.Dialer{Config: &tls.Config{ServerName: domain, NextProtos: []string{"acme-tls/1"}, InsecureSkipVerify: true}}
	c, err := d.DialContext(i.t.Context(), "tcp", i.address)
	if err != nil {
		i.t.Errorf("the check of the name: %v", err)
		return false
	}
	defer func() { _ = c.Close() }()
	secure, ok := c.(*tls.Conn)
	if !ok {
		return false
	}
	state := secure.ConnectionState()
	names := state.PeerCertificates[0].DNSNames
	return state.NegotiatedProtocol == "acme-tls/1" && len(names) == 1 && names[0] == domain
}

// sign signs the certificate that a request asks for.
func (i *issuer) sign(r *http.Request) {
	var signed, body struct{ Payload, CSR string }
	_ = json.NewDecoder(r.Body).Decode(&signed)
	payload, _ := base64.RawURLEncoding.DecodeString(signed.Payload)
	_ = json.Unmarshal(payload, &body)
	der, _ := base64.RawURLEncoding.DecodeString(body.CSR)
	request, err := x509.ParseCertificateRequest(der)
	if err != nil {
		i.t.Errorf("the request: %v", err)
		return
	}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: request.DNSNames, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(0, 3, 0), KeyUsage: x509.KeyUsageDigitalSignature}
	der, err = x509.CreateCertificate(rand.Reader, leaf, i.root, request.PublicKey, i.key)
	if err != nil {
		i.t.Errorf("signing: %v", err)
		return
	}
	i.certificate = append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.root.Raw})...)
}

// serveACME serves with certificates of an issuer.
func serveACME(t *testing.T, i *issuer, folder string) (*httpd.ACME, string) {
	t.Helper()
	a, err := httpd.NewACME(httpd.ACMEOptions{Domains: []string{domain}, Email: "me@example.org", Folder: folder, Directory: i.URL + "/", Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	i.address = l.Addr().String()
	s := httpd.New(routes(), httpd.Options{Tokens: known, Certificate: a.Get, Protocols: []string{a.Protocol()}})
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Shutdown(context.Background()) })
	return a, i.address
}

// A server gets a certificate, serves with it, keeps it over a restart, and has none for other names.
func TestACME(t *testing.T) {
	t.Parallel()
	i, folder := newIssuer(t), filepath.Join(t.TempDir(), "acme")
	a, address := serveACME(t, i, folder)
	if err := a.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(i.root)
	get := func(address, name string) error {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: name}}}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+"/open", http.NoBody)
		if err != nil {
			return err
		}
		resp, err := client.Do(r)
		if err == nil {
			_ = resp.Body.Close()
		}
		return err
	}
	if err := get(address, domain); err != nil {
		t.Errorf("the certificate: %v", err)
	}
	if err := get(address, "other.example.org"); err == nil {
		t.Error("there is a certificate for another name")
	}
	list, err := os.ReadDir(folder)
	if err != nil || len(list) < 2 {
		t.Fatalf("the folder has %v, %v", list, err)
	}
	for _, f := range append(list, nil) {
		path, most := folder, os.FileMode(0o700)
		if f != nil {
			path, most = filepath.Join(folder, f.Name()), 0o600
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != most {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
	}
	_, address = serveACME(t, i, folder)
	if err := get(address, domain); err != nil || i.orders.Load() != 1 {
		t.Errorf("after a restart: %v, %d orders", err, i.orders.Load())
	}
}

// An issuer that fails is reported once, with the name.
func TestACME_Fails(t *testing.T) {
	t.Parallel()
	broken := httptest.NewServer(http.NotFoundHandler())
	defer broken.Close()
	var log bytes.Buffer
	a, err := httpd.NewACME(httpd.ACMEOptions{Domains: []string{domain}, Folder: t.TempDir(), Directory: broken.URL, Now: func() time.Time { return time.Unix(1e9, 0) }, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := a.Warm(t.Context()); err == nil || !strings.Contains(err.Error(), domain) {
			t.Errorf("got %v", err)
		}
	}
	if text := log.String(); strings.Count(text, "no certificate") != 1 || !strings.Contains(text, "name="+domain) {
		t.Errorf("the log is %s", text)
	}
}

func TestNewACME_Refuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o     httpd.ACMEOptions
		field string
	}{
		{httpd.ACMEOptions{Domains: []string{"127.0.0.1"}}, "acme-domain"},
		{httpd.ACMEOptions{Domains: []string{"localhost"}}, "acme-domain"},
		{httpd.ACMEOptions{Domains: []string{"*.example.org"}}, "acme-domain"},
		{httpd.ACMEOptions{Domains: []string{"memory.example.org:443"}}, "acme-domain"},
		{httpd.ACMEOptions{Domains: []string{domain, ""}}, "acme-domain"},
		{httpd.ACMEOptions{Domains: []string{strings.Repeat("a.", 130) + "org"}}, "acme-domain"},
		{httpd.ACMEOptions{Domains: []string{domain}, Email: "me"}, "acme-email"},
		{httpd.ACMEOptions{Domains: []string{domain}, Email: "Me <me@example.org>"}, "acme-email"},
		{httpd.ACMEOptions{Domains: []string{domain}, Directory: "http://issuer.example.org"}, "acme-url"},
		{httpd.ACMEOptions{Domains: []string{domain}, Directory: "issuer"}, "acme-url"},
		{httpd.ACMEOptions{Domains: []string{domain}, Folder: filepath.Join(file, "x")}, "acme-dir"},
	} {
		_, err := httpd.NewACME(c.o)
		if bad, ok := errors.AsType[*hippo.FieldError](err); !ok || bad.Field != c.field {
			t.Errorf("%+v: got %v", c.o, err)
		}
	}
}
