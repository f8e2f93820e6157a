package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzSettings: the remote of a repository is what git wrote into its settings, however it is quoted.
func FuzzSettings(f *testing.F) {
	for _, address := range []string{
		"https://host.example/acme/shop", "git@host.example:acme/shop.git", `C:\repos\shop`, `\\server\share\shop`, `/srv/a "b".git`, "/srv/a;b", "/srv/a #b", " /srv/shop", "/srv/shop ", "/srv/tab\tb", "./shop", "/srv/größe", "[remote]", "a=b",
	} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		if address == "" || strings.ContainsAny(address, "\x00\r\v\f\b\u0085\u00a0") {
			return
		}
		path := filepath.Join(t.TempDir(), "config")
		text := "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = " + asGitWrites(address) + "\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var s settings
		s.read(path)
		if got := pick(s.remotes); got != address {
			t.Errorf("%q is %q", address, got)
		}
	})
}

// asGitWrites quotes a value as git does (write_pair in its config.c).
func asGitWrites(value string) string {
	quote := ""
	if strings.HasPrefix(value, " ") || strings.HasSuffix(value, " ") || strings.ContainsAny(value, ";#") {
		quote = `"`
	}
	return quote + strings.NewReplacer("\n", `\n`, "\t", `\t`, `"`, `\"`, `\`, `\\`).Replace(value) + quote
}
