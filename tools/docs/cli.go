package main

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/doors/cli"
)

// run runs the program in this process and returns what it prints on both streams.
func run(ctx context.Context, args ...string) (out string, exit int) {
	var b bytes.Buffer
	exit = cli.Main(ctx, append([]string{"hippo"}, args...), strings.NewReader(""), &b, &b)
	return b.String(), exit
}

// help is the parts of the help text of one command.
type help struct {
	name                   string
	about, usage, examples string
	commands               [][2]string // name and purpose
	flags                  []flag
}

// flag is a line of the flags of a help text.
type flag struct {
	name, kind, fallback, meaning string
}

// readHelp returns the help of a command; no words stand for the program.
func readHelp(ctx context.Context, words ...string) (*help, error) {
	text, exit := run(ctx, append(words, "--help")...)
	if exit != 0 {
		return nil, fmt.Errorf("hippo %s --help: exit code %d: %s", strings.Join(words, " "), exit, text)
	}
	h := &help{name: strings.Join(append([]string{"hippo"}, words...), " ")}
	about, rest, _ := strings.Cut(text, "\n\nUsage:\n")
	h.about = about
	for i, part := range strings.Split(rest, "\n\n") {
		head, body, _ := strings.Cut(part, "\n")
		switch {
		case i == 0:
			h.usage = part
		case head == "Examples:":
			h.examples = body
		case strings.HasPrefix(head, "Commands"):
			h.commands = append(h.commands, readCommands(body)...)
		case head == "Flags:":
			h.flags = readFlags(unwrapped(body))
		}
	}
	slices.SortFunc(h.commands, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return h, nil
}

// readCommands returns the commands of a help text, each with its purpose. A name stands two spaces from the margin, and what is
// wrapped further from it, by how much depends on the longest name.
func readCommands(text string) (out [][2]string) {
	joined := regexp.MustCompile(`\n {3,}(\S)`).ReplaceAllString(strings.TrimRight(text, "\n"), " $1")
	for line := range strings.SplitSeq(joined, "\n") {
		name, purpose, _ := strings.Cut(strings.TrimSpace(line), " ")
		out = append(out, [2]string{name, strings.TrimSpace(purpose)})
	}
	return out
}

// unwrapped joins the lines of a table of a help text that were wrapped. After a flag that fills its column there is
// nothing else in its line.
func unwrapped(text string) string {
	text = regexp.MustCompile(`(?m)^( +(?:-\w, )?--[\w-]+ \S+)\n {10,}(\S)`).ReplaceAllString(text, "$1  $2")
	return regexp.MustCompile(`\n {10,}(\S)`).ReplaceAllString(strings.TrimRight(text, "\n"), " $1")
}

// readFlags returns the flags of a help text, without --help.
func readFlags(text string) []flag {
	line := regexp.MustCompile(`^ +((?:-\w, )?--[\w-]+) ?(\S*) {2,}(.*?)(?: \(default (.*)\))?$`)
	var out []flag
	for l := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		if m := line.FindStringSubmatch(l); m != nil && !strings.HasSuffix(m[1], "--help") {
			out = append(out, flag{name: m[1], kind: m[2], meaning: m[3], fallback: m[4]})
		}
	}
	return out
}

// cliDocument returns docs/cli.md.
func cliDocument(ctx context.Context) ([]byte, error) {
	root, err := readHelp(ctx)
	if err != nil {
		return nil, err
	}
	topic, exit := run(ctx, "help", "flags")
	_, global, _ := strings.Cut(topic, "\n\nFlags:\n")
	if exit != 0 {
		return nil, fmt.Errorf("hippo help flags: exit code %d: %s", exit, topic)
	}
	var b bytes.Buffer
	b.WriteString(notice + "# Command line\n\nResults go to stdout, everything else to stderr. " +
		"[reference.md](reference.md) has exit codes, settings, projects and the JSON of `--json`.\n\n")
	list, all := newTable("command", "what it does"), []*help{}
	for _, c := range root.commands {
		if c[0] == "help" {
			continue
		}
		h, err := readHelp(ctx, c[0])
		if err != nil {
			return nil, err
		}
		all = append(all, h)
		list.row(fmt.Sprintf("[`hippo %s`](#hippo-%s)", c[0], c[0]), c[1])
		if c[0] == "completion" { // its commands are those of the library
			continue
		}
		for _, sub := range h.commands {
			h, err := readHelp(ctx, c[0], sub[0])
			if err != nil {
				return nil, err
			}
			all = append(all, h)
			list.row(fmt.Sprintf("[`hippo %s %s`](#hippo-%s-%s)", c[0], sub[0], c[0], sub[0]), sub[1])
		}
	}
	fmt.Fprintf(&b, "%s\n## Flags of all commands\n\n%s", list, flagTable(readFlags(unwrapped(global))))
	for _, h := range all {
		h.write(&b)
	}
	return b.Bytes(), nil
}

// write writes the section of a command.
func (h *help) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n```\n%s\n```\n", h.name, strings.TrimRight(h.about, "\n"), dedent(h.usage))
	if h.examples != "" {
		fmt.Fprintf(b, "\n```sh\n%s\n```\n", dedent(h.examples))
	}
	if len(h.flags) > 0 {
		fmt.Fprintf(b, "\n%s", flagTable(h.flags))
	}
}

// dedent removes the two spaces before the lines of a part of a help text.
func dedent(text string) string {
	return strings.TrimPrefix(strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n  ", "\n"), "  ")
}

func flagTable(flags []flag) string {
	t := newTable("flag", "value", "default", "meaning")
	for _, f := range flags {
		t.row(code(f.name), kindName(f.kind), code(strings.Trim(f.fallback, `"`)), f.meaning)
	}
	return t.String()
}

// kindName returns what a help text calls the type of a flag, for people.
func kindName(kind string) string {
	switch kind {
	case "":
		return ""
	case "TEXT":
		return "text"
	case "PATH":
		return "path"
	case "TEXT...":
		return "text, repeatable"
	case "TEXT,...":
		return "texts, separated by commas"
	case "N":
		return "whole number"
	case "X":
		return "number"
	default:
		return kind
	}
}
