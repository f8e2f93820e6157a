package client

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
)

// Client is a memory in use. It is safe for concurrent use.
type Client struct {
	memories *engine.Memories
	scope    hippo.Scope
	code     *app.Code // opened by the first search of code
}

// Option is an option of [Open].
type Option func(*options)

type options struct {
	model, namespace, project string
	ranker                    hippo.Ranker
	shared                    bool
	history                   *hippo.Retention
	surprise                  [3]string // mode, weights, prediction loss
	app                       app.Options
}

// Model chooses the embedding model: "builtin", the default, "none" for lexical search only, a
// model of "hippo model list", a folder, or URL#NAME for an OpenAI-compatible endpoint, whose
// key is in the environment variable HIPPO_MODEL_KEY. If a model is not available, the built-in
// one is used, and [hippo.Answer.Degraded] says so.
func Model(setting string) Option { return func(o *options) { o.model = setting } }

// Surprise chooses how the surprise of what is recorded is computed: the mode, "nearest", the default, "claude-hippo" or
// "off"; the weights of outlier, engagement, explicit and prediction loss, like ".2,.1,.5,.2", empty for those of the mode;
// and the language model of the prediction loss: "none", the default, "adaptive", "local:FOLDER" for a GPT-2 or Qwen2
// in a folder, or URL#NAME for an OpenAI-compatible endpoint, whose key is in the environment variable HIPPO_PREDICTION_KEY.
func Surprise(mode, weights, loss string) Option {
	return func(o *options) { o.surprise = [3]string{mode, weights, loss} }
}

// Namespace chooses the tenant of the store; empty, the default, is a tenant, too. Tenants do
// not see each other's data.
func Namespace(name string) Option { return func(o *options) { o.namespace = name } }

// Project sets the current project: insights are recorded for it, and searches and lists
// return its insights and those of no project. Without it, or with "*", they return those of all
// projects.
func Project(name string) Option {
	return func(o *options) {
		if o.project = name; name == hippo.AllProjects {
			o.project = ""
		}
	}
}

// Ranker chooses the ranker of searches that name none; the default is [hippo.RankerHippo].
func Ranker(r hippo.Ranker) Option { return func(o *options) { o.ranker = r } }

// History bounds what is kept of insights that are changed: their greatest number for each insight,
// and their greatest age in active days. 0 versions keep nothing. The default is 20 versions of the last 400 active days.
func History(versions, days int) Option {
	return func(o *options) { o.history = &hippo.Retention{Versions: versions, Days: days} }
}

// Logger receives failures of background work; the default discards them.
func Logger(log *slog.Logger) Option { return func(o *options) { o.app.Log = log } }

// Clock replaces the system's clock, and sets the time zone in which days begin.
func Clock(now func() time.Time, zone *time.Location) Option {
	return func(o *options) { o.app.Now, o.app.Zone = now, zone }
}

// Token is that for a store on a server. Without it the environment variable HIPPO_TOKEN has it, or "hippo login" keeps
// it.
func Token(text string) Option { return func(o *options) { o.app.Token = secret.New(text) } }

// Brief says that the program ends soon: models embed nothing in the background, which would compete with the answer. [Settle] embeds
// what was recorded.
func Brief() Option { return func(o *options) { o.app.Brief = true } }

// Repositories is the folder in which "hippo" remembers the repositories of this machine. With it, verbs take the name of a folder for the
// project of its repository, and [Audit] knows which files a project has.
func Repositories(dir string) Option {
	return func(o *options) { o.app.Repositories = project.Cache{Dir: dir} }
}

// Shared uses the store through another process of the same user that has it open, such as "hippo serve", if there is
// one with the same model: nothing is loaded here then. When that process ends, the client connects to the one that takes
// over, or opens the store itself; a call that was under way is repeated and not carried out twice.
func Shared() Option { return func(o *options) { o.shared = true } }

// Open opens the store at a URL, "sqlite:PATH", "dir:PATH" or "memory:", and creates it if it
// does not exist. The caller closes the Client. Errors: [hippo.ErrInvalid] for a URL or option,
// [hippo.ErrUnavailable], [hippo.ErrCorrupt]. Cost: some milliseconds; the index is read by the
// first search.
//
// "https://HOST" is the store of a server, see [Token]. Open does not connect to it: the first call reports what is
// wrong. [hippo.ErrForbidden] is a token that is missing, unknown, or does not allow a verb;
// [hippo.ErrUnavailable] a server that does not answer, and says so if it is unknown whether a change is stored;
// [hippo.ErrUnsupported] a server of another version. A call whose connection breaks is repeated, and not carried out
// twice. Model and Shared do not count there.
func Open(ctx context.Context, url string, opts ...Option) (*Client, error) {
	o := options{model: config.Builtin}
	for _, set := range opts {
		set(&o)
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	store, err := config.ParseStore(url)
	if err != nil {
		return nil, err
	}
	scoring, err := config.ParseSurprise(o.surprise[0], o.surprise[1], o.surprise[2], os.Getenv)
	if err != nil {
		return nil, err
	}
	model, err := config.ParseModel(o.model, os.Getenv)
	if err != nil {
		return nil, err
	}
	cfg := config.Config{Store: store, Model: model, Ranker: o.ranker, Share: o.shared, History: o.history, Surprise: scoring}
	e, err := app.OpenShared(ctx, cfg, &o.app)
	if err != nil {
		return nil, err
	}
	scope := hippo.LocalScope(o.project)
	scope.Namespace = o.namespace
	return &Client{e.In(scope), scope, app.NewCode("", &o.app)}, nil
}

// validate reports an option that no verb could use.
func (o *options) validate() error {
	q := hippo.Query{Ranker: o.ranker}
	m := hippo.Memory{Content: "x", Namespace: o.namespace, Project: o.project}
	return cmp.Or(q.Validate(), m.Validate())
}

// AllowSecrets returns a client of the same store that also records and modifies what seems to hold a key, a token or
// a password, which is a [*hippo.SecretError] otherwise. It is for a user who was asked. Insights of
// the sources tool, import, hook and sync never may. Only one of the two clients is to be closed.
func AllowSecrets(c *Client) *Client {
	return &Client{memories: engine.AllowSecrets(c.memories), scope: c.scope, code: c.code}
}

// Settle embeds insights that have no vector yet until ctx ends, and returns how many remain without one. It is for programs that
// end soon, before they close the client. On battery it embeds no more than a few. Where another process or machine
// answers for the store, that one embeds, and nothing remains.
func Settle(ctx context.Context, c *Client) (missing int) {
	return engine.Settle(ctx, c.memories.Engine, engine.Settling{Hurry: true})
}

// Close stores what is pending and closes the store. Closing again returns what the first
// Close did.
func (c *Client) Close() error { return errors.Join(c.memories.Close(), c.code.Close()) }
