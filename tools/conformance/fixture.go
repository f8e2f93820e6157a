package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// noArguments is the schema of tools without arguments.
const noArguments = `{"type":"object"}`

// fixture is a tool, prompt or resource that scenarios of the suite look for by its name.
type fixture struct {
	name, schema string
	call         mcp.ToolHandler
}

// newFixture returns the server that the suite describes in its scenarios: those tools, prompts and resources that
// need something of the transport, or are simple.
func newFixture() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "fixture", Version: "1"}, &mcp.ServerOptions{
		CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
		},
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	for _, f := range slices.Concat(contents(), exchanges(), changes(server)) {
		if f.schema == "" {
			f.schema = noArguments
		}
		server.AddTool(&mcp.Tool{Name: f.name, Description: "for the suite", InputSchema: json.RawMessage(f.schema)}, f.call)
	}
	addResources(server)
	addPrompts(server)
	return server
}

// answer returns a handler that answers the same to every call.
func answer(content ...mcp.Content) mcp.ToolHandler {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: content}, nil
	}
}

func text(format string, args ...any) *mcp.TextContent {
	return &mcp.TextContent{Text: fmt.Sprintf(format, args...)}
}

func image() *mcp.ImageContent {
	return &mcp.ImageContent{Data: []byte("image"), MIMEType: "image/png"}
}

func embedded(uri string) *mcp.EmbeddedResource {
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "embedded"}}
}

// contents are the tools with a simple answer.
func contents() []fixture {
	return []fixture{
		{name: "test_simple_text", call: answer(text("This is a simple text response for testing."))},
		{name: "test_image_content", call: answer(image())},
		{name: "test_audio_content", call: answer(&mcp.AudioContent{Data: []byte("audio"), MIMEType: "audio/wav"})},
		{name: "test_embedded_resource", call: answer(embedded("test://embedded-resource"))},
		{name: "test_multiple_content_types", call: answer(text("text"), image(), embedded("test://embedded"))},
		{name: "test_streaming_elicitation", call: answer(text("no request was sent"))},
		{name: "test_error_handling", call: func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{text("it fails on purpose")}, IsError: true}, nil
		}},
		{
			name: "test_x_mcp_header", call: answer(text("the header fits")),
			schema: `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`,
		},
		{name: "json_schema_2020_12_tool", call: answer(text("called")), schema: schema2020},
	}
}

// schema2020 has the keywords that the suite looks for.
const schema2020 = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},
"phone":{"type":"string"},"email":{"type":"string"}},
"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
"additionalProperties":false}`

// exchanges are the tools that send something to the client before they answer.
func exchanges() []fixture {
	return []fixture{
		{name: "test_tool_with_logging", call: logging(3)},
		{name: "test_logging_tool", call: logging(1)},
		{name: "test_tool_with_progress", call: progress},
		{name: "test_sampling", call: sampling, schema: `{"type":"object","properties":{"prompt":{"type":"string"}}}`},
		{name: "test_elicitation", call: elicitation(askUser), schema: `{"type":"object","properties":{"message":{"type":"string"}}}`},
		{name: "test_elicitation_sep1034_defaults", call: elicitation(askDefaults)},
		{name: "test_elicitation_sep1330_enums", call: elicitation(askEnums)},
		{name: "test_reconnection", call: reconnection},
		{name: "test_missing_capability", call: missingCapability},
	}
}

// pause is the time between what a tool sends, so that it arrives by itself.
const pause = 20 * time.Millisecond

func logging(times int) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range times {
			//nolint:staticcheck // the suite tests logging, which is deprecated
			if err := r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: fmt.Sprintf("message %d", i)}); err != nil {
				return nil, err
			}
			time.Sleep(pause)
		}
		return &mcp.CallToolResult{Content: []mcp.Content{text("logged")}}, nil
	}
}

func progress(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	token := r.Params.GetProgressToken()
	for _, done := range []float64{0, 50, 100} {
		if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: 100}); err != nil {
			return nil, err
		}
		time.Sleep(pause)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{text("%v", token)}}, nil
}

func sampling(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct{ Prompt string }
	if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
		return nil, err
	}
	//nolint:staticcheck // the suite tests sampling, which is deprecated
	got, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{
		Messages: []*mcp.SamplingMessage{{Role: "user", Content: text("%s", in.Prompt)}}, MaxTokens: 100,
	})
	if err != nil {
		return nil, err
	}
	said, ok := got.Content.(*mcp.TextContent)
	if !ok {
		return nil, errors.New("the client sent no text")
	}
	return &mcp.CallToolResult{Content: []mcp.Content{text("LLM response: %s", said.Text)}}, nil
}

// elicitation returns a tool that asks the user for something; the message is an argument, or else a fixed one.
func elicitation(schema string) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		in := struct{ Message string }{"for the suite"}
		if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
			return nil, err
		}
		got, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: in.Message, RequestedSchema: json.RawMessage(schema)})
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{text("User response: action %s, content %v", got.Action, got.Content)}}, nil
	}
}

// The schemas of what tools ask for.
const (
	askUser     = `{"type":"object","properties":{"username":{"type":"string"},"email":{"type":"string"}},"required":["username","email"]}`
	askDefaults = `{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},` +
		`"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},` +
		`"verified":{"type":"boolean","default":true}}}`
	askEnums = `{"type":"object","properties":{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},` +
		`"titledSingle":{"type":"string","oneOf":` + titled + `},"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["One","Two","Three"]},` +
		`"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},` +
		`"titledMulti":{"type":"array","items":{"anyOf":` + titled + `}}}}`
	titled = `[{"const":"value1","title":"One"},{"const":"value2","title":"Two"},{"const":"value3","title":"Three"}]`
)

