package screen

// Keywords returns the keywords of all rules.
func Keywords() []string {
	var list []string
	for _, r := range rules().rules {
		list = append(list, r.Keywords...)
	}
	return list
}

// NewPhraseTable builds the table of phrases, as the first search for instructions does.
func NewPhraseTable() { newPhraseTable() }
