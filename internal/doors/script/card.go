package script

import _ "embed" // the card

//go:embed card.md
var card string

// Card returns the language and the functions on a page, in Markdown.
func Card() string { return card }

// ShortCard returns what an error shows of [Card].
func ShortCard() string {
	return `programs are Starlark (Python without import, try, class, f-strings, is, **); the last expression is the result. ` +
		`search(query, limit=10, min_score=, tags=, type=, situation=, when=) recall("last week") search_by_tag(tags) search_iter(query) get(id) related(id) ` +
		`store(content, tags=, situation=, importance=, supersedes=) update(id, ...) upvote(ids, query=) downvote(ids, query=) forget(ids) restore(ids) relate(a, b, kind) ` +
		`context(prompt) stats() json time math struct sum round. m.id .content .preview .score .tags .situation .importance .created .date .metadata`
}
