package config_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
)

func TestParseStore_Servers(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]struct {
		store, origin string
		plain         bool
	}{
		"https://Memory.Example.org":        {"https://memory.example.org", "https://memory.example.org", false},
		"HTTPS://host:443/":                 {"https://host", "https://host", false},
		"https://host:8420/a/../hippo//":    {"https://host:8420/hippo", "https://host:8420", false},
		"http://localhost:8420":             {"http://localhost:8420", "http://localhost:8420", false},
		"http://127.1.2.3:80":               {"http://127.1.2.3", "http://127.1.2.3", false},
		"http://[::1]:8420":                 {"http://[::1]:8420", "http://[::1]:8420", false},
		"http://[fd00::1]":                  {"http://[fd00::1]", "http://[fd00::1]", true},
		"http://10.0.0.1:8420":              {"http://10.0.0.1:8420", "http://10.0.0.1:8420", true},
		"http://localhost.example.org/path": {"http://localhost.example.org/path", "http://localhost.example.org", true},
	} {
		s, err := config.ParseStore(address)
		if err != nil || s.String() != want.store || config.Origin(s) != want.origin || config.Plain(s) != want.plain || !s.Remote() {
			t.Errorf("%s: %v, %s, plain %v (%v), want %+v", address, s, config.Origin(s), config.Plain(s), err, want)
		}
	}
	for _, address := range []string{
		"https://", "https:/host", "https:host", "https:", "http://:8420", "https://me:hunter2@host", "https://hunter2@host", "https://host?token=hunter2",
		"https://host?", "https://host#hunter2", "https://ho st", "https://host:port", "https:me:hunter2@host", "https://me:hunter2/x@host",
	} {
		if s, err := config.ParseStore(address); !errors.Is(err, hippo.ErrInvalid) || strings.Contains(err.Error(), "me:hunter2") || strings.Contains(err.Error(), "=hunter2") {
			t.Errorf("%s: %v (%v)", address, s, err)
		}
	}
}
