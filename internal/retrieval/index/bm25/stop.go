package bm25

// isFunctionWord reports whether a lower-case English word has grammar rather
// than meaning: articles, pronouns, auxiliaries, prepositions, conjunctions and
// question words. "not" and words of quantity, place and time are not on the list.
func isFunctionWord(word string) bool {
	switch word {
	case "a", "an", "the", "this", "that", "these", "those", "some", "any", "each", "such",
		"i", "me", "my", "mine", "myself", "we", "us", "our", "you", "your", "he", "him", "his",
		"she", "her", "it", "its", "itself", "they", "them", "their", "themselves",
		"be", "am", "is", "are", "was", "were", "been", "do", "does", "did", "done", "have", "has", "had",
		"can", "could", "will", "would", "shall", "should", "may", "might", "must",
		"of", "in", "on", "at", "to", "from", "by", "with", "for", "about", "as", "into", "onto", "than",
		"and", "or", "but", "if", "so", "then", "because", "while", "there", "here", "just", "very", "too", "also",
		"what", "which", "who", "whom", "whose", "when", "where", "why", "how":
		return true
	}
	return false
}

// isFunctionStem is isFunctionWord for the terms of [Words]: where the stem is
// not the word, and contractions without their apostrophe.
func isFunctionStem(term string) bool {
	switch term {
	case "ani", "themselv", "doe", "becaus", "veri", "whi",
		"im", "ive", "id", "ill", "your", "youv", "youd", "dont", "doesnt", "didnt", "isnt", "arent", "wasnt", "werent",
		"cant", "couldnt", "wont", "wouldnt", "shouldnt", "havent", "hasnt", "hadnt", "theyr", "theyv", "weve", "theyd", "wed":
		return true
	}
	return isFunctionWord(term)
}
