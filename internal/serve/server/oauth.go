package server

import "github.com/hippo-memory/hippo/internal/serve/oauth"

// OAuth names an external issuer of tokens (OAuth 2.1).
type OAuth struct {
	Issuer    string // a URL; empty: none
	Audiences []string
	// NamespaceClaim is the claim with the namespace of the caller; empty: the namespace of the server for all.
	NamespaceClaim string
}

// verifier returns who verifies these tokens; nil if there is no issuer.
func (a *OAuth) verifier(o *Options) (*oauth.Verifier, error) {
	if a.Issuer == "" {
		if len(a.Audiences) > 0 || a.NamespaceClaim != "" {
			return nil, optionf("--oauth-audience and --oauth-namespace-claim need --oauth-issuer")
		}
		return nil, nil
	}
	return oauth.New(oauth.Options{
		Issuer: a.Issuer, Audiences: a.Audiences, NamespaceClaim: a.NamespaceClaim, Namespace: o.Config.Namespace, Now: o.Now, Log: o.Log,
	})
}
