package remote

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/hippo-memory/hippo/internal/engine"
)

// times are how long one call may take.
type times struct {
	// call is what the server gives its verb, with the body of the request.
	call time.Duration
	// reply is that until the reply is written; 0: that of any route, a minute.
	reply time.Duration
	// attempt is what the client gives an attempt: the above, and the way.
	attempt time.Duration
}

// shortTimes are those of most verbs, longTimes those of verbs that may read or change the whole store. What the latter give a
// verb is what the REST interface gives it.
func shortTimes() times {
	return times{call: 55 * time.Second, attempt: 75 * time.Second}
}

func longTimes() times {
	const longest = 10 * time.Minute
	return times{call: longest, reply: longest + 5*time.Second, attempt: longest + 20*time.Second}
}

// timesOf returns those of a verb, by its name.
func timesOf(verb string) times {
	if engine.ReadsAll(verb) {
		return longTimes()
	}
	return shortTimes()
}

// verbIn returns the verb of an encoded call, which names it first; empty for any other form. Cost: it does not depend on the
// length of the call.
func verbIn(body []byte) string {
	d := json.NewDecoder(bytes.NewReader(body))
	for _, want := range []json.Token{json.Delim('{'), "Verb"} {
		if t, err := d.Token(); err != nil || t != want {
			return ""
		}
	}
	t, _ := d.Token()
	verb, _ := t.(string)
	return verb
}
