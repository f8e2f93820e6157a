package index_test

import (
	"slices"
	"testing"
)

// notesOfLanguages is a store of several languages.
func notesOfLanguages() *source {
	s := newSource("s")
	s.put(
		note(1, "Die Verbindungen zum Server brechen nach zwei Minuten ab, wenn das nicht läuft"),
		note(2, "Les connexions au serveur sont coupées après deux minutes quand il ne tourne pas"),
		note(3, "The connections to the server break after two minutes if it does not run"),
		note(4, "Las conexiones con el servidor se cortan a los dos minutos si no está en marcha"),
		note(5, "Соединения с серверами обрываются через две минуты"),
		note(6, "サーバーへの接続は二分後に切れます"),
		note(7, "Połączenia z serwerem są przerywane po dwóch minutach, jeśli nie działa"),
		note(8, "The serving of dinner begins at two", "wenn die Gäste nicht kommen"),
	)
	return s
}

// A word finds its other forms in the texts of its language, in a store of several.
func TestSearch_stems_by_language(t *testing.T) {
	t.Parallel()
	x := open(t, notesOfLanguages(), nil)
	for _, c := range []struct {
		text string
		want int
	}{
		{"welche Verbindung bricht ab", 1},
		{"Verbindung", 1},
		{"quelle connexion est coupée", 2},
		{"which connection breaks", 3},
		{"qué conexión se corta", 4},
		{"какое соединение с сервером", 5},
		{"接続", 6},
		{"jakie połączenie z serwerami", 7},
		{"dinners served", 8},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			if got := append(ranked(x, query{Text: c.text}), 0); got[0] != c.want {
				t.Errorf("it finds %v, want %d first", got, c.want)
			}
		})
	}
}

// A query in English has no stems of other languages: "serv" is the German stem of "Server".
func TestSearch_stems_leave_English_alone(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "Das ist ein Server und der ist nicht schnell"), note(2, "a server of the team"), note(3, "the serving of dinner"))
	x := open(t, s, nil)
	if got := ids(x, query{Text: "where is the server"}); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("found %v, want 1 and 2", got)
	}
}

// The length of a text is that of its words, whatever its language.
func TestSearch_stems_do_not_count_for_the_length(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "die Häuser und der Garten"))
	list, _ := search(open(t, s, nil), query{Text: "haus"})
	if len(list) != 1 || list[0].Row.Length != 5 {
		t.Errorf("got %+v, want a text of 5 words", list)
	}
}

// No query finds the term that marks the language of a text, and a substring neither.
func TestSearch_language_is_no_word(t *testing.T) {
	t.Parallel()
	x := open(t, notesOfLanguages(), nil)
	for _, q := range []query{{Text: "pl", Substring: true}, {Text: "\x02pl"}} {
		if got := ids(x, q); len(got) != 0 {
			t.Errorf("%q finds %v", q.Text, got)
		}
	}
}

// In German, Dutch and the Nordic languages a word finds compounds with it, and a compound its parts.
func TestSearch_compounds(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(
		note(1, "Der Produktivserver wird nur dienstags aktualisiert, und das nicht vor elf"),
		note(2, "Die Erklärung zur Steuer ist noch nicht fertig"),
		note(3, "De klantendatabase wordt niet vaak bijgewerkt door het team"),
		note(4, "Säkerhetskopian ligger inte på den stora disken som vi har"),
		note(5, "The workflow of the team is written down in the handbook"),
		note(6, "Ein anderer Text, der nicht gemeint ist und von Katzen handelt"),
	)
	x := open(t, s, nil)
	for _, c := range []struct {
		text string
		want int // the best match, 0: there is none
	}{
		{"welcher Server", 1},
		{"Steuererklärung", 2},
		{"welke database", 3},
		{"vilken kopian", 4},
		{"which flow", 0},
		{"welche Tag", 0}, // less than four letters
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			if got := append(ranked(x, query{Text: c.text}), 0); got[0] != c.want {
				t.Errorf("it finds %v, want %d first", got, c.want)
			}
		})
	}
}
