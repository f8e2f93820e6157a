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
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// Client is a memory in use. It is safe for concurrent use.
type Client struct {
	memories *engine.Memories
	scope    hippo.Scope
	code     *app.Code // opened by the first search of code
}

// Options say how [Open] opens a store. The zero value has the defaults.
type Options struct {
	// Model is the embedding model: "builtin", the default, "none" for lexical search only, a
	// model of "hippo model list", a folder, or URL#NAME for an OpenAI-compatible endpoint, whose
	// key is in the environment variable HIPPO_MODEL_KEY. If a model is not available, the built-in
	// one is used, and [hippo.Answer.Degraded] reports it.
	Model string
	// Surprise says how the surprise of what is recorded is computed.
	Surprise Surprise
	// Namespace is the tenant of the store. The empty default is a tenant of its own. Tenants do not see each other's data.
	Namespace string
	// Project is the current project: insights are recorded for it, and searches and lists return its insights and those of
	// no project. Empty or "*": they return those of all projects.
	Project string
	// Ranker is that of searches that name none; the default is [hippo.RankerHippo].
	Ranker hippo.Ranker
	// History bounds what is kept of insights that are changed. Nil: 20 versions of the last 400 active days. 0 versions keep
	// nothing.
	History *hippo.Retention
	// Log receives failures of background work; nil discards them.
	Log *slog.Logger
	// Now replaces the system's clock.
	Now func() time.Time
	// Zone is the time zone in which days begin; nil: that of the system.
	Zone *time.Location
	// Token is that for a store on a server. Without it the environment variable HIPPO_TOKEN has it, or "hippo login" keeps it.
	Token string
	// Brief says that the program ends soon: models embed nothing in the background, which would compete with the answer.
	// [Client.Settle] embeds what was recorded.
	Brief bool
	// Repositories is the folder in which "hippo" remembers the repositories of this machine. With it, verbs take the name of
	// a folder for the project of its repository, and [Client.Audit] knows which files a project has.
	Repositories string
	// Shared uses the store through another process of the same user that has it open, such as "hippo serve", if it has the
	// same model: nothing is loaded here then. When that process ends, the client connects to the one that takes over, or
	// opens the store itself; a call that was under way is repeated and not carried out twice.
	Shared bool
}

// Surprise says how the surprise of an insight is computed, see docs/surprise.md.
type Surprise struct {
	// Mode is "nearest", the default, "claude-hippo" or "off".
	Mode string
	// Weights are those of outlier, engagement, explicit and prediction loss, like ".2,.1,.5,.2"; empty: those of the mode.
	Weights string
	// Loss is the language model of the prediction loss: "none", the default, "adaptive", "local:FOLDER" for a GPT-2 or Qwen2
	// in a folder, or URL#NAME for an OpenAI-compatible endpoint, whose key is in the environment variable
	// HIPPO_PREDICTION_KEY.
	Loss string
}

// Open opens the store at a URL, "sqlite:PATH", "dir:PATH" or "memory:", and creates it if it
// does not exist. Options may be nil. The caller closes the Client. Errors: [hippo.ErrInvalid] for a URL or option,
// [hippo.ErrUnavailable], [hippo.ErrCorrupt]. Cost: some milliseconds; the index is read by the
// first search.
//
// "https://HOST" is the store of a server, see [Options.Token]. Open does not connect to it: the first call reports what is
// wrong. [hippo.ErrForbidden] is a token that is missing, unknown, or does not allow a verb;
// [hippo.ErrUnavailable] a server that does not answer, and says so if it is unknown whether a change is stored;
// [hippo.ErrUnsupported] a server of another version. A call whose connection breaks is repeated, and not carried out
// twice. Model and Shared do not count there.
func Open(ctx context.Context, url string, options *Options) (*Client, error) {
	var o Options
	if options != nil {
		o = *options
	}
	if o.Project == hippo.AllProjects {
		o.Project = ""
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	cfg, err := o.config(url)
	if err != nil {
		return nil, err
	}
	a := &app.Options{Log: o.Log, Now: o.Now, Zone: o.Zone, Token: secret.New(o.Token), Brief: o.Brief}
	if o.Repositories != "" {
		a.Repositories = project.Cache{Dir: o.Repositories}
	}
	e, err := app.OpenShared(ctx, cfg, a)
	if err != nil {
		return nil, err
	}
	scope := hippo.LocalScope(o.Project)
	scope.Namespace = o.Namespace
	return &Client{e.In(scope), scope, app.NewCode("", a)}, nil
}

// validate reports an option that no verb could use.
func (o *Options) validate() error {
	q := hippo.Query{Ranker: o.Ranker}
	m := hippo.Memory{Content: "x", Namespace: o.Namespace, Project: o.Project}
	return cmp.Or(q.Validate(), m.Validate())
}

// config returns the settings of a store with the options.
func (o *Options) config(url string) (config.Config, error) {
	store, err := config.ParseStore(url)
	if err != nil {
		return config.Config{}, err
	}
	scoring, err := config.ParseSurprise(o.Surprise.Mode, o.Surprise.Weights, o.Surprise.Loss, os.Getenv)
	if err != nil {
		return config.Config{}, err
	}
	model, err := config.ParseModel(cmp.Or(o.Model, config.Builtin), os.Getenv)
	if err != nil {
		return config.Config{}, err
	}
	return config.Config{Store: store, Namespace: o.Namespace, Model: model, Ranker: o.Ranker, Share: o.Shared, History: o.History, Surprise: scoring}, nil
}

// with returns a client of the same store with other memories.
func (c *Client) with(m *engine.Memories) *Client {
	scope, _ := engine.CallerOf(m)
	return &Client{memories: m, scope: scope, code: c.code}
}

// AllowSecrets returns a client of the same store that also records and modifies what seems to hold a key, a token or
// a password, which is a [*hippo.SecretError] otherwise. It is for a user who was asked. Insights of
// the sources tool, import, hook and sync never may. Only one of the two clients is to be closed.
func (c *Client) AllowSecrets() *Client { return c.with(memory.AllowSecrets(c.memories)) }

// As returns a client of the same store whose changes say who made them and why; reason may be
// empty. Only one of the two clients is to be closed.
func (c *Client) As(by hippo.Source, reason string) *Client {
	return c.with(engine.As(c.memories, hippo.Operation{By: by, Reason: reason}))
}

// Settle embeds insights that have no vector yet until ctx ends, and returns how many remain without one. It is for programs that
// end soon, before they close the client. On battery it embeds no more than a few. Where another process or machine
// answers for the store, that one embeds, and nothing remains.
func (c *Client) Settle(ctx context.Context) (missing int) {
	return engine.Settle(ctx, c.memories.Engine, engine.Settling{Hurry: true})
}

// Close stores what is pending and closes the store. Closing again returns what the first
// Close did.
func (c *Client) Close() error { return errors.Join(c.memories.Close(), c.code.Close()) }

// ImportanceOn returns the decayed importance of an insight on an active day, in [0, 1].
func ImportanceOn(m *hippo.Memory, day hippo.Day) float64 {
	w := rank.DefaultWeights()
	return w.Usage.Importance(m.Importance.Value, m.Importance.SetDay, day, m.Pinned)
}
