package main

import (
	"fmt"
	"regexp"
	"slices"
	"time"
)

// normaliser replaces what differs from run to run.
type normaliser struct {
	ids  *regexp.Regexp
	days *regexp.Regexp
	seen []string // short IDs, in the order of their first occurrence
}

func newNormaliser() *normaliser {
	return &normaliser{
		ids:  regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{8}\b`),
		days: regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`),
	}
}

// text returns a text with other UUIDs and short IDs, equal ones for equal ones, and with the date of
// [exampleTime].
func (n *normaliser) text(s string) string {
	s = n.ids.ReplaceAllStringFunc(s, n.id)
	return n.days.ReplaceAllString(s, exampleTime().In(time.UTC).Format(time.DateOnly))
}

// id returns what stands for a UUID, or for its last 8 digits: one whose time is some seconds after the one before, as
// those of a person are.
func (n *normaliser) id(id string) string {
	const short = 8
	key := id[len(id)-short:]
	i := slices.Index(n.seen, key)
	if i < 0 {
		i = len(n.seen)
		n.seen = append(n.seen, key)
	}
	at := exampleTime().UnixMilli() + int64(i)*23_456
	hex := fmt.Sprintf("%012x", at)
	random := fmt.Sprintf("%016x", uint64(i+1)*0x9e3779b97f4a7c15)
	whole := fmt.Sprintf("%s-%s-7%s-a%s-%s", hex[:8], hex[8:], random[:3], random[3:6], random[4:])
	return whole[len(whole)-len(id):]
}