// reconnection ends the stream before it answers: the client has to resume it.
func reconnection(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	r.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: pause})
	time.Sleep(5 * pause)
	return &mcp.CallToolResult{Content: []mcp.Content{text("answered after the stream ended")}}, nil
}

func missingCapability(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	//nolint:staticcheck // the suite tests with sampling, which is deprecated
	if c := r.ClientCapabilities(); c != nil && c.Sampling != nil {
		return &mcp.CallToolResult{Content: []mcp.Content{text("the client has it")}}, nil
	}
	return nil, &jsonrpc.Error{
		Code: mcp.CodeMissingRequiredClientCapabilities, Message: "the client lacks sampling", Data: json.RawMessage(`{"requiredCapabilities":{"sampling":{}}}`),
	}
}

// changes are the tools that change the lists, of which subscribed clients are notified.
func changes(server *mcp.Server) []fixture {
	return []fixture{
		{name: "test_trigger_tool_change", call: func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			server.AddTool(&mcp.Tool{Name: "transient", Description: "for the suite", InputSchema: json.RawMessage(noArguments)}, answer(text("")))
			return &mcp.CallToolResult{Content: []mcp.Content{text("changed")}}, nil
		}},
		{name: "test_trigger_prompt_change", call: func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			server.AddPrompt(&mcp.Prompt{Description: "for the suite", Name: "transient"}, prompt(text("")))
			return &mcp.CallToolResult{Content: []mcp.Content{text("changed")}}, nil
		}},
	}
}

func addResources(server *mcp.Server) {
	read := func(contents mcp.ResourceContents) mcp.ResourceHandler {
		return func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			contents.URI = r.Params.URI
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{&contents}}, nil
		}
	}
	plain := mcp.ResourceContents{MIMEType: "text/plain", Text: "This is the content of the static text resource."}
	server.AddResource(&mcp.Resource{URI: "test://static-text", Name: "text", MIMEType: "text/plain"}, read(plain))
	server.AddResource(&mcp.Resource{URI: "test://watched-resource", Name: "watched", MIMEType: "text/plain"}, read(plain))
	binary := mcp.ResourceContents{MIMEType: "image/png", Blob: []byte("image")}
	server.AddResource(&mcp.Resource{URI: "test://static-binary", Name: "binary", MIMEType: "image/png"}, read(binary))
	server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", MIMEType: "application/json"},
		func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			data := fmt.Sprintf(`{"uri":%q}`, r.Params.URI)
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: "application/json", Text: data}}}, nil
		})
}

// prompt returns a handler that answers with messages of the user.
func prompt(contents ...mcp.Content) mcp.PromptHandler {
	return func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		out := &mcp.GetPromptResult{}
		for _, c := range contents {
			out.Messages = append(out.Messages, &mcp.PromptMessage{Role: "user", Content: c})
		}
		return out, nil
	}
}

func addPrompts(server *mcp.Server) {
	arguments := func(names ...string) []*mcp.PromptArgument {
		var out []*mcp.PromptArgument
		for _, n := range names {
			out = append(out, &mcp.PromptArgument{Name: n, Required: true})
		}
		return out
	}
	server.AddPrompt(&mcp.Prompt{Description: "for the suite", Name: "test_simple_prompt"}, prompt(text("This is a simple prompt for testing.")))
	server.AddPrompt(&mcp.Prompt{Description: "for the suite", Name: "test_prompt_with_image"}, prompt(image(), text("Describe it.")))
	server.AddPrompt(&mcp.Prompt{Description: "for the suite", Name: "test_prompt_with_arguments", Arguments: arguments("arg1", "arg2")},
		func(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return prompt(text("arg1 is '%s', arg2 is '%s'", r.Params.Arguments["arg1"], r.Params.Arguments["arg2"]))(ctx, r)
		})
	server.AddPrompt(&mcp.Prompt{Description: "for the suite", Name: "test_prompt_with_embedded_resource", Arguments: arguments("resourceUri")},
		func(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return prompt(embedded(r.Params.Arguments["resourceUri"]), text("Read it."))(ctx, r)
		})
}
