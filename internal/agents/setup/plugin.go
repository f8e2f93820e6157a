package setup

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// PluginFile is a file of a plugin.
type PluginFile struct {
	Path string // relative, with slashes
	Text string
}

// plugin is what the manifests of plugins and extensions share.
type plugin struct {
	Name        string          `json:"name"`
	Version     string          `json:"version"`
	Description string          `json:"description"`
	Author      *pluginAuthor   `json:"author,omitempty"`
	Servers     json.RawMessage `json:"mcpServers,omitempty"`
	Context     string          `json:"contextFileName,omitempty"`
}

type pluginAuthor struct {
	Name string `json:"name"`
}

const pluginDescription = "A memory that learns what is worth remembering: recalls and records across sessions, offline."

// PluginFiles returns a marketplace with a plugin of Claude Code, and an extension of Gemini
// CLI. They call hippo by its name, because they are for other machines, and use the store of
// the settings of each.
func PluginFiles(version string) ([]PluginFile, error) {
	claude, extension := claudeCode(), gemini()
	b := &pluginBuilder{}
	const root = "claude-code/"
	b.json(root+".claude-plugin/marketplace.json", map[string]any{
		"name": "hippo-memory", "description": pluginDescription, "owner": pluginAuthor{"Hippo"},
		"plugins": []map[string]string{{"name": ServerName, "source": "./plugins/hippo", "description": pluginDescription}},
	})
	const dir = root + "plugins/hippo/"
	b.json(dir+".claude-plugin/plugin.json", plugin{Name: ServerName, Version: version, Description: pluginDescription, Author: &pluginAuthor{"Hippo"}})
	server := stdioEntry{Command: "hippo", Args: []string{"serve"}}
	b.json(dir+".mcp.json", map[string]any{"mcpServers": map[string]any{ServerName: server}})
	b.json(dir+"hooks/hooks.json", map[string]any{"hooks": claude.pluginHooks()})
	b.add(dir+"skills/memory/SKILL.md", "---\nname: memory\ndescription: When to search the memory, when to record and how to vote. Use it at the start of a task, after a decision or a solved error, and when the user refers to earlier work.\n---\n\n"+Guidance())
	const other = "gemini/hippo/"
	servers, err := json.Marshal(map[string]any{ServerName: server})
	if err != nil {
		return nil, err
	}
	b.json(other+"gemini-extension.json", plugin{Name: ServerName, Version: version, Description: pluginDescription, Servers: servers, Context: "GEMINI.md"})
	b.json(other+"hooks/hooks.json", map[string]any{"hooks": extension.pluginHooks()})
	b.add(other+"GEMINI.md", Guidance())
	return b.files, b.err
}

// pluginHooks returns the hooks of a client by event, as plugins list them.
func (c *Client) pluginHooks() map[string][]any {
	out := make(map[string][]any)
	for _, e := range c.hooks.events {
		out[e.name] = append(out[e.name], c.hooks.entry(e, strings.Join([]string{"hippo", "hook", e.command, "--client", c.Name}, " ")))
	}
	return out
}

// pluginBuilder collects files, and keeps the first error.
type pluginBuilder struct {
	files []PluginFile
	err   error
}

func (b *pluginBuilder) add(path, text string) {
	b.files = append(b.files, PluginFile{path, text})
}

func (b *pluginBuilder) json(path string, v any) {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil && b.err == nil {
		b.err = fmt.Errorf("%s: %w", path, err)
	}
	b.add(path, string(text)+"\n")
}

// WritePlugins writes the plugins below a folder, over those of another version. It returns
// the paths of the files.
func WritePlugins(dir, version string) ([]string, error) {
	files, err := PluginFiles(version)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		old, err := readFile(path, otherOwner)
		if err != nil {
			return out, err
		}
		if !old.Exists {
			old.Mode = 0o644 // to be published
		}
		if err := replaceFile(&old, []byte(f.Text)); err != nil {
			return out, err
		}
		out = append(out, path)
	}
	return out, nil
}
