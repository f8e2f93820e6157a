// Command lint builds golangci-lint with only those linters that .golangci.yml enables,
// which takes half the time of building all of them and finds the same.
//
//	go -C tools run ./lint ../.golangci.yml ../bin/golangci-lint
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The release of golangci-lint, and its checksum as go.sum states it. Its dependencies are
// those of its own go.mod and go.sum.
const (
	module   = "github.com/golangci/golangci-lint/v2"
	version  = "v2.15.0"
	checksum = "h1:w94zf8HAYI7hm3164kwKsvZRuqXvY+YxeFoTbu1OLg8="
)

// listFile is the file of the module that lists the linters.
const listFile = "pkg/lint/lintersdb/builder_linter.go"

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: lint CONFIG BINARY")
		os.Exit(2)
	}
	if err := build(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "lint:", err)
		os.Exit(1)
	}
}

// build writes the program with the linters of a configuration file.
func build(config, binary string) (err error) {
	text, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	binary, err = filepath.Abs(binary)
	if err != nil {
		return err
	}
	source, err := download()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "golangci-lint")
	if err != nil {
		return err
	}
	defer func() {
		if e := os.RemoveAll(dir); err == nil {
			err = e
		}
	}()
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		return err
	}
	list, err := trim(filepath.Join(dir, listFile), enabled(string(text)))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, listFile), list, 0o600); err != nil {
		return err
	}
	// No flag that changes how packages are compiled: those of the standard library are
	// shared with the product.
	c := exec.Command("go", "build", "-ldflags=-s -w", "-o", binary, "./cmd/golangci-lint")
	c.Dir, c.Stdout, c.Stderr = dir, os.Stderr, os.Stderr
	return c.Run()
}

// download returns the folder of the module's source.
func download() (string, error) {
	c := exec.Command("go", "mod", "download", "-json", module+"@"+version)
	c.Dir = os.TempDir() // outside of any module
	out, err := c.Output()
	var m struct{ Dir, Sum, Error string }
	if jsonErr := json.Unmarshal(out, &m); err == nil {
		err = jsonErr
	}
	switch {
	case m.Error != "":
		return "", fmt.Errorf("download %s@%s: %s", module, version, m.Error)
	case err != nil:
		return "", fmt.Errorf("download %s@%s: %w", module, version, err)
	case m.Sum != checksum:
		return "", fmt.Errorf("%s@%s has checksum %s, want %s", module, version, m.Sum, checksum)
	}
	return m.Dir, nil
}

// enabled returns the names in all lists of a YAML file with the key enable.
func enabled(config string) map[string]bool {
	names := make(map[string]bool)
	in := false
	for line := range strings.Lines(config) {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		name, item := strings.CutPrefix(line, "- ")
		switch {
		case line == "enable:":
			in = true
		case in && item:
			names[name] = true
		case line != "":
			in = false
		}
	}
	return names
}
