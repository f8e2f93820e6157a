package wire

import (
	"net/http"

	"github.com/hippo-memory/hippo"
)

// Exit codes of the command line.
const (
	ExitOK       = 0
	ExitFailed   = 1
	ExitUsage    = 2
	ExitNotFound = 3
	// ExitDamaged is that of a command that found damage.
	ExitDamaged = 3
	// ExitInterrupted is what a shell reports of a program that SIGINT ended: 128 + 2.
	ExitInterrupted = 130
)

// Failure is how the front ends report one kind of failure. A hint is empty if the message of
// the error is enough.
type Failure struct {
	// Exit is the exit code of the command line.
	Exit int
	// Status is that of an HTTP response; 0 for no error.
	Status int
	// CommandHint is for a person at the command line, ToolHint for a model that called a
	// tool over MCP.
	CommandHint, ToolHint string
}

// FailureOf returns how to report errors of a code, see [hippo.CodeOf]. A code that is
// not known is reported as [hippo.CodeInternal].
func FailureOf(c hippo.Code) Failure {
	all := failures()
	if f, ok := all[c]; ok {
		return f
	}
	return all[hippo.CodeInternal]
}

func failures() map[hippo.Code]Failure {
	return map[hippo.Code]Failure{
		hippo.CodeOK:       {Exit: ExitOK},
		hippo.CodeInvalid:  {Exit: ExitUsage, Status: http.StatusBadRequest},
		hippo.CodeConflict: {Exit: ExitFailed, Status: http.StatusConflict},
		hippo.CodeNotFound: {
			Exit:        ExitNotFound,
			Status:      http.StatusNotFound,
			CommandHint: "try: hippo list; --store says where to look",
			ToolHint:    "nothing was changed; search for the current uuids",
		},
		hippo.CodeForbidden: {
			Exit:     ExitFailed,
			Status:   http.StatusForbidden,
			ToolHint: "nothing was changed; this session may not do that",
		},
		hippo.CodeUnsupported: {Exit: ExitFailed, Status: http.StatusNotImplemented},
		hippo.CodeUnavailable: {
			Exit:        ExitFailed,
			Status:      http.StatusServiceUnavailable,
			CommandHint: "check the path and its permissions, and try again",
			ToolHint:    "nothing was changed; try again",
		},
		hippo.CodeCorrupt: {
			Exit:        ExitFailed,
			Status:      http.StatusInternalServerError,
			CommandHint: "hippo check shows what is wrong, and what to do",
			ToolHint:    "nothing was changed; tell the user",
		},
		hippo.CodeReadOnly: {
			Exit:        ExitFailed,
			Status:      http.StatusServiceUnavailable,
			CommandHint: "nothing was stored: check the permissions of the store",
			ToolHint:    "hippo may not write its store; tell the user",
		},
		hippo.CodeFull: {
			Exit:        ExitFailed,
			Status:      http.StatusInsufficientStorage,
			CommandHint: "nothing was stored; free some space and try again",
			ToolHint:    "nothing was stored; free some space and try again",
		},
		hippo.CodeSecret: {
			Exit:        ExitFailed,
			Status:      http.StatusUnprocessableEntity,
			CommandHint: "nothing was stored; leave the secret out, or give --allow-secret if it is none or shall be stored",
			ToolHint:    "nothing was stored; leave the secret out and say where it is kept; allow_secret only if the user agrees",
		},
		hippo.CodeCanceled: {
			Exit:     ExitInterrupted,
			Status:   http.StatusServiceUnavailable,
			ToolHint: "nothing was changed; try again",
		},
		hippo.CodeInternal: {
			Exit:     ExitFailed,
			Status:   http.StatusInternalServerError,
			ToolHint: "this is a fault of hippo; tell the user",
		},
	}
}
