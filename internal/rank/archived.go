package rank

// Archived is the factor of ranker hippo of an archived memory, unless the query asks for archived ones: it ranks behind what
// is comparably relevant, and is found where nothing else is as good. docs/learning.md has what other values do.
const Archived = 0.95
