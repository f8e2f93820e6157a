package project_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/hippo-memory/hippo/internal/code/project"
)

// FuzzNormalise: all ways to write one repository have one name, which holds neither a user nor a password.
func FuzzNormalise(f *testing.F) {
	for _, x := range [][3]string{
		{"github.com", "acme/shop", "me:secret"},
		{"GitHub.com", "Acme/Shop.git", "git"},
		{"www.github.com", "acme/shop", ""},
		{"ssh.github.com", "acme/shop", "git"},
		{"altssh.bitbucket.org", "acme/shop", "git"},
		{"dev.azure.com", "acme/shop/_git/shop", "acme"},
		{"host.example", "~me/shop", "a@b:c"},
		{"127.0.0.1", "shop", ""},
		{"git.example", "acme/shop/", "x"},
		{"git.example", "a.git/b.git", "x"},
	} {
		f.Add(x[0], x[1], x[2])
	}
	f.Fuzz(func(t *testing.T, host, path, user string) {
		path = strings.ToLower(strings.Trim(path, "/"))
		if !plain(host, ".-") || !plain(path, ".-_~/") || strings.HasSuffix(path, ".git") || strings.ContainsAny(user, "/#?%") || strings.ContainsFunc(user, unicode.IsControl) {
			return
		}
		want := project.Normalise("https://" + host + "/" + path)
		for _, address := range []string{
			"https://" + user + "@" + host + "/" + path, "http://" + host + "/" + path + ".git", "https://" + host + ":8443/" + path + "/", "git://" + host + "/" + path, "ssh://git@" + host + "/" + path,
			"ssh://git@" + host + ":2222/" + path, "git@" + host + ":" + path, "https://" + strings.ToUpper(host) + "/" + strings.ToUpper(path),
		} {
			if got := project.Normalise(address); got != want {
				t.Errorf("%s is %q, https://%s/%s is %q", address, got, host, path, want)
			}
		}
	})
}

// plain reports whether a text is of letters, digits and some marks.
func plain(text, marks string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"+marks) == ""
}
