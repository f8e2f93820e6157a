package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/hippo-memory/hippo/internal/doors/cli"
)

// deployed reads a file of the folder deploy.
func deployed(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// line returns what follows a prefix in its line.
func line(t *testing.T, text, prefix string) string {
	t.Helper()
	for l := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(l), prefix); ok {
			return strings.TrimSpace(rest)
		}
	}
	t.Fatalf("no line begins with %s", prefix)
	return ""
}

// The commands in the unit, the image and the compose file are commands of this program, with values that it takes.
func TestDeploy_Commands(t *testing.T) {
	t.Parallel()
	var compose struct {
		Services map[string]struct {
			Command  []string
			ReadOnly bool `yaml:"read_only"`
			Ports    []string
		}
	}
	if err := yaml.Unmarshal([]byte(deployed(t, "compose.yaml")), &compose); err != nil {
		t.Fatal(err)
	}
	var image []string
	if err := yaml.Unmarshal([]byte(line(t, deployed(t, "Dockerfile"), "CMD ")), &image); err != nil { // JSON is YAML
		t.Fatal(err)
	}
	unit := strings.Fields(line(t, deployed(t, "hippo.service"), "ExecStart="))
	if filepath.Base(unit[0]) != "hippo" {
		t.Errorf("the unit starts %s", unit[0])
	}
	service := compose.Services["hippo"]
	if !service.ReadOnly || len(service.Ports) != 1 || !strings.HasPrefix(service.Ports[0], "127.0.0.1:") {
		t.Errorf("the service can be written to, or is open to other machines: %+v", service)
	}
	for name, args := range map[string][]string{"unit": unit[1:], "image": image, "compose file": service.Command} {
		command, err := cli.Parse(args)
		if err != nil || command != "serve" {
			t.Errorf("%s: %q is the command %q, %v", name, args, command, err)
		}
	}
	for _, args := range [][]string{{"serve", "--http", ":1", "--no-such-flag"}, {"serve", "--backup-every", "24h"}, {"serve", "--http", ":1", "--backup-every", "daily"}, {"serve", "x"}} {
		if _, err := cli.Parse(args); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
