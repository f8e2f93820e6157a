package setup

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/hippo-memory/hippo/internal/agents/setup/splice"
)

// codexTrusts reports whether the user has trusted every hook of ours in a file of Codex. Codex keeps the hash of each
// hook that its user approved in hooks.state of config.toml, under FILE:EVENT:GROUP:HOOK. Setup does not write it: the
// approval is the user's, and Codex offers programs no way to ask for it. The hash is not compared, since its form is
// not documented; after a change of the hooks Codex asks again by itself.
func (d *Doctor) codexTrusts(path string, text []byte, events []event) bool {
	settings, err := os.ReadFile(d.Host.expand("{codex}/config.toml"))
	if err != nil {
		return false
	}
	var state map[string]struct {
		Hash string `json:"trusted_hash"`
	}
	_ = json.Unmarshal(splice.TOMLValue(settings, []string{"hooks", "state"}), &state) // none: nothing is trusted
	paths := []string{path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		paths = append(paths, real) // Codex follows links in CODEX_HOME
	}
	for _, ev := range events {
		for _, place := range hookPlaces(text, ev.name) {
			trusted := false
			for _, p := range paths {
				trusted = trusted || state[p+":"+snakeCase(ev.name)+":"+place].Hash != ""
			}
			if !trusted {
				return false
			}
		}
	}
	return true
}

// hookPlaces returns GROUP:HOOK of our hooks for an event, counted from 0.
func hookPlaces(text []byte, event string) []string {
	var groups []struct {
		Hooks []struct {
			Command string `json:"command"`
		} `json:"hooks"`
	}
	_ = json.Unmarshal(splice.Value(text, []string{"hooks", event}), &groups) // another form has none of ours
	var out []string
	for g := range groups {
		for h := range groups[g].Hooks {
			if isHookCommand(groups[g].Hooks[h].Command) {
				out = append(out, fmt.Sprintf("%d:%d", g, h))
			}
		}
	}
	return out
}

// snakeCase returns session_start of SessionStart.
func snakeCase(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
