package termtext

import (
	"runtime"
	"strings"
)

// plainLetters need no quotes in a shell.
const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@+%=,"

// Argument writes a text as one argument of a command line that somebody is to copy into a shell of this machine.
func Argument(text string) string { return ArgumentOn(runtime.GOOS, text) }

// ArgumentOn is [Argument] for a system, by its name in Go.
func ArgumentOn(system, text string) string {
	letters := plainLetters
	if system == "windows" {
		letters += `\`
	}
	switch text = Line(text); {
	case text != "" && strings.Trim(text, letters) == "":
		return text
	case system == "windows":
		return `"` + text + `"`
	default:
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
}
