package rank

// Factors of ranker hippo. What they multiply ranks behind what is comparably relevant, and is found where nothing else is as good.
// docs/learning.md has what other values do.
const (
	// Archived is that of an archived memory, unless the query asks for archived ones.
	Archived = 0.95
	// Summary is that of the summary of a group: what it says one of its members says, too.
	Summary = 0.8
)
