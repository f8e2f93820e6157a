package splice

import "bytes"

// item is what is inserted into a container: a value, with a key in an object.
type item struct {
	key   string // empty in a list
	value any
}

func (i item) render(indent, unit string, inline bool) (string, error) {
	s, err := render(i.value, indent, unit, inline)
	if err != nil || i.key == "" {
		return s, err
	}
	key, err := render(i.key, "", "", true)
	return key + ": " + s, err
}

// insert returns text with an item at the end of a container.
func insert(text []byte, c *container, unit string, it item) ([]byte, error) {
	if len(c.items) == 0 {
		return insertFirst(text, c, unit, it)
	}
	last := c.items[len(c.items)-1]
	indent, first := indentation(text, last.from)
	s, err := it.render(indent, unit, !first)
	if err != nil {
		return nil, err
	}
	after := func(at int) int { return at }
	if first { // comments at the end of the line stay beside the item before
		s, after = "\n"+indent+s, func(at int) int { return commentEnd(text, at) }
	} else {
		s = " " + s
	}
	if at := comma(text, last.to); at >= 0 { // a trailing comma stays the last one
		at = after(at + 1)
		return replace(text, at, at, withLineBreaks(s+",", text)), nil
	}
	at := after(last.to)
	text = replace(text, at, at, withLineBreaks(s, text))
	return replace(text, last.to, last.to, []byte(",")), nil
}

// insertFirst is [insert] for an empty container, whose comments stay before the item.
func insertFirst(text []byte, c *container, unit string, it item) ([]byte, error) {
	outer, _ := indentation(text, c.from)
	indent := outer + unit
	s, err := it.render(indent, unit, false)
	if err != nil {
		return nil, err
	}
	at := max(trimmed(text, c.to-1), c.from+1)
	s = "\n" + indent + s
	if !bytes.ContainsRune(text[at:c.to-1], '\n') {
		return replace(text, at, c.to-1, withLineBreaks(s+"\n"+outer, text)), nil
	}
	return replace(text, at, at, withLineBreaks(s, text)), nil
}

// remove returns text without an item of a container. Comments of others stay.
func remove(text []byte, c *container, i int) []byte {
	at := c.items[i]
	from, to := trimmed(text, at.from), at.to
	end := comma(text, to)
	if end >= 0 {
		to = end + 1
	}
	if begin := c.from + 1; i > 0 || end < 0 {
		if i > 0 {
			begin = max(comma(text, c.items[i-1].to)+1, c.items[i-1].to)
		}
		if endsInLineComment(text, begin, from) && !startsLine(text, to) {
			from = lineEnd(text, from)
		}
	}
	if end >= 0 {
		return tidy(replace(text, from, to, bytes.Trim(text[at.to:end], " \t\r\n")), c, len(c.items) == 1)
	}
	text = replace(text, from, to, nil)
	if i > 0 { // it was the last one, so the item before it is now
		if end := comma(text, c.items[i-1].to); end >= 0 {
			text = replace(text, end, end+1, nil)
		}
	}
	return tidy(text, c, len(c.items) == 1)
}

// endsInLineComment reports whether white space and comments, text[begin:end], end in a
// comment that the next line break ends.
func endsInLineComment(text []byte, begin, end int) bool {
	for begin < end {
		if bytes.HasPrefix(text[begin:], []byte("//")) && lineEnd(text, begin) >= end {
			return true
		}
		next := begin + 1
		if text[begin] == '/' {
			next = skipComment(text, begin)
		}
		begin = next
	}
	return false
}

// startsLine reports whether only white space stands between a byte and the end of its line.
func startsLine(text []byte, at int) bool {
	rest := bytes.TrimLeft(text[at:], " \t\r")
	return len(rest) > 0 && rest[0] == '\n'
}

// tidy makes a container that became empty as short as it can be.
func tidy(text []byte, c *container, empty bool) []byte {
	if !empty {
		return text
	}
	rest := bytes.TrimLeft(text[c.from+1:], " \t\r\n")
	if rest[0] == '}' || rest[0] == ']' {
		return replace(text, c.from+1, len(text)-len(rest), nil)
	}
	return text
}
