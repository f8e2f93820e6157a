package setup

import (
	_ "embed"
	"encoding/json"
	"strings"
)

//go:embed guidance.md
var guidanceText string

// Guidance returns the instructions for a model, in Markdown: when to search, when to record
// and how to vote. It ends in a line break.
func Guidance() string { return guidanceText }

// block returns the text without its last line break, for a block between markers.
func block(text string) string { return strings.TrimRight(text, "\n") }

// amazonQAgent returns the definition of an agent of Amazon Q, which has no file for the rules of all projects. Its resources are
// those of the agent that Amazon Q has itself.
func amazonQAgent(text string) string {
	b, err := json.MarshalIndent(struct {
		Name         string   `json:"name"`
		Description  string   `json:"description"`
		Prompt       string   `json:"prompt"`
		Tools        []string `json:"tools"`
		AllowedTools []string `json:"allowedTools"`
		Resources    []string `json:"resources"`
		Servers      bool     `json:"useLegacyMcpJson"`
	}{
		Name: ServerName, Description: "Works with the memory of Hippo", Prompt: text, Tools: []string{"*"},
		AllowedTools: []string{"fs_read", "@" + ServerName + "/hippo_search_insights", "@" + ServerName + "/hippo_context"},
		Resources:    []string{"file://AmazonQ.md", "file://AGENTS.md", "file://README.md", "file://.amazonq/rules/**/*.md"},
		Servers:      true,
	}, "", "  ")
	if err != nil {
		panic(err) // of texts
	}
	return string(b) + "\n"
}
