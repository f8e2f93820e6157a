// Package oauthtest is an issuer of access tokens in the process of a test.
package oauthtest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// Issuer publishes keys and signs tokens.
type Issuer struct {
	*httptest.Server
	// Fetched counts how often the keys were fetched.
	Fetched atomic.Int32

	mu     sync.Mutex
	keys   map[string]Key
	broken bool
}

// Key is a key by which an issuer signs.
type Key struct {
	Algorithm jose.SignatureAlgorithm
	Private   crypto.Signer
}

// New starts an issuer with the key "first", of P-256. The caller closes it.
func New() *Issuer {
	i := &Issuer{keys: make(map[string]Key)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		i.answer(w, map[string]any{"issuer": i.URL, "jwks_uri": i.URL + "/keys"})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		i.Fetched.Add(1)
		i.answer(w, i.published())
	})
	i.Server = httptest.NewServer(mux)
	i.Publish("first", NewKey(jose.ES256))
	return i
}

// NewKey returns a new key for an algorithm.
func NewKey(a jose.SignatureAlgorithm) Key {
	var private crypto.Signer
	var err error
	switch a {
	case jose.EdDSA:
		_, private, err = ed25519.GenerateKey(rand.Reader)
	case jose.ES256:
		private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	default:
		private, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	if err != nil {
		panic(err)
	}
	return Key{a, private}
}

// Publish adds a key; Withdraw removes one.
func (i *Issuer) Publish(id string, k Key) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys[id] = k
}

// Withdraw removes a key.
func (i *Issuer) Withdraw(id string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.keys, id)
}

// Break makes the issuer fail, or work again.
func (i *Issuer) Break(broken bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.broken = broken
}

func (i *Issuer) published() any {
	i.mu.Lock()
	defer i.mu.Unlock()
	keys := []any{map[string]string{"kty": "unknown", "kid": "first"}, jose.JSONWebKey{Key: []byte("a secret of both sides, 32 bytes"), KeyID: "shared", Algorithm: "HS256"}}
	for id, k := range i.keys {
		keys = append(keys, jose.JSONWebKey{Key: k.Private.Public(), KeyID: id, Algorithm: string(k.Algorithm), Use: "sig"})
	}
	return map[string]any{"keys": keys}
}

func (i *Issuer) answer(w http.ResponseWriter, body any) {
	i.mu.Lock()
	broken := i.broken
	i.mu.Unlock()
	if broken {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}

// Token signs claims with the published key of an ID. With says what differs from Claims; nil removes one.
func (i *Issuer) Token(id string, claims, with map[string]any) string {
	i.mu.Lock()
	k := i.keys[id]
	i.mu.Unlock()
	return Sign(k, id, "at+jwt", claims, with)
}

// Sign signs claims with any key.
func Sign(k Key, id, kind string, claims, with map[string]any) string {
	all := maps.Clone(claims)
	for name, value := range with {
		if all[name] = value; value == nil {
			delete(all, name)
		}
	}
	o := &jose.SignerOptions{}
	if id != "" {
		o = o.WithHeader("kid", id)
	}
	if kind != "" {
		o = o.WithType(jose.ContentType(kind))
	}
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: k.Algorithm, Key: k.Private}, o)
	if err != nil {
		panic(err)
	}
	text, err := jwt.Signed(s).Claims(all).Serialize()
	if err != nil {
		panic(err)
	}
	return text
}
