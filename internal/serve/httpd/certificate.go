package httpd

import (
	"crypto/tls"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Certificate is a certificate in files, which is read again when they change. It is safe for concurrent use.
type Certificate struct {
	cert, key string
	log       *slog.Logger

	mu      sync.Mutex
	changed [2]time.Time
	loaded  *tls.Certificate
}

// LoadCertificate reads a certificate with its chain and its key, both in PEM. Log receives failures of reading them again.
func LoadCertificate(cert, key string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{cert: cert, key: key, log: log}
	if err := c.load(); err != nil {
		return nil, err
	}
	return c, nil
}

// Get is for [Options.Certificate]. If the files have vanished, or do not fit each other, it is the certificate of before.
func (c *Certificate) Get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stamps() != c.changed {
		if err := c.load(); err != nil {
			c.log.Error("certificate not read again; the old one stays", "error", err)
		}
	}
	return c.loaded, nil
}

// Reload reads the files again, whether they seem to have changed or not.
func (c *Certificate) Reload() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.load(); err != nil {
		c.log.Error("certificate not read again; the old one stays", "error", err)
	}
}

// stamps returns when the files were changed; the zero time for one that is not there.
func (c *Certificate) stamps() (at [2]time.Time) {
	for i, path := range []string{c.cert, c.key} {
		if info, err := os.Stat(path); err == nil {
			at[i] = info.ModTime()
		}
	}
	return at
}

// load reads the files. They are not read again before they change.
func (c *Certificate) load() error {
	c.changed = c.stamps()
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return err
	}
	c.loaded = &pair
	return nil
}
