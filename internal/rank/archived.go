package rank

// Archived multiplies the relevance of an archived memory in ranker hippo, unless the query asks for archived ones: it ranks
// behind what is comparably relevant, and is found where nothing else is as good. docs/learning.md has what other values do.
const Archived = 0.95
