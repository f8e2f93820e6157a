package screen

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// maxJudged is how much of a long value decides what it is, in bytes.
const maxJudged = 128

// is reports whether a word is the value of the name.
func (v *valueReader) is(w string, link linkage, quote string, adjacent bool) bool {
	if len(w) > maxJudged {
		w = strings.ToValidUTF8(w[:maxJudged], "")
	}
	w = strings.TrimSuffix(w, "**") // bold type
	if len(w) < 4 || flag().MatchString(w) || placeholder(w) || words().none[strings.ToLower(w)] {
		return false
	}
	if v.short && (link != linkAssign || !adjacent) {
		return v.class == passwordName && link != linkAfter && (link != linkNone || adjacent) && isPassword(w) && mixed(w) >= 3
	}
	switch {
	case v.class == passwordName && link == linkAssign:
		return v.password(w, quote)
	case v.class == passwordName && link == linkProse:
		return isPassword(w)
	case v.class == passwordName && adjacent && link == linkNone:
		return isPassword(w) && mixed(w) >= 3 && utf8.RuneCountInString(w) >= 7
	case v.class == loginName && v.pair(w):
		return true
	case v.class != keyName && link == linkAssign:
		return isToken(w, 10, 2.8) || v.plainSecret(w, quote)
	case v.class != keyName && link == linkProse:
		return isToken(w, 12, 3)
	case v.class == keyName && link >= linkProse:
		return isToken(w, 20, 3.5) && !isHex(w)
	}
	return v.class != passwordName && (isToken(w, 16, 3.3) && !isHex(w) && mixed(w) >= 3 || productKey().MatchString(w))
}

// pair reports whether a word is a user and a password, or the password behind "user / ".
func (v *valueReader) pair(w string) bool {
	user, password, ok := strings.Cut(w, "/")
	if !ok && strings.HasSuffix(strings.TrimRight(v.text[:v.at], " "), " /") {
		user, password = "user", w
	}
	if user == "" || password == "" || strings.ContainsAny(password, "/.") {
		return false
	}
	return isPassword(password) && mixed(password) == 4 || isToken(password, 10, 3.2)
}

// password is the rule for an assigned password: it is of several kinds of characters, or a word in the place of a value of
// a setting.
func (v *valueReader) password(w, quote string) bool {
	if isPassword(w) || isUUID(w) {
		return true
	}
	if strings.ContainsAny(w, " ") || utf8.RuneCountInString(w) < 6 {
		return false
	}
	if !isWord(w) {
		return strings.ContainsAny(w, "-_") && isToken(w, 8, 2.5)
	}
	return v.setting() || v.flag || quote != "" && quote != "`" && !strings.Contains(v.name, " ")
}

// plainSecret is the rule for a secret of letters only in a setting: SESSION_SECRET=correcthorse.
func (v *valueReader) plainSecret(w, quote string) bool {
	if !v.setting() || len(w) < 10 || strings.Contains(w, " ") {
		return false
	}
	return isWord(w) && quote == "" || isUUID(w)
}

// setting reports whether the name is that of a setting: upper case, or directly before the equals sign.
func (v *valueReader) setting() bool {
	after := v.text[v.at-1] // what was skipped last
	return v.name == strings.ToUpper(v.name) && strings.ContainsAny(v.name, "_ABCDEFGHIJKLMNOPQRSTUVWXYZ") || after == '='
}

// isPassword reports whether a word in the place of a password is one and not prose: it has letters and digits, or
// marks, or four digits or more, or capitals in its middle.
func isPassword(w string) bool {
	return looksTyped(w) && !version().MatchString(strings.Trim(w, "*_")) && !isReference(w) && !date().MatchString(w)
}

// looksTyped is the part of [isPassword] about the characters.
func looksTyped(w string) bool {
	letters, digits, marks, inner := 0, 0, 0, 0
	previous := rune(0)
	for _, r := range w {
		switch {
		case unicode.IsDigit(r):
			digits++
		case strings.ContainsRune("!@#$%^&*?~+", r):
			marks++
		case unicode.IsLetter(r):
			letters++
			if unicode.IsUpper(r) && unicode.IsLower(previous) {
				inner++
			}
		}
		previous = r
	}
	n := utf8.RuneCountInString(w)
	switch {
	case strings.ContainsRune(w, ' '):
		return false
	case letters > 0 && digits > 0:
		return n >= 5 && !unit().MatchString(w)
	case letters > 0 && marks > 0:
		return n >= 6 && !strings.HasSuffix(w, "!") && !strings.HasSuffix(w, "?") || marks > 1 && n >= 6
	case letters == 0 && digits >= 4:
		return digits+marks == n
	case strings.Count(w, "-") >= 3 && n >= 20:
		return true
	}
	return inner >= 2 && n >= 8
}

// isToken reports whether a word is random: of a length and an entropy, with digits and letters.
func isToken(w string, length int, bits float64) bool {
	if len(w) < length || strings.ContainsRune(w, ' ') {
		return false
	}
	digits, letters := 0, 0
	for i := range len(w) {
		switch b := w[i]; {
		case isDigit(b):
			digits++
		case isLetter(b):
			letters++
		case b < ' ' || b >= 0x80:
			return false
		}
	}
	if letters < 2 || digits == 0 && (letters < 24 || mixed(w) < 2 || strings.ContainsAny(w, "._/-")) || digits == 1 && mixed(w) < 3 {
		return false
	}
	return entropy(w) >= bits && !isIdentifier(w) && !slug().MatchString(w) && !isReference(w) && !version().MatchString(w) && !date().MatchString(w) && !month().MatchString(w)
}

