package rank

// Archived is the factor of ranker hippo of an archived memory beside one that says nearly the same, unless the query asks for
// archived ones: it ranks behind what is comparably relevant. docs/learning.md has what other values do.
const Archived = 0.95
