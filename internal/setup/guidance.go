package setup

import (
	_ "embed"
	"strings"
)

//go:embed guidance.md
var guidanceText string

// Guidance returns the instructions for a model, in Markdown: when to search, when to record
// and how to vote. It ends in a line break.
func Guidance() string { return guidanceText }

// block returns the text without its last line break, for a block between markers.
func block(text string) string { return strings.TrimRight(text, "\n") }
