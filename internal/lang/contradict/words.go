package contradict

// isFunctionWord reports whether a word has little meaning by itself: articles, forms of to
// be and to have, prepositions, words for a change.
func isFunctionWord(w string) bool {
	switch w {
	case "a", "an", "the", "this", "that", "these", "those", "it", "its", "he", "she", "they", "we", "you", "i", "my",
		"our", "your", "their", "his", "her", "there", "here", "is", "are", "am", "be", "been", "being", "was",
		"were", "has", "have", "had", "having", "do", "does", "did", "will", "would", "shall", "should", "must",
		"can", "could", "may", "might", "of", "in", "at", "for", "to", "by", "from", "with", "into", "onto", "as",
		"on", "than", "then", "so", "and", "or", "but", "too", "very", "now", "currently", "already", "still",
		"today", "just", "really", "also", "again", "actually", "officially", "finally", "recently", "instead",
		"anymore", "yet", "ever", "always", "changed", "moved", "switched", "updated", "raised", "increased",
		"lowered", "reduced", "bumped", "upgraded", "migrated", "set", "defaults", "new", "every", "each", "about",
		"around", "approximately", "roughly", "nearly", "almost", "circa":
		return true
	default:
		return false
	}
}

// negation reports whether a word is a negation.
func negation(w string) bool {
	switch w {
	case "not", "no", "cannot", "never", "neither", "nor":
		return true
	default:
		return false
	}
}

// condition reports whether a word begins a condition.
func condition(w string) bool {
	switch w {
	case "if", "unless", "when", "whenever", "while", "whether", "until", "where", "except":
		return true
	default:
		return false
	}
}

// explains reports whether a word begins an explanation.
func explains(w string) bool {
	switch w {
	case "because", "since", "due", "thanks":
		return true
	default:
		return false
	}
}

// roughly reports whether a word makes a number approximate.
func roughly(w string) bool {
	switch w {
	case "about", "around", "approximately", "roughly", "nearly", "almost", "circa", "some", "~":
		return true
	default:
		return false
	}
}

// change reports whether a word describes a change of a value.
func change(w string) bool {
	switch w {
	case "changed", "moved", "switched", "updated", "raised", "increased", "lowered", "reduced", "bumped", "upgraded",
		"migrated", "set", "defaults", "default", "limited", "pinned", "equal", "points", "renamed":
		return true
	default:
		return false
	}
}

// stative reports whether a verb describes a lasting state.
func stative(w string) bool {
	switch w {
	case "is", "are", "be", "has", "have", "=", "equals", "uses", "use", "using", "takes", "take", "costs", "cost",
		"needs", "need", "requires", "require", "runs", "run", "listens", "listen", "allows", "allow", "supports",
		"support", "lasts", "last", "holds", "weighs", "measures", "returns", "serves", "expires", "ends", "starts",
		"begins", "opens", "closes", "lives", "live", "stored", "located", "kept", "hosted", "sits", "retries",
		"keeps", "contains":
		return true
	default:
		return false
	}
}

// schedules reports whether a word assigns a date.
func schedules(w string) bool {
	switch w {
	case "expire", "end", "start", "begin", "open", "close", "due", "scheduled", "planned":
		return true
	default:
		return false
	}
}

// label reports whether a noun may come between a verb and its value: listens on port 80.
func label(w string) bool {
	switch w {
	case "port", "version", "level", "least", "most", "up", "maximum", "minimum", "max", "min", "limit", "timeout",
		"due", "scheduled", "planned", "release", "located", "stored", "kept", "exactly", "only", "under", "over",
		"node", "go":
		return true
	default:
		return false
	}
}

// identifier reports whether the number after a noun is its name.
func identifier(w string) bool {
	switch w {
	case "ticket", "issue", "chapter", "room", "step", "day", "week", "sprint", "line", "page", "section", "phase",
		"part", "episode", "level", "item", "task", "bug", "pr", "case", "question", "unit", "lesson", "group", "no",
		"number", "figure", "table", "row", "column", "season", "volume", "milestone", "round", "game", "match",
		"exam", "grade", "article", "rule", "bullet", "commit", "revision", "build", "job", "run", "try", "attempt",
		"http", "error", "code", "iteration", "gen", "tier", "zone", "q":
		return true
	default:
		return false
	}
}

// tool reports whether the object of a verb may be one of several: uses, runs.
func tool(w string) bool {
	switch w {
	case "use", "using", "live", "stored", "located", "kept", "hosted", "run":
		return true
	default:
		return false
	}
}

// unique reports whether a noun is a single-valued property, with any verb.
func unique(w string) bool {
	switch w {
	case "name", "owner", "branch", "default", "format", "language", "colour", "color", "favourite", "favorite",
		"licence", "license", "encoding", "timezone", "birthday", "password", "hostname", "codename", "username",
		"nickname":
		return true
	default:
		return false
	}
}

// kindOf reports whether a noun is a property that is single-valued if its values are names.
func kindOf(w string) bool {
	switch w {
	case "database", "db", "editor", "framework", "library", "tool", "store", "backend", "cache", "broker", "queue",
		"capital", "city", "country", "leader", "manager", "boss", "director", "lead", "region", "cluster", "host",
		"server", "provider", "registry", "repository", "repo", "address", "email", "url", "endpoint", "path",
		"directory", "folder", "file", "model", "engine", "driver", "shell", "os", "system", "platform", "runtime",
		"compiler", "linter", "formatter", "client", "vendor", "version", "status", "state", "mode", "level",
		"strategy", "policy", "algorithm", "protocol", "location", "place", "venue", "deadline", "contact",
		"maintainer", "reviewer", "author", "teacher", "doctor", "wife", "husband", "partner", "spouse", "fiancé",
		"fiancée", "employer", "school", "university", "hometown", "street", "storage", "theme", "font", "channel":
		return true
	default:
		return false
	}
}

// fileEnd reports whether an extension marks a file name.
func fileEnd(w string) bool {
	switch w {
	case "go", "py", "rs", "js", "ts", "tsx", "jsx", "c", "h", "cpp", "java", "rb", "sh", "sql", "md", "txt", "json",
		"yaml", "yml", "toml", "ini", "cfg", "conf", "env", "db", "csv", "xml", "html", "css", "log", "lock", "exe",
		"service":
		return true
	default:
		return false
	}
}

// weekday reports whether a word is a day of the week.
func weekday(w string) bool {
	switch w {
	case "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday":
		return true
	default:
		return false
	}
}

// preface reports whether a word before a colon only introduces the rest: note, todo.
func preface(w string) bool {
	switch w {
	case "note", "update", "decision", "correction", "fyi", "reminder", "info", "important", "fact", "insight":
		return true
	default:
		return false
	}
}
