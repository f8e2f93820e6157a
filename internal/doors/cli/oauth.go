package cli

import (
	"log/slog"

	"github.com/spf13/pflag"

	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/oauth"
	"github.com/hippo-memory/hippo/internal/serve/token"
)

// oauthOptions are the flags of serve that are about an external issuer of tokens.
type oauthOptions struct {
	issuer    string
	audiences []string
	namespace string
}

func (o *oauthOptions) add(f *pflag.FlagSet) {
	f.StringVar(&o.issuer, "oauth-issuer", "", "also accept access tokens of this OAuth 2.1 issuer (a URL)")
	f.StringSliceVar(&o.audiences, "oauth-audience", nil, "the audience of these tokens: the URL at which clients reach this server; may be repeated to accept others")
	f.StringVar(&o.namespace, "oauth-namespace-claim", "", "the claim with the namespace of the caller; tokens without it are refused (default: --namespace for all)")
}

// verifier returns who verifies these tokens; nil if there is no issuer.
func (o *oauthOptions) verifier(s *shell, log *slog.Logger) (*oauth.Verifier, error) {
	if o.issuer == "" {
		if len(o.audiences) > 0 || o.namespace != "" {
			return nil, usagef("--oauth-audience and --oauth-namespace-claim need --oauth-issuer")
		}
		return nil, nil
	}
	cfg, err := s.config()
	if err != nil {
		return nil, err
	}
	return oauth.New(oauth.Options{
		Issuer: o.issuer, Audiences: o.audiences, NamespaceClaim: o.namespace, Namespace: cfg.Namespace, Now: s.now, Log: log,
	})
}

// authenticator authenticates by the file of the tokens, and by an issuer if there is one.
type authenticator struct {
	file   tokenFile
	issuer *oauth.Verifier // nil: none
}

// Authenticate implements [httpd.Authenticator].
func (a authenticator) Authenticate(text string) (httpd.Caller, bool) {
	if a.issuer != nil && oauth.LooksLikeToken(text) {
		return a.issuer.Authenticate(text)
	}
	return a.file.Authenticate(text)
}

// newAuthenticator returns an authenticator by a file and an issuer, nil for none.
func newAuthenticator(f *token.File, issuer *oauth.Verifier) authenticator {
	return authenticator{tokenFile{f}, issuer}
}
