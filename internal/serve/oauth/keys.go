package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	// freshTime is how long keys are used before they are fetched again, and staleTime how long they are used if that
	// fails: a key that the issuer has withdrawn must not be good for ever.
	freshTime = 5 * time.Minute
	staleTime = time.Hour
	// fetchPause is the shortest time between two attempts: anybody can send a token with the ID of a key that does not exist.
	fetchPause = 10 * time.Second
	// fetchTime is how long an attempt may take, maxDocument the largest document in bytes.
	fetchTime   = 5 * time.Second
	maxDocument = 1 << 20
)

// keySet is the keys of an issuer.
type keySet struct {
	issuer string
	client http.Client
	now    func() time.Time

	fetching sync.Mutex // held while keys are fetched

	mu      sync.Mutex
	keys    []jose.JSONWebKey
	fetched time.Time
	tried   time.Time
	failure error // of the last attempt
}

func newKeySet(issuer string, client *http.Client, now func() time.Time) *keySet {
	k := &keySet{issuer: issuer, now: now}
	if client != nil {
		k.client = *client
	}
	k.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // it could lead anywhere
	return k
}

// find returns the keys that may have signed a token: those with the ID of its header, or all if it has none.
func (k *keySet) find(id, algorithm string) ([]jose.JSONWebKey, error) {
	found, fresh := k.known(id, algorithm)
	if len(found) > 0 && fresh {
		return found, nil
	}
	if !k.fetching.TryLock() {
		if len(found) > 0 {
			return found, nil
		}
		k.fetching.Lock()
	}
	defer k.fetching.Unlock()
	k.refresh()
	if found, _ = k.known(id, algorithm); len(found) > 0 {
		return found, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failure != nil {
		return nil, k.failure
	}
	return nil, errors.New("the issuer has no such key")
}

// known returns the keys that fit, of those that were fetched, and whether they were fetched lately.
func (k *keySet) known(id, algorithm string) (found []jose.JSONWebKey, fresh bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	age := k.now().Sub(k.fetched)
	if age > staleTime {
		return nil, false
	}
	for _, key := range k.keys {
		if id != "" && key.KeyID != id || key.Use != "" && key.Use != "sig" || key.Algorithm != "" && key.Algorithm != algorithm {
			continue
		}
		if key.Valid() && key.IsPublic() { // a symmetric key is not public
			found = append(found, key)
		}
	}
	return found, age <= freshTime
}

// refresh fetches the keys, unless it was tried a moment ago. The keys stay if it fails.
func (k *keySet) refresh() {
	k.mu.Lock()
	if k.now().Sub(k.tried) < fetchPause {
		k.mu.Unlock()
		return
	}
	k.tried = k.now()
	k.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), fetchTime)
	defer cancel()
	keys, err := k.fetch(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failure = err; err == nil {
		k.keys, k.fetched = keys, k.now()
	}
}

// fetch fetches the keys that the metadata of the issuer name.
func (k *keySet) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	var errs []error
	for _, place := range metadataPlaces(k.issuer) {
		var found struct {
			Issuer string `json:"issuer"`
			Keys   string `json:"jwks_uri"`
		}
		if err := k.get(ctx, place, &found); err != nil {
			errs = append(errs, err)
			continue
		}
		if found.Issuer != k.issuer {
			return nil, fmt.Errorf("%s is of the issuer %.100q, not %q", place, found.Issuer, k.issuer)
		}
		if err := checkURL("jwks_uri", found.Keys); err != nil {
			return nil, err
		}
		var set struct {
			Keys []json.RawMessage `json:"keys"`
		}
		if err := k.get(ctx, found.Keys, &set); err != nil {
			return nil, err
		}
		var out []jose.JSONWebKey
		for _, raw := range set.Keys {
			var key jose.JSONWebKey
			if key.UnmarshalJSON(raw) == nil { // others may be of a kind that is not known here
				out = append(out, key)
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("no metadata of the issuer: %w", errors.Join(errs...))
}

// metadataPlaces returns where the metadata of an issuer may be. Sources: RFC 8414, section 3.1; OpenID Connect
// Discovery 1.0, section 4.
func metadataPlaces(issuer string) []string {
	u, err := url.Parse(issuer)
	if err != nil { // New has parsed it
		return nil
	}
	path := strings.TrimSuffix(u.Path, "/")
	at := func(path string) string { return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: path}).String() }
	return []string{at("/.well-known/oauth-authorization-server" + path), at(path + "/.well-known/openid-configuration")}
}

// get fetches a JSON document.
func (k *keySet) get(ctx context.Context, from string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, http.NoBody)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "application/json")
	resp, err := k.client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // it is only read
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d", from, resp.StatusCode)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxDocument+1))
	if err != nil {
		return err
	}
	if len(b) > maxDocument {
		return fmt.Errorf("%s: more than %d bytes", from, maxDocument)
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return nil
}
