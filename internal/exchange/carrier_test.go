package exchange_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/exchange"
)

// What is no carrier is refused before anything is sent, with the form that is meant.
func TestParseCarrier(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"git:git@host:me/memory.git": "git:git@host:me/memory.git", "ssh:box": "ssh:box", "ssh:me@box.example.org:/srv/my shelf": "ssh:me@box.example.org:/srv/my shelf",
		"ssh:me@[fe80::1%eth0]:x": "ssh:me@[fe80::1%eth0]:x", "ssh:box:": "ssh:box:", "https://Host:443/hippo/": "https://host/hippo", "http://localhost:8420": "http://localhost:8420",
		"s3://memory/own?endpoint=https://minio.example.com": "s3://memory/own?endpoint=https://minio.example.com",
	} {
		c, err := exchange.ParseCarrier(text)
		if err != nil || string(c) != want || c.String() != want {
			t.Errorf("%s: got %q, %v", text, c, err)
		}
	}
	for text, want := range map[string]string{
		"": "is missing", " ": "is missing", "ssh:": "must be like ssh:USER@HOST:PATH", "ssh:-oProxyCommand=x": "must be like", "ssh:-x@box": "must be like", "ssh:a b": "must be like", "ssh:me@-x": "must be like",
		"ssh:box:a\nb": "must be like", "ssh://box": "a port belongs in ~/.ssh/config", "http://example.org": "must be https", "https://u:hidden@h": "must not hold a user", "https://h?token=hidden": "must have no query",
		"s3://k:hidden@b": "without keys", "s3://b?key=hidden": "has the parameters endpoint and region", "ftp:x": "is not a kind of carrier", "me@box:x": "ssh:me@box:x", "git:": "must name a repository", "git:--upload-pack=x": "must name a repository",
	} {
		_, err := exchange.ParseCarrier(text)
		if !errors.Is(err, hippo.ErrInvalid) && !errors.Is(err, hippo.ErrUnsupported) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}
