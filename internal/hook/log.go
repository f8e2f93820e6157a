package hook

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
)

// maxLog is the size in bytes at which the log begins again; the old one is kept beside it.
const maxLog = 1 << 20

// OpenLog returns the logger of hooks, which appends to hook.log in the state folder: what a hook
// prints belongs to the client. Without a file that can be written, nothing is logged. The caller
// closes the closer.
func OpenLog(stateDir string) (*slog.Logger, io.Closer) {
	path := filepath.Join(stateDir, "hook.log")
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		_ = os.Rename(path, path+".old")
	}
	err := os.MkdirAll(stateDir, 0o700)
	if err != nil {
		return slog.New(slog.DiscardHandler), io.NopCloser(nil)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return slog.New(slog.DiscardHandler), io.NopCloser(nil)
	}
	return slog.New(slog.NewTextHandler(f, nil)), f
}
