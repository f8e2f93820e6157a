package ingest

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo/internal/agents/transcript"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
	"github.com/hippo-memory/hippo/internal/base/screen"
)

// Last is the last capture of a client. It holds nothing of the content.
type Last struct {
	Client  transcript.Client `json:"client"`
	At      time.Time         `json:"at"`
	Session string            `json:"session,omitempty"`
	Turns   int               `json:"turns"`
	// Kept are new memories, Repeated votes, Refused what the store did not accept.
	Kept     int `json:"kept"`
	Repeated int `json:"repeated"`
	Refused  int `json:"refused"`
	// Reason is why nothing was kept; empty if something was.
	Reason string `json:"reason,omitempty"`
}

// unknown is the client of transcripts that were not recognised, if no hook named it.
const unknown = "unknown"

// note stores the outcome of the capture for [Lasts], unless there was nothing to read.
func (s *session) note(failure error) error {
	r := &s.report
	if failure == nil && r.Reason == nothingNew {
		return nil
	}
	l := Last{
		Client: r.Client, At: s.config.Now().UTC().Truncate(time.Second), Session: r.Session, Turns: r.Turns,
		Kept: r.Count(Added, Changed), Repeated: r.Count(Repeated), Refused: r.Count(Refused), Reason: r.Reason,
	}
	if !slices.Contains(transcript.Clients(), l.Client) {
		l.Client = unknown
		if c := s.options.Caller; c != "" && filepath.Base(string(c)) == string(c) {
			l.Client = c
		}
	}
	switch {
	case errors.Is(failure, fs.ErrNotExist) && r.Client == s.options.Client: // nothing was read
		l.Reason = "there is no transcript at " + r.Path
	case failure != nil:
		l.Reason = failure.Error()
	}
	l.Reason = screen.Redact(l.Reason) // a path may hold a secret
	dir := folder(s.config.StateDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, "last-"+string(l.Client)+".json"), b)
}

// Lasts returns the last capture of every client that had one, by client. Files that cannot be
// read are left out.
func Lasts(stateDir string) ([]Last, error) {
	files, err := os.ReadDir(folder(stateDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []Last
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), "last-") {
			continue
		}
		var l Last
		b, err := os.ReadFile(filepath.Join(folder(stateDir), f.Name()))
		if err == nil && json.Unmarshal(b, &l) == nil {
			out = append(out, l)
		}
	}
	return out, err
}
