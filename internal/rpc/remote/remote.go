// Package remote carries the verbs of an engine over HTTP: a route for servers, and the client that calls it. What
// travels is what processes of one machine send one another, see [engine.Call]; the server restricts each call to the
// scope of the token that comes with it.
package remote

import "github.com/hippo-memory/hippo/internal/rpc"

const (
	// Path is that of the route: GET says who the server is and what the token allows, POST carries out a call.
	Path = "/api/v1/engine"
	// mediaType is that of calls and replies.
	mediaType = "application/vnd.hippo.call+json"
	// protocolHeader names the form of calls that its sender speaks, versionHeader its program, outcomeHeader what a reply
	// is: a result, or the failure of a verb. A reply without it is not of this route.
	protocolHeader, versionHeader, outcomeHeader = "Hippo-Protocol", "Hippo-Version", "Hippo-Outcome"
	outcomeResult, outcomeFailure                = "result", "failure"
	// maxCall is the most bytes of a call, maxReply of a reply: a page of a thousand memories of ordinary size.
	maxCall, maxReply = 16 << 20, 256 << 20
)

// Protocol returns the name of the form of calls that this program speaks. Cost: that of [rpc.Protocol].
func Protocol() string { return rpc.Protocol() }

// Greeting is what a server says to a caller that it knows.
type Greeting struct {
	Protocol string `json:"protocol"`
	Version  string `json:"version"`
	// Token is the name of the token, Rights what it allows: "read", "write", "purge", "admin".
	Token     string   `json:"token"`
	Namespace string   `json:"namespace"`
	Projects  []string `json:"projects"`
	Rights    []string `json:"rights"`
}
