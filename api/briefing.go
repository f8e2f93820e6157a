package api

import "github.com/hippo-memory/hippo"

// Briefing is what an agent should know now.
type Briefing struct {
	// Text is all of it for a model, in the bounds of [Context.MaxTokens]; empty if there are no items and no facts. Each memory is one
	// line, so that its content can forge neither a heading, nor another memory, nor the end of the frame.
	Text string
	// Items are in the order of the sections, the best of each first.
	Items []BriefingItem
	// Facts are what the prompt asks for of the entities that it names, a line each.
	Facts []string
	// LowTrust counts memories that are worth knowing and left out, because nobody confirmed them.
	LowTrust int
	// Unassigned counts memories of which nobody could tell the project; they are left out.
	Unassigned int
}

// BriefingItem is one memory in a [Briefing].
type BriefingItem struct {
	Memory *hippo.Memory
	// ID is the short form of the memory's.
	ID string
	// Section is "rules", "tasks", "decisions", "recent" or "related".
	Section string
	// Preview is the content on one line; of a long one the beginning, or the sentences that fit the prompt.
	Preview string
	// Source is the kind of who recorded the memory.
	Source string
	// Age is how long ago the memory was recorded or its event happened: "3 d".
	Age string
	// Instructs: the content tries to instruct its reader.
	Instructs bool
	// Note says which fact the memory contradicts; empty: none.
	Note string
}