// isIdentifier reports whether a word is made of words and numbers, as names in programs are: its runs of the same kind of
// characters are long. Those of random text have less than three on average.
func isIdentifier(w string) bool {
	runs := 1
	for i := 1; i < len(w); i++ {
		a, b := w[i-1], w[i]
		if isLetter(a) != isLetter(b) || isLower(a) && isUpper(b) || isDigit(a) != isDigit(b) || i > 1 && isUpper(w[i-2]) && isUpper(a) && isLower(b) {
			runs++
		}
	}
	return float64(len(w)) >= 4*float64(runs)
}

// mixed counts the kinds of characters of a word: lower case, upper case, digits, others.
func mixed(w string) int {
	var kinds [4]int
	for i := range len(w) {
		switch b := w[i]; {
		case isLower(b):
			kinds[0] = 1
		case isUpper(b):
			kinds[1] = 1
		case isDigit(b):
			kinds[2] = 1
		default:
			kinds[3] = 1
		}
	}
	return kinds[0] + kinds[1] + kinds[2] + kinds[3]
}

// isWord reports whether a text is of letters only.
func isWord(w string) bool {
	return !strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
}

// compiled returns a function that compiles a regular expression at its first call: a process that checks no text needs none.
func compiled(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

//nolint:gochecknoglobals // compiled when they are first used
var (
	uuid       = compiled(`^(?i)\{?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?$`)
	version    = compiled(`^(?i)[v^~=<>@]*\d+(\.\d+)+([-+.][a-z0-9.+-]{0,20})?$`)
	date       = compiled(`^\d{4}-\d{2}-\d{2}`)
	unit       = compiled(`^(?i)~?\d+(-?(chars?|characters|bytes?|bits?|bit|days?|d|h|hours?|min|m|s|ms|kb?|mb?|gb?|x|st|nd|rd|th)\b)`)
	chain      = compiled(`^[A-Za-z_$][\w$]*((\.|::|->|\?\.)[A-Za-z_$][\w$]*)+$`)
	hash       = compiled(`^(?i)(h1:|sha\d+[-:~]|md5[-:]|\$2[aby]?\$|\$argon2|\$[156y]\$|\$pbkdf2|pbkdf2[_:]|scrypt[:$]|bcrypt|ssh-|ecdsa-|AAAA[BCE]3|MII[BC]I|data:|urn:|arn:|<)`)
	call       = compiled(`^[&*!]?[A-Za-z_$][\w.$]*[(\[{]|\]\.\w|\w=?\(\w*$|^\w+=\(`)
	month      = compiled(`^(?i)[a-z]{3,9}-\d{1,2}-\d{4}$`)
	slug       = compiled(`^[a-z]{2,20}\d{0,3}([-_.:/]([a-z]{1,20}\d{0,4}|\d{1,10}|[0-9a-f]{6,12}))+$`) // db-credentials-v2
	flag       = compiled(`^-[a-z-]`)
	standard   = compiled(`^(?i)(utf|iso|cp|windows|base|sha|aes|rsa|md|rfc|tls)[-_]?\d[\d-]*$`)
	dependency = compiled(`^[\w.\[\]-]+[=~<>!]=\d`)
	yamlTag    = compiled(`^!\w+$`)
	productKey = compiled(`^[A-Z0-9]{4,6}(-[A-Z0-9]{4,6}){3,}$`)
	extension  = compiled(`^[\w/.@-]+\.[a-z]{1,5}(:\d+)*$`)
	masked     = compiled(`^[*xX•.#_=-]{3,}\w{0,4}$`)
)

func isUUID(w string) bool { return uuid().MatchString(w) }

func isHex(w string) bool {
	return !strings.ContainsFunc(w, func(r rune) bool { return !unicode.Is(unicode.ASCII_Hex_Digit, r) && r != '-' && r != ':' })
}

// isReference reports whether a word says where a secret is, or is the name of a variable.
func isReference(w string) bool {
	if chain().MatchString(w) && !strings.ContainsFunc(w, unicode.IsDigit) || hash().MatchString(w) {
		return true
	}
	if call().MatchString(w) || yamlTag().MatchString(w) || standard().MatchString(w) || dependency().MatchString(w) {
		return true
	}
	if strings.Contains(w, "://") {
		return true
	}
	slashes := strings.Count(w, "/")
	return slashes > 0 && (w[0] == '/' || w[0] == '.' || w[0] == '~' || strings.Contains(w, "@")) && !strings.ContainsAny(w, "+=") || slashes > 1 && entropy(w) < 4.2 ||
		extension().MatchString(w)
}

// placeholder reports whether a value only stands for a secret: it is an example, a variable, or masked.
func placeholder(w string) bool {
	if words().exampleParts.in(w) {
		return true
	}
	switch {
	case strings.HasPrefix(w, "$") && len(w) > 1 && (isLetter(w[1]) || w[1] == '_') && isVariable(w[1:]),
		strings.HasPrefix(w, "%") && strings.HasSuffix(w, "%"),
		strings.HasPrefix(w, "<"), strings.HasPrefix(w, "["), strings.HasPrefix(w, "{"), masked().MatchString(w):
		return true
	}
	return sameByte(w) || words().examples[strings.ToLower(w)]
}

// isVariable reports whether the rest of $NAME is a name.
func isVariable(w string) bool {
	return !strings.ContainsFunc(w, func(r rune) bool { return r != '_' && (r > 'z' || !identifierByte(byte(r)) || r == '-') }) && (w == strings.ToUpper(w) || w == strings.ToLower(w))
}

func sameByte(w string) bool {
	for i := 1; i < len(w); i++ {
		if w[i] != w[0] {
			return false
		}
	}
	return true
}
