package hook

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"

	"github.com/hippo-memory/hippo/internal/base/screen"
)

// maxLog is the size in bytes at which the log begins again; the old one is kept beside it.
const maxLog = 1 << 20

// openLog returns the logger of hooks, which appends to hook.log in the state folder: what a hook
// prints belongs to the client. Without a file that can be written, nothing is logged. The caller
// closes the closer.
func openLog(stateDir string) (*slog.Logger, io.Closer) {
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

// LogError logs why a hook did nothing.
func LogError(stateDir string, err error) {
	log, file := openLog(stateDir)
	log.Error("hook failed", "error", screen.Redact(err.Error())) // a path may hold a secret
	_ = file.Close()
}

// noticeSpan is the size in bytes of the end of the log in which a notice is not repeated.
const noticeSpan = 64 << 10

// LogNotices logs what has no effect in the settings, unless the end of the log says it: each event of a session finds the same.
func LogNotices(stateDir string, texts []string) {
	if len(texts) == 0 {
		return
	}
	tail := make([]byte, noticeSpan)
	if f, err := os.Open(filepath.Join(stateDir, "hook.log")); err == nil {
		if info, err := f.Stat(); err == nil {
			n, _ := f.ReadAt(tail, max(0, info.Size()-noticeSpan))
			tail = tail[:n]
		}
		_ = f.Close()
	}
	log, file := openLog(stateDir)
	for _, text := range texts {
		text = screen.Redact(text) // a path may hold a secret
		if !bytes.Contains(tail, []byte(strconv.Quote(text))) {
			log.Warn("settings", "notice", text)
		}
	}
	_ = file.Close()
}
