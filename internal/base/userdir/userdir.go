// Package userdir names directories of the user. It reads the environment at each call and does no work at start.
package userdir

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Home returns the home directory of the user; the root of the file system if the environment names none.
func Home() string {
	if home, err := os.UserHomeDir(); err == nil {
		return home
	}
	return string(filepath.Separator)
}

// Cache returns the directory for what the program can make again: $XDG_CACHE_HOME on every system, or what the system has for it.
func Cache() string {
	if dir := absolute(os.Getenv("XDG_CACHE_HOME")); dir != "" {
		return dir
	}
	switch runtime.GOOS {
	case "windows":
		if local := os.Getenv("LOCALAPPDATA"); local != "" {
			return filepath.Join(local, "cache")
		}
		return filepath.Join(Home(), "AppData", "Local", "cache")
	case "darwin":
		return filepath.Join(Home(), "Library", "Caches")
	}
	return filepath.Join(Home(), ".cache")
}

// absolute returns an absolute path as it is, and one that begins with ~ or $HOME in the home directory; empty for any other.
func absolute(path string) string {
	for _, prefix := range []string{"~", "$HOME"} {
		if rest, ok := strings.CutPrefix(path, prefix); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
			path = filepath.Join(Home(), rest)
		}
	}
	if !filepath.IsAbs(path) {
		return ""
	}
	return path
}
