package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
)

// exampleCalls are the calls whose results docs/tools.md shows, in this order in one session.
// $1 stands for the UUID of the first record, $2 for that of the second. More calls of a tool
// than one show what else it answers.
func exampleCalls() []exampleCall {
	return []exampleCall{
		{"hippo_record_insight", `{"content":"Retries without jitter took the gateway down","situation":["debugging outages"],"importance":0.8,"tags":["incident"]}`},
		{"hippo_record_insight", `{"content":"Deploys go out on Tuesday mornings","situation":["release planning"],"importance":0.5,"type":"decision"}`},
		{"hippo_search_insights", `{"query":"why did the gateway go down","limit":5}`},
		{"hippo_search_insights", `{"query":"why did the gateway go down","limit":1,"format":"json"}`},
		{"hippo_search_insights", `{"query":"gateway","limit":0}`},
		{"hippo_get", `{"ids":["$1"]}`},
		{"hippo_modify_insight", `{"uuid":"$2","content":"Deploys go out on Wednesday mornings"}`},
		{"hippo_reinforce_insight", `{"upvotes":["$1"]}`},
		{"hippo_forget", `{"uuids":["$2"]}`},
		{"hippo_status", `{}`},
	}
}

type exampleCall struct{ tool, arguments string }

// exampleTime is the time of all examples.
func exampleTime() time.Time { return time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC) }

// serve starts an MCP server on an empty store in memory and connects to it.
func serve(ctx context.Context) (session *mcp.ClientSession, stop func() error, err error) {
	opener := app.NewOpener(
		config.Config{Store: config.Store{Kind: "memory"}, Model: config.Model{Name: config.Static}, Ranker: hippo.RankerHippo},
		&app.Options{Now: exampleTime, Zone: time.UTC},
	)
	server := mcpserver.New(opener.Engine, &mcpserver.Options{Version: "v0.0.0", Store: "memory:", Now: exampleTime})
	requests, toServer := io.Pipe()
	answers, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, requests, toClient) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "docs", Version: "1"}, nil)
	session, err = client.Connect(ctx, &mcp.IOTransport{Reader: answers, Writer: toServer}, nil)
	return session, func() error {
		if err := session.Close(); err != nil {
			return err
		}
		if err := <-ended; err != nil {
			return err
		}
		return opener.Close(ctx)
	}, err
}

// example is a call and its result as a client sees them.
type example struct {
	arguments, text, data string
	failed, structured    bool
}

// callExamples returns the examples of each tool.
func callExamples(ctx context.Context, session *mcp.ClientSession) (map[string][]example, error) {
	out := make(map[string][]example)
	n := newNormaliser()
	var recorded []string
	for _, c := range exampleCalls() {
		arguments := c.arguments
		for i, id := range recorded {
			arguments = strings.ReplaceAll(arguments, fmt.Sprintf("$%d", i+1), id)
		}
		r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: c.tool, Arguments: json.RawMessage(arguments)})
		if err != nil {
			return nil, err
		}
		meta, ok := r.Meta["hippo"].(map[string]any)
		if ids, isList := meta["ids"].([]any); ok && isList && c.tool == "hippo_record_insight" {
			recorded = append(recorded, fmt.Sprint(ids...))
		}
		data, err := json.MarshalIndent(r.Meta["hippo"], "", "  ")
		if err != nil {
			return nil, err
		}
		if r.StructuredContent != nil {
			data, err = json.MarshalIndent(r.StructuredContent, "", "  ")
		}
		if err != nil {
			return nil, err
		}
		text, ok := r.Content[0].(*mcp.TextContent)
		if !ok {
			return nil, fmt.Errorf("%s: content is %T, not text", c.tool, r.Content[0])
		}
		out[c.tool] = append(out[c.tool], example{n.text(arguments), n.text(text.Text), n.text(string(data)), r.IsError, r.StructuredContent != nil})
	}
	return out, nil
}

