package setup

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/hippo-memory/hippo/internal/code/project"
)

// NewHost returns the machine and the user of this run.
func NewHost() (*Host, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if root, ok := project.Root(dir); ok {
		dir = root
	}
	return &Host{Home: home, Dir: dir, GOOS: runtime.GOOS, Env: os.Getenv, FindProgram: findProgram}, nil
}

// findProgram finds a program as a shell would.
func findProgram(name string) (string, error) {
	c := exec.Command(name)
	return c.Path, c.Err
}

// BinaryPath returns the absolute path of this program, as a client should call it: the one
// by which it was called, if that is this program, because a package manager keeps that name
// over updates; else that of the file.
func BinaryPath(name string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	called, err := findProgram(name)
	if err != nil {
		return self, nil //nolint:nilerr // it was called by a name that is not on the PATH
	}
	if called, err = filepath.Abs(called); err != nil {
		return "", err
	}
	a, errA := os.Stat(self)
	b, errB := os.Stat(called)
	if errA == nil && errB == nil && os.SameFile(a, b) {
		return called, nil
	}
	return self, nil
}
