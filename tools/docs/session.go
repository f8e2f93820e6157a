package main

import (
	"context"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/config"
)

// sessionCommands are the commands of the picture. $1 stands for the ID that the first
// record printed, $2 for that of the second.
func sessionCommands() [][]string {
	return [][]string{
		{"record", "Retries without jitter took the gateway down", "--situation", "debugging outages"},
		{"record", "Deploys go out on Tuesday mornings", "--situation", "release planning"},
		{"search", "why", "did", "the", "gateway", "crash"},
		{"upvote", "$1"},
		{"record", "Deploys go out on Wednesday mornings", "--supersedes", "$2"},
		{"search", "when", "do", "we", "deploy", "--count", "1"},
	}
}

// explanationCommands are the commands of the example in docs/ranking.md, of which the output
// of the last is shown.
func explanationCommands() [][]string {
	return [][]string{
		{"record", "Retries without jitter took the gateway down", "--situation", "debugging outages", "--importance", "0.8"},
		{"record", "Under load, requests fail in the gateway after thirty seconds", "--situation", "debugging outages"},
		{"record", "Deploys go out on Tuesday mornings", "--situation", "release planning"},
		{"search", "why", "did", "the", "gateway", "go", "down", "--explain", "--count", "1"},
	}
}

// explanationExample returns the output of the last of [explanationCommands].
func explanationExample(ctx context.Context) (string, error) {
	text, err := transcript(ctx, explanationCommands())
	if err != nil {
		return "", err
	}
	return "```\n" + strings.TrimSpace(text[strings.LastIndex(text, "$ hippo"):]) + "\n```", nil
}

// transcript runs commands in a home of their own and returns what a terminal shows.
func transcript(ctx context.Context, commands [][]string) (string, error) {
	home, err := os.MkdirTemp("", "hippo-docs-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(home) //nolint:errcheck // a temporary folder that stays harms nobody
	if err := settle(home); err != nil {
		return "", err
	}
	n := newNormaliser()
	var text strings.Builder
	var recorded []string
	for _, words := range commands {
		args := make([]string, len(words))
		for i, w := range words {
			if number, ok := strings.CutPrefix(w, "$"); ok {
				k, err := strconv.Atoi(number)
				if err != nil {
					return "", err
				}
				w = recorded[k-1]
			}
			args[i] = w
		}
		out, exit := run(ctx, args...)
		if exit != 0 {
			return "", fmt.Errorf("hippo %q: exit code %d: %s", args, exit, out)
		}
		if m := regexp.MustCompile(`Recorded memory (\w+)`).FindStringSubmatch(out); m != nil {
			recorded = append(recorded, m[1])
		}
		fmt.Fprintf(&text, "$ hippo%s\n%s\n\n", quoted(args, n), strings.TrimRight(n.text(out), "\n"))
	}
	return text.String(), nil
}

// settle makes a directory the home and the current directory of this process, without
// settings from the environment.
func settle(home string) error {
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "HIPPO_") {
			if err := os.Unsetenv(name); err != nil {
				return err
			}
		}
	}
	for name, value := range map[string]string{
		"HOME": home, "USERPROFILE": home, "LOCALAPPDATA": filepath.Join(home, "AppData"), "GIT_CEILING_DIRECTORIES": filepath.Dir(home),
		"XDG_DATA_HOME": filepath.Join(home, "data"), "XDG_CONFIG_HOME": filepath.Join(home, "config"), "TZ": "UTC",
		"HIPPO_MODEL": config.Static, // what the others have embedded by now depends on the machine
	} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return os.Chdir(home)
}

// quoted returns arguments as a person types them: a text in quotes.
func quoted(args []string, n *normaliser) string {
	var b strings.Builder
	for _, a := range args {
		switch {
		case n.ids.MatchString(a):
			a = n.text(a)
		case strings.Contains(a, " "):
			a = strconv.Quote(a)
		}
		b.WriteString(" " + a)
	}
	return b.String()
}

// Measures of the picture, in pixels.
const (
	fontSize   = 13
	charWidth  = fontSize * 0.62 // of common monospaced fonts, and some to spare
	lineHeight = 19
	margin     = 18
	titleBar   = 34
)

// Colours of the picture. It has a background of its own, so it suits light and dark pages.
const (
	background = "#1b1f27"
	frame      = "#2b313c"
	plainText  = "#c9d1d9"
	dimText    = "#8b949e"
	command    = "#ffffff"
	prompt     = "#56d364"
	number     = "#e3b341"
)

// sessionPicture returns docs/session.svg.
func sessionPicture(ctx context.Context) ([]byte, error) {
	text, err := transcript(ctx, sessionCommands())
	if err != nil {
		return nil, err
	}
	return []byte(picture(text)), nil
}

// picture draws a session as the window of a terminal.
func picture(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	columns := 0
	for _, l := range lines {
		columns = max(columns, utf8.RuneCountInString(l))
	}
	width := int(float64(columns)*charWidth) + 2*margin
	height := titleBar + len(lines)*lineHeight + margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="A terminal session with hippo">
<rect x=".5" y=".5" width="%d" height="%d" rx="8" fill="%s" stroke="%s"/>
<circle cx="20" cy="18" r="6" fill="#ff5f57"/><circle cx="40" cy="18" r="6" fill="#febc2e"/><circle cx="60" cy="18" r="6" fill="#28c840"/>
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace" font-size="%d" xml:space="preserve">
`, width, height, width, height, width-1, height-1, background, frame, fontSize)
	for i, l := range lines {
		if l == "" {
			continue
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" xml:space="preserve">%s</text>`+"\n", margin, titleBar+i*lineHeight+fontSize, spans(l))
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// spans returns a line of the terminal with its colours.
func spans(line string) string {
	if typed, ok := strings.CutPrefix(line, "$ "); ok {
		return span(prompt, "$ ") + span(command, typed)
	}
	first, rest, found := strings.Cut(line, "  ")
	if _, err := strconv.ParseFloat(first, 64); err == nil && found {
		return span(number, first) + span(plainText, "  "+rest)
	}
	return span(dimText, line)
}

func span(colour, text string) string {
	return fmt.Sprintf(`<tspan fill="%s">%s</tspan>`, colour, html.EscapeString(text))
}
