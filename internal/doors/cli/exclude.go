package cli

import (
	"context"
	"path/filepath"

	"github.com/hippo-memory/hippo/internal/agents/setup"
)

// excludedText says on a line what is turned off in a folder; empty for nothing.
func excludedText(capture, injection string) string {
	switch {
	case capture != "" && capture == injection:
		return "capture and injection are off here: " + capture
	case capture != "" && injection != "":
		return "capture is off here: " + capture + "; injection is off here: " + injection
	case capture != "":
		return "capture is off here: " + capture
	case injection != "":
		return "injection is off here: " + injection
	default:
		return ""
	}
}

// checkSettings is what the doctor says of the settings: why they cannot be read, what has no effect, and what they turn off in
// the current folder.
func checkSettings(ctx context.Context, s *shell) (checks []setup.Check) {
	cfg, err := s.config()
	for _, text := range cfg.Notices {
		checks = append(checks, setup.Check{Name: "settings", State: setup.Warning, Text: text, Fix: "correct the name, or remove it"})
	}
	if err != nil {
		return append(checks, setup.Check{Name: "settings", State: setup.Failure, Text: err.Error(), Fix: "correct the setting; until then hooks do nothing"})
	}
	capture, injection := beside(s, cfg).Excluded(ctx, ".")
	text := excludedText(capture, injection)
	if text == "" {
		return checks
	}
	full, err := filepath.Abs(".")
	if err != nil {
		full = "."
	}
	return append(checks, setup.Check{Name: "exclude", State: setup.Hint, Text: full + ": " + text})
}
