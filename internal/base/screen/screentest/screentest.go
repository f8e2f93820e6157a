// Package screentest makes texts for tests of what screens memories: secrets, texts that look like secrets, and
// injections. Secrets are made at run time, so that no file has one. Each set has a half on which the rules were tuned, and one
// that was kept back; the halves share no context.
package screentest

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

// Case is a text with what it holds.
type Case struct {
	Text string
	// Hidden is the secret in the text, which must not be shown; empty for none.
	Hidden string
	// Held says that the rules were not tuned on the case.
	Held bool
}

// generator makes random values from patterns.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator { return generator{rand.New(rand.NewPCG(seed, 12))} }

// part is a class of characters and their number: %A36.
var part = regexp.MustCompile(`%([A-Za-z])(\d+)`)

// value returns a text of a pattern: %A letters and digits, %h hexadecimal, %U upper case and digits, %d digits, %l lower
// case, %L letters, %W letters, digits, _ and -, %B base64, %P a password,
// %D digits in base64.
func (g generator) value(pattern string) string {
	return part.ReplaceAllStringFunc(pattern, func(p string) string {
		n, err := strconv.Atoi(p[2:])
		if err != nil {
			panic(err)
		}
		switch p[1] {
		case 'P':
			return g.password(n)
		case 'D':
			return base64.StdEncoding.EncodeToString([]byte(g.characters('d', n)))
		}
		return g.characters(p[1], n)
	})
}

func (g generator) characters(class byte, n int) string {
	const lower, upper, digits = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
	set := map[byte]string{
		'A': lower + upper + digits, 'h': digits + "abcdef", 'U': upper + "234567", 'd': "123456789", 'l': lower, 'L': lower + upper,
		'W': lower + upper + digits + "_-", 'B': lower + upper + digits + "+/",
	}[class]
	b := make([]byte, n)
	for i := range b {
		b[i] = set[g.IntN(len(set))]
	}
	if class == 'W' || class == 'B' {
		b[0], b[n-1] = lower[g.IntN(26)], upper[g.IntN(26)]
	}
	return string(b)
}

// password returns a password of kind n as people make them.
func (g generator) password(n int) string {
	words := []string{"otter", "Granite", "lantern", "Quartz", "meadow", "Falcon", "copper", "Willow", "harbor", "Zephyr", "maple", "Comet"}
	w := func() string { return words[g.IntN(len(words))] }
	switch n {
	case 0:
		return fmt.Sprintf("%s%d!", w(), 10+g.IntN(9989))
	case 1:
		return g.characters('A', 11) + "7q"
	case 2:
		return fmt.Sprintf("%s-%s-%d", w(), w(), 10+g.IntN(90))
	case 3:
		return strings.NewReplacer("a", "4", "e", "3", "o", "0").Replace(w()) + "#" + g.characters('d', 3)
	default:
		return g.characters('L', 5) + "$" + g.characters('d', 2) + g.characters('l', 4)
	}
}

// fill puts a value in the place of @ in a context; @64 is its base64.
func fill(context, value string) string {
	context = strings.ReplaceAll(context, "@64", base64.StdEncoding.EncodeToString([]byte(value)))
	return strings.ReplaceAll(context, "@@", value)
}

// armor returns a block of a private key.
func (g generator) armor(kind string) string {
	var b strings.Builder
	b.WriteString("-----BEGIN " + kind + "PRIVATE " + "KEY-----\n")
	for range 4 {
		b.WriteString(g.characters('B', 64) + "\n")
	}
	return b.String() + "-----END " + kind + "PRIVATE " + "KEY-----"
}

// lines returns the lines of a list that are not empty.
func lines(list string) []string {
	var out []string
	for l := range strings.Lines(list) {
		if l = strings.TrimSuffix(l, "\n"); l != "" {
			out = append(out, strings.ReplaceAll(l, `\n`, "\n"))
		}
	}
	return out
}
