package token

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"
)

// Each line of splits.txt is a digest of the lengths into which the reference splits every one of 4096 characters
// among others.
func TestSplit_EveryCharacter(t *testing.T) {
	t.Parallel()
	golden, err := os.ReadFile("testdata/splits.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(golden)) {
		var name, want string
		var block rune
		if _, err := fmt.Sscanf(line, "%s %X %s", &name, &block, &want); err != nil {
			t.Fatal(err)
		}
		next := map[string]func(string) int{"gpt2": nextGPT2, "qwen2": nextQwen2}[name]
		if testing.Short() && block > 0x3000 {
			continue // the first blocks have most of the rules
		}
		digest := sha256.New()
		for c := block; c < block+4096; c++ {
			if 0xD800 <= c && c < 0xE000 {
				continue
			}
			s := string(c)
			digest.Write(lengths(next, "a"+s+"b1"+s+"2 "+s+"."+s+"\n"+s+" "+s+"'"+s))
		}
		if got := fmt.Sprintf("%x", digest.Sum(nil)[:8]); got != want {
			t.Errorf("%s: characters from %U are not split as by the reference", name, block)
		}
	}
}

func lengths(next func(string) int, s string) (out []byte) {
	for s != "" {
		n := next(s)
		out = append(out, byte(n))
		s = s[n:]
	}
	return out
}

func TestSplit_Contractions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text        string
		gpt2, qwen2 []byte
	}{
		{"'sx", []byte{2, 1}, []byte{2, 1}},
		{"'Sx", []byte{1, 2}, []byte{2, 1}},
		{"'LL1", []byte{1, 2, 1}, []byte{3, 1}},
		{"'ſx", []byte{1, 3}, []byte{3, 1}},
	} {
		if got := lengths(nextGPT2, tc.text); string(got) != string(tc.gpt2) {
			t.Errorf("GPT-2: %q: got %v, want %v", tc.text, got, tc.gpt2)
		}
		if got := lengths(nextQwen2, tc.text); string(got) != string(tc.qwen2) {
			t.Errorf("Qwen2: %q: got %v, want %v", tc.text, got, tc.qwen2)
		}
	}
}
