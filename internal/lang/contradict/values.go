package contradict

// opposite reports whether two words are opposites that cannot both hold.
func opposite(a, b string) bool { return opposed(a, b) || opposed(b, a) }

func opposed(a, b string) bool {
	switch a + " " + b {
	case "enabled disabled", "enable disable", "enables disables", "on off", "allow forbid", "allowed forbidden",
		"allow deny", "allowed denied", "allowed prohibited", "allowed banned", "allow block", "allow disallow",
		"allows forbids", "allows blocks", "allowed blocked", "permitted forbidden", "use avoid", "uses avoids",
		"before after", "required optional", "mandatory optional", "public private", "stable unstable", "safe unsafe",
		"supported unsupported", "valid invalid", "available unavailable", "possible impossible",
		"compatible incompatible", "sync async", "synchronous asynchronous", "ascending descending",
		"include exclude", "includes excludes", "included excluded", "accept reject", "accepts rejects",
		"accepted rejected", "open closed", "online offline", "passes fails", "pass fail", "passing failing",
		"love hate", "loves hates", "like dislike", "likes dislikes", "true false", "yes no", "high low",
		"mutable immutable", "encrypted unencrypted", "locked unlocked", "installed uninstalled", "active inactive",
		"visible hidden", "manual automatic", "manually automatically", "local remote", "correct wrong",
		"correct incorrect", "true untrue", "deterministic nondeterministic", "blocking nonblocking",
		"signed unsigned", "sorted unsorted", "married single", "alive dead", "healthy unhealthy", "thread-safe thread-unsafe", "case-sensitive case-insensitive", "deprecated recommended", "prefer avoid",
		"prefers avoids", "agrees disagrees", "approved rejected", "present absent", "full empty",
		"trusted untrusted", "known unknown":
		return true
	default:
		return false
	}
}

// numeral parses a number that is written out.
func numeral(w string) (float64, bool) {
	for i, n := range [...]string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"} {
		if n == w && i != 1 { // "one" is a pronoun as well
			return float64(i), true
		}
	}
	return 0, false
}

// month returns the two digits of a month.
func month(w string) (string, bool) {
	for i, n := range [...]string{
		"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
	} {
		if w == n || len(w) == 3 && w == n[:3] || w == "sept" && i == 8 {
			return string([]byte{'0' + byte(i+1)/10, '0' + byte(i+1)%10}), true
		}
	}
	return "", false
}

// unit is a unit of measurement: its dimension, and its factor to the smallest one.
type unit struct {
	dimension string
	size      float64
}

// unitOf parses a unit. Data sizes are powers of 1,000, even where 1,024 is meant.
func unitOf(s string) (unit, bool) {
	switch s {
	case "ns", "nanosecond", "nanoseconds":
		return unit{"time", 1e-9}, true
	case "us", "µs", "microsecond", "microseconds":
		return unit{"time", 1e-6}, true
	case "ms", "millisecond", "milliseconds":
		return unit{"time", 1e-3}, true
	case "s", "sec", "secs", "second", "seconds":
		return unit{"time", 1}, true
	case "min", "mins", "minute", "minutes":
		return unit{"time", 60}, true
	case "h", "hr", "hrs", "hour", "hours":
		return unit{"time", 3600}, true
	case "d", "day", "days":
		return unit{"time", 86400}, true
	case "week", "weeks":
		return unit{"time", 7 * 86400}, true
	case "month", "months":
		return unit{"months", 1}, true
	case "year", "years":
		return unit{"months", 12}, true
	case "byte", "bytes":
		return unit{"data", 1}, true
	case "kb", "kib", "kilobyte", "kilobytes":
		return unit{"data", 1e3}, true
	case "mb", "mib", "megabyte", "megabytes":
		return unit{"data", 1e6}, true
	case "gb", "gib", "gigabyte", "gigabytes":
		return unit{"data", 1e9}, true
	case "tb", "tib", "terabyte", "terabytes":
		return unit{"data", 1e12}, true
	case "%", "percent":
		return unit{"percent", 1}, true
	default:
		return otherUnit(s)
	}
}

func otherUnit(s string) (unit, bool) {
	switch s {
	case "$", "usd", "dollar", "dollars":
		return unit{"dollars", 1}, true
	case "€", "eur", "euro", "euros":
		return unit{"euros", 1}, true
	case "£", "gbp", "pounds":
		return unit{"pounds", 1}, true
	case "mm":
		return unit{"length", 1e-3}, true
	case "cm":
		return unit{"length", 1e-2}, true
	case "m", "meter", "meters", "metre", "metres":
		return unit{"length", 1}, true
	case "km", "kilometers", "kilometres":
		return unit{"length", 1e3}, true
	case "mile", "miles":
		return unit{"length", 1609.344}, true
	case "g", "gram", "grams":
		return unit{"mass", 1e-3}, true
	case "kg", "kilos", "kilograms":
		return unit{"mass", 1}, true
	case "hz":
		return unit{"frequency", 1}, true
	case "khz":
		return unit{"frequency", 1e3}, true
	case "mhz":
		return unit{"frequency", 1e6}, true
	case "ghz":
		return unit{"frequency", 1e9}, true
	case "k":
		return unit{"", 1e3}, true
	case "x", "px", "°c", "°f":
		return unit{s, 1}, true
	default:
		return unit{}, false
	}
}
