// Package ingest stores what is worth keeping of transcripts: it joins packages transcript, capture
// and engine. Against the store a candidate is a repeat, which is a vote for the memory that says
// it already; a change, which supersedes what it contradicts; or a new memory of a hook, with low
// trust.
//
// A ledger for each transcript ensures that nothing is captured twice: a file is read from the
// place where the last capture ended. docs/formats.md describes the files.
package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/agents/capture"
	"github.com/hippo-memory/hippo/internal/agents/transcript"
	"github.com/hippo-memory/hippo/internal/base/screen"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/engine"
)

// Limits, in bytes.
const (
	// window is how much before the new part of a transcript is read again, so that an error
	// before the last capture and its fix after it are found.
	window = 256 << 10
	// chunk is how much of a transcript is read at once.
	chunk = 16 << 20
	// recent is how much of the end of a transcript is read with [Options.Recent].
	recent = 1 << 20
)

// Config wires captures. It is safe for concurrent use.
type Config struct {
	// Memories returns the memory in the project of a folder. It is called only when
	// there is something to store; the caller closes what it opens.
	Memories func(ctx context.Context, id project.Identity) (*engine.Memories, error)
	// Project returns the project that a folder belongs to, or belonged to if it is gone; empty: the current folder.
	Project func(ctx context.Context, dir string) project.Identity
	// Excluded returns what turns off capture in a folder, in the words of the user; empty, or nil, for nothing.
	Excluded func(ctx context.Context, dir string) string
	// StateDir is the folder of the program's state; ledgers are in its folder "capture".
	StateDir string
	Now      func() time.Time
}

// Options of a capture.
type Options struct {
	// Client is the client that wrote the transcript; empty: it is recognised.
	Client transcript.Client
	// Caller is the client whose hook this is, by the name in [Lasts], which then also says of it why there was nothing to
	// read; empty: the client of the transcript.
	Caller transcript.Client
	// Dir is the folder of the session, for turns that do not name one.
	Dir string
	// Agent names the subagent whose transcript this is, which becomes the author of what is captured; empty: it is that of the
	// session of a user.
	Agent string
	// Report is the last message of that subagent, which the client may not have written yet.
	Report string
	// Recent reads at most the last MiB of a transcript that was never read: for callers
	// with a deadline.
	Recent bool
	// DryRun stores nothing and reads everything, also what was captured already.
	DryRun bool
}

// Action is what became of a candidate.
type Action string

// The actions.
const (
	// Added: a new memory. Changed: a new memory that supersedes others.
	Added   Action = "added"
	Changed Action = "changed"
	// Repeated: an upvote for a memory that says the same, of another session.
	Repeated Action = "repeated"
	// Known: this session said it before.
	Known Action = "known"
	// Refused: the store does not accept it, for example because of a secret.
	Refused Action = "refused"
	// Found: it would be stored, but for [Options.DryRun].
	Found Action = "found"
)

// Outcome is a candidate and what became of it.
type Outcome struct {
	capture.Candidate
	Action Action
	// Memory is the new one, or the one that was voted for.
	Memory hippo.ID
	// Supersedes are what a change replaced.
	Supersedes []hippo.ID
	// Err is why it was refused.
	Err error
}

// Report is what a capture did.
type Report struct {
	Client  transcript.Client
	Session string
	Path    string
	// From and To are the byte offsets of the new part; of a document, numbers of messages.
	From, To int64
	// Turns are those of the new part.
	Turns int
	// Malformed and TooLong count records that were skipped.
	Malformed, TooLong int
	// Outcomes are in the order of the conversation.
	Outcomes []Outcome
	// Withdrawn counts memories of earlier captures that were purged, because the user asked since not to keep them.
	Withdrawn int
	// Reason says why nothing was kept; empty if something was.
	Reason string
}

// Count returns how many candidates had one of the actions.
func (r *Report) Count(actions ...Action) int {
	n := 0
	for _, o := range r.Outcomes {
		if slices.Contains(actions, o.Action) {
			n++
		}
	}
	return n
}

// File captures from a transcript what is new since its last capture. When ctx ends before all is
// stored, the error is that of ctx, and the next capture continues. The report is not nil.
func File(ctx context.Context, c *Config, path string, o Options) (*Report, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return &Report{Path: path}, err
	}
	s := session{config: c, options: o, report: Report{Path: full, Client: o.Client}}
	if o.DryRun {
		s.ledger = &ledger{}
		err = s.read(ctx)
	} else {
		err = s.locked(ctx)
	}
	if !o.DryRun {
		err = errors.Join(err, s.note(err))
	}
	return &s.report, err
}

// Stream captures from a transcript without a place, which is read whole. The ledger is that of
// its session, so that what was captured from a stream of the session before is left out.
func Stream(ctx context.Context, c *Config, r io.Reader, o Options) (*Report, error) {
	s := session{config: c, options: o, ledger: &ledger{}, report: Report{Path: "-", Client: o.Client}}
	t, err := transcript.Read(ctx, r, transcript.Options{Client: o.Client})
	t.Session = screen.Redact(t.Session)
	s.report.Client = t.Client
	if err == nil {
		err = s.stream(ctx, t)
	}
	s.explain()
	if !o.DryRun {
		err = errors.Join(err, s.note(err))
	}
	return &s.report, err
}

