package screen

// cardRule is the rule of the numbers of payment cards.
const cardRule = "card-number"

// luhn reports whether the last digit of a number checks the others. Source: ISO/IEC 7812-1, annex B.
func luhn(number string) bool {
	sum, double := 0, false
	for i := len(number) - 1; i >= 0; i-- {
		d := int(number[i]) - '0'
		if d < 0 || d > 9 {
			continue // a space or a hyphen
		}
		if double {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum, double = sum+d, !double
	}
	return sum%10 == 0
}
