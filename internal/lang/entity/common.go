package entity

// isCommon reports whether a lower-case English word often begins a sentence and is rarely
// part of a term.
func isCommon(w string) bool {
	switch w {
	case "get", "got", "go", "going", "went", "come", "came", "make", "made", "take", "took", "know", "knew", "think", "thought", "see", "saw",
		"say", "said", "tell", "told", "want", "need", "use", "used", "like", "let", "put", "try", "keep", "way", "thing", "things", "lot", "bit":
		return true
	}
	return isEmpty(w)
}

// isEmpty reports whether a lower-case English word is no name even with a capital: function
// words, exclamations, days and months, log levels.
func isEmpty(w string) bool {
	switch w {
	case "a", "an", "the", "this", "that", "these", "those", "some", "any", "each", "every", "all", "both", "no", "not", "none", "such", "same",
		"other", "another", "one", "two", "three", "four", "five", "first", "second", "third", "last", "next":
		return true
	case "i", "i'm", "i've", "i'll", "i'd", "i’m", "i’ve", "i’ll", "i’d", "me", "my", "mine", "myself", "we", "we're", "we've", "we'll", "us", "our", "ours",
		"you", "you're", "you've", "you'll", "your", "yours", "he", "he's", "him", "his", "she", "she's", "her", "hers", "it", "it's", "its",
		"they", "they're", "them", "their", "theirs", "who", "whom", "whose", "which", "what", "what's", "that's", "there's", "here's", "let's":
		return true
	case "in", "on", "at", "by", "for", "from", "to", "with", "without", "about", "into", "onto", "over", "under", "up", "down", "out", "off", "of",
		"through", "during", "between", "among", "against", "across", "behind", "within", "along", "around", "per", "via", "near", "since", "until":
		return true
	case "and", "or", "but", "nor", "so", "yet", "if", "then", "else", "because", "although", "though", "while", "when", "where", "why", "how", "as",
		"than", "whether", "unless", "once", "after", "before", "again", "also", "too", "very", "just", "only", "even", "still", "already":
		return true
	case "is", "are", "was", "were", "be", "been", "being", "am", "do", "does", "did", "done", "doing", "have", "has", "had", "having",
		"can", "could", "will", "would", "shall", "should", "may", "might", "must", "don't", "doesn't", "didn't", "isn't", "can't", "won't":
		return true
	case "yes", "yeah", "yep", "ok", "okay", "oh", "ah", "hey", "hi", "hello", "bye", "thanks", "thank", "please", "sorry", "wow", "well", "sure",
		"lol", "omg", "haha", "cool", "nice", "great", "good", "right", "really", "maybe", "perhaps", "actually", "there", "here", "now",
		"today", "yesterday", "tomorrow", "tonight", "however", "finally", "more", "most", "much", "many", "few", "less", "own":
		return true
	case "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "march", "april", "june",
		"july", "august", "september", "october", "november", "december", "pm", "todo", "fyi", "btw", "asap",
		"error", "warn", "warning", "info", "debug", "trace", "fatal", "note":
		return true
	}
	return false
}