// toolsDocument returns docs/tools.md.
func toolsDocument(ctx context.Context) ([]byte, error) {
	session, stop, err := serve(ctx)
	if err != nil {
		return nil, err
	}
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	examples, err := callExamples(ctx, session)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(notice + "# MCP tools\n\n`hippo serve` offers these tools over stdio and, with `--http`, over HTTP. An unknown argument is an error that names the known ones; `null` counts as absent; a list of " +
		"texts may be given as one text. Times are RFC 3339 or dates.\n\nA result is a text for a model, which every client shows; `_meta` has what a program needs of it. With `\"format\":\"json\"`, which every tool takes, " +
		"the result is JSON, as structured content and as text. A failed call has `isError` and a code ([reference.md](reference.md#error-codes)). [reference.md](reference.md#limits) has the limits.\n\n" +
		"A hit is a line: id, relevance, content, situation and date. It shows 300 characters of a content: of a longer one the sentences that answer best, with `…` where some are left out; `+4,100 chars: get 7f4a7c15` says that there are more, which " +
		"`hippo_get` shows. Of a memory that is longer than its `max_tokens`, `hippo_get` shows the beginning, or, with a question as `query`, the sentences that answer it. Every id may be short, as results show it; one that fits several memories is an error that lists them. `max_tokens` limits a result, by an estimate from above; what does not fit is on the next page.\n\n" +
		"Taken, but not in the schemas, which a model reads in every session: of a search `relevance_range` (`{\"min\":0,\"max\":1}`; `min` 0 also shows what is unlikely to answer), `min_relevance`, `created_after`, `created_before`, `event_after`, `event_before`, `min_trust` (`none`, `low`, `normal`, `high`), `author`, `session`, `pinned`, `archived`, `without_tags`, " +
		"`ranker` (`hippo`, `insight`, `hybrid`, `surprise`, `cosine`, `bm25`), `mode`, `explain`, `no_touch`, and `limit` as `{\"offset\":0,\"count\":10}`; of `hippo_get` `no_touch`, of a record `valid_from` and `allow_secret`, of a modification `valid_from` (`none`, as for `valid_until`, is no bound), `clear` (a list of `situation`, `tags`, `type`, `valid_from`, `valid_until` and `metadata.KEY`: these are emptied, which a blank value never does), `reason` and `allow_secret`, and of both, with `\"format\":\"json\"`, `metadata`. A situation given with a query is preferred; " +
		"`strict`, ranker `insight`, and a search without a query keep no others. A number or JSON may be given as a text, a list as a text with commas, and other names that models use are taken (`top_k`, `id`, `q`, `vote`).\n\nWhat the server says to a model:\n\n")
	fmt.Fprintf(&b, "> %s\n\n", session.InitializeResult().Instructions)
	contents := newTable("tool", "what it does")
	for _, t := range list.Tools {
		contents.row(fmt.Sprintf("[`%s`](#%s)", t.Name, t.Name), t.Description)
	}
	b.WriteString(contents.String())
	for _, t := range list.Tools {
		if err := writeTool(&b, t, examples[t.Name]); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), stop()
}

// writeTool writes the section of a tool.
func writeTool(b *bytes.Buffer, t *mcp.Tool, examples []example) error {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n%s\n", t.Name, t.Description, annotations(t.Annotations))
	text, err := json.Marshal(t.InputSchema)
	if err != nil {
		return err
	}
	var s schema
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	if len(s.Properties) > 0 {
		arguments := newTable("argument", "type", "default", "meaning")
		s.describe(arguments, "")
		fmt.Fprintf(b, "\n%s", arguments)
	} else {
		b.WriteString("\nIt has no arguments.\n")
	}
	for _, e := range examples {
		kind := "Result"
		if e.failed {
			kind = "Error"
		}
		fmt.Fprintf(b, "\nArguments:\n\n```json\n%s\n```\n", e.arguments)
		switch {
		case e.structured:
			fmt.Fprintf(b, "\n%s as JSON:\n\n```json\n%s\n```\n", kind, e.data)
		default:
			fmt.Fprintf(b, "\n%s:\n\n```\n%s\n```\n", kind, e.text)
			if e.data != "null" {
				fmt.Fprintf(b, "\nIn `_meta`, as `hippo`, for programs:\n\n```json\n%s\n```\n", e.data)
			}
		}
	}
	return nil
}

// annotations says in words what a client may expect of a tool.
func annotations(a *mcp.ToolAnnotations) string {
	var words []string
	switch {
	case a.ReadOnlyHint:
		words = append(words, "It changes nothing (`readOnlyHint`).")
	case a.DestructiveHint != nil && *a.DestructiveHint:
		words = append(words, "It may overwrite or delete (`destructiveHint`).")
	default:
		words = append(words, "It deletes and overwrites nothing (`destructiveHint` is false).")
	}
	if a.IdempotentHint {
		words = append(words, "The same call again has no further effect (`idempotentHint`).")
	}
	return strings.Join(words, " ")
}

// schema is what this program reads of a JSON schema.
type schema struct {
	Type        any               `json:"type"` // a name, or a list of names
	Format      string            `json:"format"`
	Description string            `json:"description"`
	Default     json.RawMessage   `json:"default"`
	Minimum     *float64          `json:"minimum"`
	Maximum     *float64          `json:"maximum"`
	Enum        []string          `json:"enum"`
	Items       *schema           `json:"items"`
	Properties  map[string]schema `json:"properties"`
	Required    []string          `json:"required"`
}

// describe adds a row for each property, required ones first, and for those inside of them.
func (s *schema) describe(t *table, prefix string) {
	names := slices.Clone(s.Required)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		p := s.Properties[name]
		fallback := code(string(p.Default))
		if slices.Contains(s.Required, name) {
			fallback = "required"
		}
		t.row(code(prefix+name), p.kind(), fallback, p.Description)
		p.describe(t, prefix+name+".")
	}
}

// kind returns the type of a value with its limits: "number, 0 to 1".
func (s *schema) kind() string {
	kind := fmt.Sprint(s.Type)
	if list, ok := s.Type.([]any); ok {
		words := make([]string, len(list))
		for i, x := range list {
			words[i] = fmt.Sprint(x)
		}
		kind = strings.Join(words, " or ")
	}
	switch {
	case s.Items != nil:
		kind = "list of " + s.Items.kind()
	case s.Format == "uuid":
		kind = "UUID"
	case len(s.Enum) > 0:
		kind = "one of `" + strings.Join(s.Enum, "`, `") + "`"
	}
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		kind += fmt.Sprintf(", %v to %v", *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		kind += fmt.Sprintf(", at least %v", *s.Minimum)
	}
	return kind
}
