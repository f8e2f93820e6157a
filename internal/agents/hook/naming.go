package hook

import (
	"slices"
	"strings"
	"unicode"
)

const (
	// maxNames is how many names of a failure a memory is compared with.
	maxNames = 48
	// minProgram is the length from which on the name of a program is worth comparing.
	minProgram = 3
	// minPhrase is the length of the words of a phrase, minPort the number of digits of a port.
	minPhrase, minPort = 4, 3
)

// namesOf returns what names a failure, in lower case: hosts, ports, paths, identifiers and codes of the message, pairs of its
// words such as "connection refused", and the program of the command. Loopback addresses name nothing.
func namesOf(failure, command string) []string {
	var out []string
	add := func(name string) {
		if name = strings.ToLower(name); name != "" && len(out) < maxNames && !slices.Contains(out, name) && !slices.Contains(common(), name) {
			out = append(out, name)
		}
	}
	before := ""
	for word := range strings.FieldsSeq(failure) {
		ends := strings.TrimRight(word, ".,;:!?)]}\"'`") != word
		word = strings.Trim(word, ".,;:!?()[]{}\"'`<>")
		for _, part := range namedParts(word) {
			add(part)
		}
		if plain := len(word) >= minPhrase && !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '\'' }); !plain {
			word = ""
		}
		if before != "" && word != "" {
			add(before + " " + word)
		}
		if before = word; ends {
			before = ""
		}
	}
	for _, program := range programsOf(command) {
		add(program)
	}
	return out
}

// common are names that say nothing of a failure, and phrases of every second one.
func common() []string {
	return []string{
		"127.0.0.1", "localhost", "0.0.0.0", "::1", "exit code", "exit status", "command failed", "error exit", "such file", "fatal error", "error code", "returned error", "with exit",
		"bash", "sudo", "cat", "grep", "find", "echo", "sed", "awk", "head", "tail", "env", "export", "source", "timeout", "time", "for", "then", "test", "xargs", "make", "sleep", "mkdir",
	}
}

// namedParts returns a word that can only be a name, and the parts of an address.
func namedParts(word string) []string {
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	var out []string
	if host, port, ok := strings.Cut(word, ":"); ok && digits(strings.TrimRight(port, ":")) && !strings.Contains(host, "/") {
		if port = strings.TrimRight(port, ":"); len(port) >= minPort {
			out = append(out, port)
		}
		word = host
	}
	switch inside := strings.Trim(word, "-_./"); {
	case digits(word) && len(word) >= minPort, strings.ContainsAny(inside, "._/:@") && strings.ContainsFunc(inside, alphanumeric), isCode(inside), camel(inside):
		out = append(out, word)
		if i := strings.LastIndexByte(inside, '/'); i >= 0 && len(inside)-i > minPort {
			out = append(out, inside[i+1:])
		}
	}
	return out
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isCode reports whether a word is a code like E404, EADDRINUSE or TS2345: capitals and digits.
func isCode(word string) bool {
	capitals := 0
	for _, r := range word {
		switch {
		case unicode.IsUpper(r):
			capitals++
		case !unicode.IsDigit(r) && r != '_' && r != '-':
			return false
		}
	}
	return capitals > 0 && len(word) >= minPhrase && word != "ERROR" && word != "FATAL" && word != "FAIL"
}

// camel reports whether a capital follows a lower-case letter.
func camel(word string) bool {
	lower := false
	for _, r := range word {
		if lower && unicode.IsUpper(r) {
			return true
		}
		lower = unicode.IsLower(r)
	}
	return false
}

// programsOf returns the programs that a command runs, without their folders.
func programsOf(command string) []string {
	var out []string
	first := true
	for word := range strings.FieldsSeq(command) {
		switch {
		case strings.Trim(word, "&|;") == "":
			first = true
			continue
		case word == "sudo", word == "env", strings.Contains(word, "="), !first:
		default:
			name := strings.Trim(word[strings.LastIndexByte(word, '/')+1:], "\"'`();&|")
			if first = false; len(name) >= minProgram {
				out = append(out, name)
			}
		}
		if strings.HasSuffix(word, ";") {
			first = true
		}
	}
	return out
}