func (s *session) stream(ctx context.Context, t *transcript.Transcript) (err error) {
	if s.options.DryRun || t.Session == "" {
		return s.add(ctx, t)
	}
	name := "stream of " + string(t.Client) + " " + t.Session
	if s.ledger, err = openLedger(ctx, s.config.StateDir, name, s.config.Now()); err != nil {
		return err
	}
	defer s.ledger.close()
	s.ledger.data.Offset = 0
	if err := s.add(ctx, t); err != nil {
		return err
	}
	return s.ledger.save(s.config.Now())
}

// nothingNew is the reason of a capture that had nothing to read.
const nothingNew = "nothing new since the last capture"

// session captures one transcript.
type session struct {
	config  *Config
	options Options
	ledger  *ledger
	report  Report
	places  map[string]project.Identity // by folder
	off     exclusions
	opened  map[string]*engine.Memories // by project
}

// locked reads while it holds the lock of the ledger.
func (s *session) locked(ctx context.Context) (err error) {
	if s.ledger, err = openLedger(ctx, s.config.StateDir, s.report.Path, s.config.Now()); err != nil {
		return err
	}
	defer s.ledger.close()
	if err := s.read(ctx); err != nil {
		return err
	}
	return s.ledger.save(s.config.Now())
}

// read reads the new part in chunks, and captures each.
func (s *session) read(ctx context.Context) error {
	if err := s.ledger.identify(s.report.Path); err != nil {
		return err
	}
	s.report.From = s.ledger.data.Offset
	if s.ledger.data.HeadSize == 0 {
		s.report.Reason = "the transcript is empty"
		return nil
	}
	for {
		o := transcript.Options{Client: s.options.Client, From: max(0, s.ledger.data.Offset-window), MaxBytes: chunk}
		if s.options.Recent && s.ledger.data.Offset == 0 {
			o.Tail, o.MaxBytes = true, recent
		}
		t, err := transcript.ReadFile(ctx, s.report.Path, o)
		if err == nil {
			t.Session = screen.Redact(t.Session)
			err = s.add(ctx, t)
		}
		if err != nil {
			s.explain()
			return err
		}
		if !t.More {
			s.explain()
			return nil
		}
	}
}

// add captures what is new in a part of a transcript, and moves the ledger behind it.
func (s *session) add(ctx context.Context, t *transcript.Transcript) error {
	s.report.Client = t.Client
	if t.Session != "" {
		s.report.Session = t.Session
	}
	if s.options.Agent != "" {
		ofAgent(t, strings.TrimSpace(s.options.Report))
	}
	s.report.Malformed += t.Malformed
	s.report.TooLong += t.TooLong
	after := make(map[string]bool, len(t.Turns)) // turns that are new
	for _, turn := range t.Turns {
		if after[turn.ID] = turn.At > s.ledger.data.Offset; after[turn.ID] {
			s.report.Turns++
		}
	}
	if err := s.withdraw(ctx, t.Turns); err != nil {
		return err
	}
	for _, c := range capture.Candidates(s.allowed(ctx, t.Turns)) {
		if !slices.ContainsFunc(c.Turns, func(id string) bool { return after[id] }) || s.ledger.has(c.Content) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		o, err := s.store(ctx, c)
		if err != nil {
			return err
		}
		s.ledger.add(c.Content)
		s.report.Outcomes = append(s.report.Outcomes, o)
	}
	end := t.End
	if t.Document {
		end = int64(len(t.Turns))
		if n := len(t.Turns); n > 0 {
			end = t.Turns[n-1].At
		}
	}
	s.ledger.data.Offset, s.report.To = max(end, s.ledger.data.Offset), end
	return nil
}

// ofAgent makes a part of a transcript that of a subagent: not every client marks the turns, and the last may be missing.
func ofAgent(t *transcript.Transcript, report string) {
	for i := range t.Turns {
		t.Turns[i].Sidechain = true
	}
	if report == "" || t.More || slices.ContainsFunc(t.Turns, func(x transcript.Turn) bool { return strings.TrimSpace(x.Text) == report }) {
		return
	}
	last := transcript.Turn{
		ID: "report", Role: transcript.RoleAssistant, Text: strings.ToValidUTF8(report[:min(len(report), transcript.MaxText)], ""), Sidechain: true, At: t.End + 1,
	}
	if n := len(t.Turns); n > 0 {
		last.Cwd, last.Branch = t.Turns[n-1].Cwd, t.Turns[n-1].Branch
	}
	t.Turns = append(t.Turns, last)
}

// explain says why nothing was kept.
func (s *session) explain() {
	r := &s.report
	known, refused := r.Count(Known), r.Count(Refused)
	switch {
	case r.Count(Added, Changed, Repeated, Found) > 0:
	case s.off.reason != "":
		r.Reason = "capture is turned off there by " + s.off.reason
	case r.Withdrawn > 0:
		r.Reason = fmt.Sprintf("%d withdrawn: you asked not to keep them", r.Withdrawn)
	case refused > 0:
		r.Reason = fmt.Sprintf("%d refused by the store: %v", refused, r.Outcomes[len(r.Outcomes)-1].Err)
	case known > 0:
		r.Reason = fmt.Sprintf("%d said before in this session", known)
	case r.Turns == 0 && r.From > 0:
		r.Reason = nothingNew
	case r.Turns == 0:
		r.Reason = "the transcript has no turns"
	default:
		r.Reason = fmt.Sprintf("nothing worth keeping in %d turns", r.Turns)
		if r.Turns == 1 {
			r.Reason = "nothing worth keeping in one turn"
		}
	}
}
