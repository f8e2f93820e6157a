package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/token"
)

// localToken is the name of the token that is created if there is none.
const localToken = "local"

// url returns the URL of a server.
func (h *HTTP) url(l net.Listener) string {
	if h.TLS.given() {
		return "https://" + l.Addr().String()
	}
	return "http://" + l.Addr().String()
}

// listen checks that it is safe to listen, and does.
func listen(ctx context.Context, f *frontEnds, h *HTTP) (httpd.Options, net.Listener, error) {
	out := httpd.Options{Tokens: authenticator{bookOfTokens{f.tokens}, f.issuer}, Hosts: h.Hosts, Now: f.Now, Log: f.Log, Observer: f.observer}
	if f.issuer != nil {
		out.Metadata, out.Hosts = f.issuer.MetadataURL(), append(slices.Clone(h.Hosts), f.issuer.Host())
	}
	addr, local, err := listenAddress(h.Address)
	if err != nil {
		return out, nil, err
	}
	if !local && !h.Insecure && !h.TLS.given() {
		return out, nil, optionf("--http %s is reached from other machines, and without TLS anyone on the way reads the tokens: give --tls-cert and --tls-key, --acme-domain, "+
			"or --insecure-http if a proxy before it has TLS", h.Address)
	}
	if f.issuer == nil {
		if err := f.someToken(ctx, local); err != nil {
			return out, nil, err
		}
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return out, nil, fmt.Errorf("%w: --http: %w", hippo.ErrUnavailable, err)
	}
	return out, l, nil
}

// listenAddress returns the address to listen on, and whether only this machine reaches it. One without a host is of
// this machine.
func listenAddress(addr string) (full string, local bool, err error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", false, optionf("--http must be an address with a port, such as 127.0.0.1:8420 or :8420, got %q", addr)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return "", false, optionf("the port of --http must be a number between 0 and 65535, got %q", port)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	local = host == "localhost" || err == nil && ip.IsLoopback()
	return net.JoinHostPort(host, port), local, nil
}

// someToken ensures that there is a token: without one nobody could use the server. For other machines the user
// creates it.
func (f *frontEnds) someToken(ctx context.Context, local bool) error {
	list, err := f.tokens.List()
	if err != nil || len(list) > 0 {
		return err
	}
	if !local {
		return optionf("there is no token, so that nobody may use the server: hippo token create NAME")
	}
	text, err := f.tokens.Create(ctx, token.Token{Name: localToken, Right: token.Admin})
	if errors.Is(err, hippo.ErrConflict) {
		return nil // another server was faster
	}
	if err != nil {
		return err
	}
	path := filepath.Join(filepath.Dir(config.TokensPath(os.Getenv)), "token")
	if err := atomicfile.Write(path, []byte(text+"\n")); err != nil {
		return err
	}
	f.Warn(fmt.Sprintf("created the token %q, which allows everything; its text is in %s", localToken, path))
	return nil
}
