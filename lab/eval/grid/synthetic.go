package grid

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// fact is a note, a question that it answers in other words, one in its own words, and one on its subject that it does not answer.
type fact struct{ note, other, own, missing string }

// facts are the notes of the set in the program. They were written for it, and for nothing else.
func facts() []fact {
	return []fact{
		{"The dentist put a crown on the lower left molar in March and wants to look at it again in autumn.", "when is the tooth to be checked", "dentist crown molar", "how much was the crown on the molar?"},
		{"Invoices are numbered per country since the audit; gaps in the numbers have to be explained in writing.", "what if a bill number is skipped", "invoices numbered per country", "who explains gaps in the invoice numbers?"},
		{"The export job runs out of memory above two million rows, so it writes in parts of fifty thousand.", "why is the dump split into chunks", "export job memory rows", "which version of the export job writes in parts?"},
		{"Jana is allergic to hazelnuts but not to almonds, and carries an injector in her bag.", "can she eat marzipan", "Jana allergic hazelnuts", "who prescribed Jana's injector?"},
		{"We keep sessions in the database and not in the browser, because support has to end them when a laptop is stolen.", "how do we log out a lost device", "sessions in the database", "how long is a session kept in the database?"},
		{"The heating engineer said to bleed the radiators from the bottom floor upwards, never the other way round.", "in which order do I let the air out", "bleed radiators bottom floor", "what is the phone number of the heating engineer?"},
		{"Flaky test TestLedgerSplit: the clock of the container is an hour off; set TZ to UTC before it runs.", "ledger check fails only in docker", "TestLedgerSplit", "when was TestLedgerSplit written?"},
		{"The landlord pays for the boiler and we pay for the taps; it is in paragraph nine of the lease.", "who covers a broken water heater", "lease paragraph landlord boiler", "how much is the deposit in the lease?"},
		{"Passwords for the staging systems rotate on the first Monday of a month and are handed out by the desk on floor two.", "where do I get the new test credentials", "staging passwords rotate", "how long must a staging password be?"},
		{"Piano lessons moved to Thursday at five, since the teacher has choir on Wednesdays now.", "what day is music class", "piano lessons Thursday", "how much is a piano lesson?"},
		{"Queue consumers acknowledge after the commit, so a message may be handled twice and handlers have to be idempotent.", "can the same event arrive again", "consumers acknowledge after commit", "how many consumers does the queue have?"},
		{"The car needs 5W-30 oil and its next inspection is due when it reaches ninety thousand kilometres.", "what lubricant goes into the engine", "oil 5W-30 inspection", "which garage does the car's inspection?"},
		{"Do not upgrade the image library past 9.4: colours of scanned maps come out inverted in later ones.", "why are we stuck on an old picture package", "image library 9.4 maps", "who maintains the image library?"},
		{"Grandmother's recipe takes rye flour and buttermilk; the dough rests overnight in the cellar.", "how long does the bread stand", "recipe rye flour buttermilk", "at what temperature is grandmother's bread baked?"},
		{"The vendor's sandbox answers with error 4711 when the account has no address, whatever its documentation says.", "strange failure code from the supplier's test system", "error 4711 sandbox", "when will the vendor mend error 4711?"},
		{"Feature switches older than ninety days are deleted by whoever is on call that week.", "who cleans up stale toggles", "feature switches ninety days", "how many feature switches are there?"},
		{"Opa's hearing aid takes batteries of size 312; the orange ones from the chemist last longest.", "what cells does grandfather need", "hearing aid batteries 312", "which chemist adjusted the hearing aid?"},
		{"Reports for the regulator leave the house only after two people have signed, one of them from risk.", "how many signatures before we send it to the authorities", "reports regulator signed", "when is the next report for the regulator due?"},
		{"The search cluster was moved to the cheaper disks in May and nobody noticed any difference.", "did slower storage hurt", "search cluster cheaper disks", "how many nodes has the search cluster?"},
		{"Tariq prefers to be called in the afternoon, mornings belong to his thesis.", "best time to ring him", "Tariq afternoon thesis", "what is Tariq's thesis about?"},
		{"Rollbacks are done by pointing the load balancer at the former version; images are kept for ten days.", "how far back can we return after a bad release", "rollbacks load balancer", "who may do rollbacks?"},
		{"The tent's poles are in the blue bag behind the skis, the pegs in the tin with the clothes pins.", "where is the camping gear", "tent poles blue bag", "how many people fit into the tent?"},
		{"Mail to customers goes out before eight in the morning of their own zone, later ones are opened half as often.", "what hour do newsletters leave", "mail customers zone", "which service sends the mail to customers?"},
		{"Library books go back to the branch at the station, the main one does not take them on Mondays.", "where to return what we borrowed", "library books station", "what is the fee for late library books?"},
	}
}

// Synthetic returns the set in the program: 24 notes and two questions on each, for stores without any data.
func Synthetic() *eval.Set {
	s := &eval.Set{Name: "synthetic", Setting: eval.SettingCorpus, Groups: []eval.Group{{}}}
	for i, f := range facts() {
		m := note("fact", i, f.note, hippo.DefaultImportance)
		s.Groups[0].Docs = append(s.Groups[0].Docs, m)
		for k, text := range []string{f.other, f.own} {
			s.Questions = append(s.Questions, eval.Question{ID: strconv.Itoa(2*i + k), Text: text, Relevant: map[string]float64{eval.Name(m): 1}})
		}
	}
	return s
}

// generatedNotes are notes of a firm, by a pattern.
func generatedNotes(n int) (p pool) {
	r := seeded("notes")
	for i := range n {
		p = append(p, note("note", i, fmt.Sprintf("%s %s %s %s; %s.",
			pick(r, "Our warehouse", "The office in Ghent", "The spring campaign", "The new printer", "Accounting", "The garden team", "The intern", "The canteen"),
			pick(r, "orders", "reviews", "replaced", "counts", "photographed", "cleans", "paints", "measures"),
			pick(r, "forty chairs", "the window frames", "all paper forms", "the visitor badges", "two crates of apples", "the parking spaces", "the seed catalogue", "old posters"),
			pick(r, "every second week", "before the fair", "since the move", "in the absence of Karel", "with a borrowed van", "on the upper floor", "without a contract"),
			pick(r, "it costs "+number(r)+" euro", "ask Mieke first", "nobody has complained", "it takes "+number(r)+" minutes", "the list is on the door", "this was agreed in room "+number(r))), hippo.DefaultImportance))
	}
	return p
}

// generatedChat are idle turns, by a pattern.
func generatedChat(n int) (p pool) {
	r := seeded("chat")
	for i := range n {
		p = append(p, note("chat", i, fmt.Sprintf("%s %s %s",
			pick(r, "haha", "ok", "hmm", "yeah", "oh no", "right", "wow", "sure"),
			pick(r, "let's do it", "I'll be there", "that was fun", "can't wait", "so tired today", "see you", "what a day", "no idea"),
			pick(r, "tomorrow.", "later!", "after lunch.", "on the way home.", "with the others?", "again.", "at "+number(r)+".", "if it rains.")), .2))
	}
	return p
}

func number(r *rand.Rand) string { return strconv.Itoa(10 + r.IntN(90)) }
