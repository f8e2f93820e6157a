package claudehippo

import (
	"context"
	"errors"
	"fmt"

	"github.com/hippo-memory/hippo"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/verb"
)

// memoryTool returns the memory tool of Anthropic, memory_20250818: files below /memories, each of them a memory. Its
// results and errors have the texts that are documented for it.
func memoryTool() d.Tool {
	text := func(name, about string) verb.Arg { return verb.Arg{Name: name, About: about, To: verb.New[string]} }
	return d.Tool{
		Name: "memory", Description: "Files below /memories that stay between sessions. View /memories first.", Destructive: true, Call: callMemory,
		Params: verb.Table{
			{Name: "command", Values: []string{"view", "create", "str_replace", "insert", "delete", "rename"}, Is: verb.Required, To: verb.New[string]},
			text("path", "such as /memories/notes.md"),
			{Name: "view_range", About: "first and last line; -1 is the last one", To: verb.New[[]int]},
			{Name: "file_text", Field: "content", To: verb.New[string]},
			text("old_str", ""),
			{Name: "new_str", Field: "content", To: verb.New[string]},
			{Name: "insert_line", About: "the line after which to insert; 0 is the beginning", To: verb.New[int]},
			{Name: "insert_text", Field: "content", To: verb.New[string]},
			text("old_path", ""), text("new_path", ""),
			d.TagsArg(),
		},
	}
}

// refusal is an error of the memory tool whose text is documented: it is shown unchanged.
type refusal string

// Error implements error.
func (r refusal) Error() string { return string(r) }

func refusef(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

func callMemory(ctx context.Context, c *d.Call) (d.Result, error) {
	command := callView
	switch c.Text("command") {
	case "create":
		command = callCreate
	case "str_replace":
		command = callReplace
	case "insert":
		command = callInsert
	case "delete":
		command = callFileDelete
	case "rename":
		command = callRename
	}
	text, err := command(ctx, c)
	if refused, ok := errors.AsType[refusal](err); ok {
		return d.Result{Text: string(refused), Failed: true}, nil
	}
	return d.Result{Text: text, Count: 1}, err
}

func callView(ctx context.Context, c *d.Call) (string, error) {
	path, files, err := opened(ctx, c, "path")
	if err != nil {
		return "", err
	}
	if f := files.at(path); f != nil {
		return f.view(verb.Of[[]int](c.Input, "view_range", nil))
	}
	if files.isDirectory(path) {
		return files.view(path), nil
	}
	return "", refusef("The path %s does not exist. Please provide a valid path.", path)
}

// opened returns the path of an argument, and the files there and at other paths.
func opened(ctx context.Context, c *d.Call, name string, others ...string) (string, directory, error) {
	if err := c.Require("command "+c.Text("command"), name); err != nil {
		return "", nil, err
	}
	path, err := pathOf(name, c.Text(name))
	if err != nil {
		return "", nil, err
	}
	files, err := readFiles(ctx, c, append(others, path)...)
	return path, files, err
}

// supplied refuses a command without one of its arguments. A text in a file may be blank.
func supplied(c *d.Call, names ...string) error {
	for _, name := range names {
		if !c.Has(name) {
			return verb.Misshapen(name, "is required for command %s", c.Text("command"))
		}
	}
	return nil
}

func callCreate(ctx context.Context, c *d.Call) (string, error) {
	if err := supplied(c, "path", "file_text"); err != nil {
		return "", err
	}
	path, files, err := opened(ctx, c, "path")
	if err != nil {
		return "", err
	}
	if files.has(path) {
		return "", refusef("Error: File %s already exists", path)
	}
	if err := files.parents(path); err != nil {
		return "", err
	}
	if err := create(ctx, c, path, c.Text("file_text")); err != nil {
		return "", err
	}
	return "File created successfully at: " + path, nil
}

func callReplace(ctx context.Context, c *d.Call) (text string, err error) {
	if err := supplied(c, "path", "old_str"); err != nil {
		return "", err
	}
	if c.Text("old_str") == "" {
		return "", hippo.Fieldf("old_str", "must not be empty: the text to replace")
	}
	err = edit(ctx, c, func(f *file) (string, error) {
		if f == nil {
			return "", refusef("Error: The path %s does not exist. Please provide a valid path.", c.Text("path"))
		}
		changed, first, last, err := f.replace(c.Text("old_str"), c.Text("new_str"))
		text = "The memory file has been edited.\n" + snippet(changed, first, last)
		return changed, err
	})
	return text, err
}

func callInsert(ctx context.Context, c *d.Call) (string, error) {
	if err := supplied(c, "path", "insert_line", "insert_text"); err != nil {
		return "", err
	}
	path := ""
	err := edit(ctx, c, func(f *file) (string, error) {
		if f == nil {
			return "", refusef("Error: The path %s does not exist", c.Text("path"))
		}
		path = f.path
		return f.insert(c.Int("insert_line", 0), c.Text("insert_text"))
	})
	return "The file " + path + " has been edited.", err
}

func callFileDelete(ctx context.Context, c *d.Call) (string, error) {
	path, files, err := opened(ctx, c, "path")
	if err != nil {
		return "", err
	}
	if path == root {
		return "", refusef("Error: The path %s is the memory directory itself, which cannot be deleted", path)
	}
	ids := files.below(path)
	if len(ids) == 0 {
		return "", refusef("Error: The path %s does not exist", path)
	}
	if err := remove(ctx, c, ids); err != nil {
		return "", err
	}
	return "Successfully deleted " + path, nil
}

func callRename(ctx context.Context, c *d.Call) (text string, err error) {
	if err := c.Require("command "+c.Text("command"), "old_path", "new_path"); err != nil {
		return "", err
	}
	for range attempts {
		if text, err = rename(ctx, c); !errors.Is(err, engine.ErrVersion) {
			break
		}
	}
	return text, err
}

func rename(ctx context.Context, c *d.Call) (string, error) {
	to, err := pathOf("new_path", c.Text("new_path"))
	if err != nil {
		return "", err
	}
	from, files, err := opened(ctx, c, "old_path", to)
	switch {
	case err != nil:
		return "", err
	case from == root:
		return "", refusef("Error: The path %s is the memory directory itself, which cannot be renamed", from)
	case !files.has(from):
		return "", refusef("Error: The path %s does not exist", from)
	case files.has(to):
		return "", refusef("Error: The destination %s already exists", to)
	case isBelow(to, from):
		return "", refusef("Error: The destination %s is inside of %s", to, from)
	}
	if err := files.parents(to); err != nil {
		return "", err
	}
	if err := move(ctx, c, files, from, to); err != nil {
		return "", err
	}
	return "Successfully renamed " + from + " to " + to, nil
}
