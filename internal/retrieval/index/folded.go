package index

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fold returns the form in which a tag, a type or an author is compared: without white space around it, composed (NFC), and in
// one case, so that "CI" is "ci" whichever of the two was stored. The results of two texts are equal if [strings.EqualFold] reports
// that their composed forms are.
func fold(s string) string {
	return norm.NFC.String(strings.Map(foldRune, norm.NFC.String(strings.TrimSpace(s))))
}

// foldRune returns the form of r that stands for all of its cases: the lower case of letters of ASCII, else the least.
func foldRune(r rune) rune {
	if r < unicode.MaxASCII {
		return unicode.ToLower(r)
	}
	least := r
	for x := unicode.SimpleFold(r); x != r; x = unicode.SimpleFold(x) {
		least = min(least, x)
	}
	if least < unicode.MaxASCII { // the Kelvin sign, the long s
		return unicode.ToLower(least)
	}
	return least
}

// foldedNames are the names of a segment that are compared in folded form and are written in another one, by that form.
type foldedNames map[string][]uint32
