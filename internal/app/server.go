package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/exchange/far"
	"github.com/hippo-memory/hippo/internal/rpc/remote"
	"github.com/hippo-memory/hippo/internal/serve/login"
	servetoken "github.com/hippo-memory/hippo/internal/serve/token"
)

const (
	// tokenVariable is the environment variable of the token for servers.
	tokenVariable = "HIPPO_TOKEN"
	// plainVariable is the one that allows plain HTTP to other machines, if it is "on".
	plainVariable = "HIPPO_INSECURE_HTTP"
)

// Session is what a server says to a user whose token it knows.
type Session struct {
	Store string `json:"store"`
	remote.Greeting
}

// Understood reports whether the server speaks the form of calls that this program speaks.
func (s *Session) Understood() bool { return s.Protocol == remote.Protocol() }

// Login tries a token at a server, and saves it for this user. Plain: it may be sent over HTTP without TLS, now and later.
func Login(ctx context.Context, s config.Store, text string, plain bool) (*Session, error) {
	token, err := login.ParseToken(text)
	if err != nil {
		return nil, err
	}
	if err := guardPlain(s, plain); err != nil {
		return nil, err
	}
	c := remote.NewClient(remote.ClientOptions{Address: s.String(), Token: token, Version: programVersion()})
	defer c.Close() //nolint:errcheck // it closes what is idle
	g, err := c.Greet(ctx)
	if errors.Is(err, hippo.ErrForbidden) && far.TryServer(ctx, s.String(), token) == nil { // a token for syncing alone
		g, err = remote.Greeting{Protocol: remote.Protocol(), Rights: []string{string(servetoken.Sync)}}, nil
	}
	if err != nil {
		return nil, err
	}
	return &Session{s.String(), g}, login.Save(config.LoginsPath(os.Getenv), config.Origin(s), login.Login{Token: token, Plain: plain})
}

// Logout deletes the token that [Login] saved for a server.
func Logout(s config.Store) error {
	return login.Remove(config.LoginsPath(os.Getenv), config.Origin(s))
}

// connect returns a client of the server of a store, with the token of the options, the environment or the user. It
// sends nothing.
func connect(s config.Store, o *Options) (*remote.Client, error) {
	token, plain, err := tokenFor(s, o.Token)
	if err != nil {
		return nil, err
	}
	if err := guardPlain(s, plain || os.Getenv(plainVariable) == "on"); err != nil {
		return nil, err
	}
	return remote.NewClient(remote.ClientOptions{Address: s.String(), Token: token, Version: programVersion()}), nil
}

// tokenFor returns the token for a server: one that was given, that of the environment, or that of the user, who may have allowed to send it
// over HTTP without TLS.
func tokenFor(s config.Store, given secret.Value) (token secret.Value, plain bool, err error) {
	l, _, err := login.Find(config.LoginsPath(os.Getenv), config.Origin(s))
	token = given
	if text := os.Getenv(tokenVariable); token.Reveal() == "" && text != "" {
		if token, err = login.ParseToken(text); err != nil {
			return token, false, hippo.Fieldf(tokenVariable, "is no token: at most 8192 printable ASCII characters without spaces")
		}
	}
	if token.Reveal() == "" {
		token = l.Token
	}
	switch {
	case token.Reveal() == "" && err != nil:
		return token, false, err
	case token.Reveal() == "":
		return token, false, fmt.Errorf("%w: there is no token for %s: hippo login %s, or $%s", hippo.ErrForbidden, s, s, tokenVariable)
	}
	return token, l.Plain, nil
}

// guardPlain refuses to send a token over a network without TLS, unless the user allowed it.
func guardPlain(s config.Store, allowed bool) error {
	if allowed || !config.Plain(s) {
		return nil
	}
	return hippo.Fieldf("store", "must be https: over %s anyone on the way reads the token; hippo login --insecure-http %s, or $%s=on, allows it", s, s, plainVariable)
}

// remoteEngine returns an engine whose verbs r carries out.
func remoteEngine(r engine.Remote, c *config.Config, o *Options) *engine.Engine {
	return engine.NewRemote(r, &engine.Config{Ranker: c.Ranker, IndexWait: o.IndexWait, Repositories: o.Repositories, Now: o.Now}, cmp.Or(o.Zone, time.Local))
}

// programVersion returns the version of this program.
func programVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
