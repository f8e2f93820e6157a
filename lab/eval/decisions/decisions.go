// Package decisions measures whether a decision stays in front of the chats around it: four benchmarks,
// A to D, with the structure of those of claude-hippo of May 2026 and texts of our own, and V, in which the
// question is vague. They run through the engine: every memory is recorded, one after the other, in the
// order as listed, reversed, or shuffled. See docs/surprise.md for the figures.
package decisions

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Bench is one benchmark.
type Bench struct {
	Name    string
	Items   []Item
	Queries []Query
}

// Item is a memory to record.
type Item struct {
	Text string
	Tags []string
	// Importance is that which its author gives; 0: none.
	Importance float64
	Age        time.Duration
	// Decision: it is what the queries on its topic ask for.
	Decision bool
	Topic    string
}

// Query is a question on a topic.
type Query struct{ Text, Topic string }

const day = 24 * time.Hour

// decision is the text of a decision of A, B and V, of some 350 characters.
const decision = "For the {t} part we settled on the third proposal once the two others had been tried for a week each. What tipped the scales were the response times at peak load and who gets called at night. The code is in {t}-core and belongs to the group that runs the platform. The first proposal fell through in the audit. To be looked at again when traffic doubles or new rules come."

// brief is that of D.
const brief = "Decided for {t}: the third proposal, after a week of trials. It belongs to the {t} group, which looks at it again next winter."

// chat is the text of a chat.
const chat = "{t} talk %02d: a brief remark"

func about(text, topic string) string { return strings.ReplaceAll(text, "{t}", topic) }

// topics are those of A and D.
func topics() []string { return []string{"login", "ledger", "invoices", "screens", "servers"} }

// vagueTopics are those of V.
func vagueTopics() []string {
	return append(topics(), "search", "backups", "exports", "payments", "alerts", "caching", "uploads", "reports", "sessions", "permissions",
		"webhooks", "migrations", "queues", "mailing", "logging", "metrics", "sandboxes", "licences", "printing", "calendars")
}

// topic returns a decision and n-1 chats.
func topic(name, text string, n int) []Item {
	items := []Item{{Text: about(text, name), Tags: []string{name, "decision", "important"}, Importance: 1, Decision: true, Topic: name}}
	for i := range n - 1 {
		items = append(items, Item{Text: about(fmt.Sprintf(chat, i), name), Tags: []string{name}, Topic: name})
	}
	return items
}

// ask returns each question on each topic.
func ask(names []string, questions ...string) (out []Query) {
	for _, name := range names {
		for _, q := range questions {
			out = append(out, Query{about(q, name), name})
		}
	}
	return out
}

// A is five topics with a long decision among size-1 chats each, and five questions on each.
func A(size int) Bench {
	b := Bench{Name: fmt.Sprintf("A, %d a topic", size)}
	for _, name := range topics() {
		b.Items = append(b.Items, topic(name, decision, size)...)
	}
	b.Queries = ask(topics(), "what had we settled for {t}?", "which {t} choice did we make", "the {t} ruling we agreed on", "summary of the {t} decision", "what was decided on {t}")
	return b
}

// B is a decision of some days ago among 49 fresh chats, and eight questions.
func B(days int) Bench {
	b := Bench{Name: fmt.Sprintf("B, %d days", days), Items: topic("login", decision, 50)}
	b.Items[0].Age = time.Duration(days) * day
	b.Queries = ask([]string{"login"}, "which {t} did we choose?", "the {t} decision that we settled on", "the {t} ruling from back then", "history of {t} decisions",
		"an earlier verdict on {t}", "what had been decided on {t}", "the previous {t} ruling", "the {t} that we picked")
	return b
}

// C is four decisions among sixteen notes of low importance, and eight questions that ask for all four.
func C() Bench {
	b := Bench{Name: "C"}
	for i := range 4 {
		b.Items = append(b.Items, Item{
			Text: fmt.Sprintf("login decision %02d: plan P%d was taken after its speed, its audit and the effort of the move had been weighed. Plan Q%d was too slow, and plan R%d did not comply. The login group owns it and looks at it again next winter.", i, i, i, i),
			Tags: []string{"login", "decision", "important"}, Importance: 1, Decision: true, Topic: "login",
		})
	}
	for _, kind := range []string{"sighting", "habit", "finding", "lesson"} {
		for i := range 4 {
			b.Items = append(b.Items, Item{Text: fmt.Sprintf("login %s %02d: a brief remark", kind, i), Tags: []string{"login"}, Importance: .3, Topic: "login"})
		}
	}
	b.Queries = ask([]string{"login"}, "list the {t} decisions", "how {t} was decided", "why is {t} built as it is", "reasons for the design of {t}", "choices on the architecture of {t}",
		"history of decisions on {t}", "which {t} choices did we make", "the {t} decisions that shipped")
	return b
}

// D is A with a brief decision, among 19 chats, and two questions on each topic.
func D() Bench {
	b := Bench{Name: "D"}
	for _, name := range topics() {
		b.Items = append(b.Items, topic(name, brief, 20)...)
	}
	b.Queries = ask(topics(), "what had we settled for {t}?", "which {t} choice did we make")
	return b
}

// V is 25 topics with a long decision among 19 chats each, and one vague question on each.
func V() Bench {
	b := Bench{Name: "V"}
	for _, name := range vagueTopics() {
		b.Items = append(b.Items, topic(name, decision, 20)...)
	}
	b.Queries = ask(vagueTopics(), "tell me about {t}")
	return b
}

// Unrated returns the benchmark without importance.
func (b Bench) Unrated() Bench {
	b.Name += ", no importance"
	b.Items = slices.Clone(b.Items)
	for i := range b.Items {
		b.Items[i].Importance = 0
	}
	return b
}

// Order is an order of recording.
type Order string

// The orders.
const (
	Listed   Order = "listed"
	Reversed Order = "reversed"
	Shuffled Order = "shuffled"
)

// Orders returns all.
func Orders() []Order { return []Order{Listed, Reversed, Shuffled} }

// of returns items in an order. A shuffle is the same for each seed.
func (o Order) of(items []Item, seed uint64) []Item {
	out := slices.Clone(items)
	switch o {
	case Reversed:
		slices.Reverse(out)
	case Shuffled:
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(out), func(i, k int) { out[i], out[k] = out[k], out[i] }) //nolint:gosec // repeatable
	case Listed:
	}
	return out
}
