package detect_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/detect"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"", "und"},
		{"42 -- !?", "und"},
		{"redis timeout", "und"},
		{"an unknown word to me", "en"},
		{"When does the certificate expire?", "en"},
		{"don’t restart it", "en"},
		{"Muss ich ein VPN einschalten?", "de"},
		{"Größe der Datenbank", "de"},
		{"Quels jours peut-on mettre en production ?", "fr"},
		{"l'adresse du serveur qu’il avait", "fr"},
		{"¿Dónde están las copias de seguridad?", "es"},
		{"Onde ficam as cópias de segurança? Não sei.", "pt"},
		{"Quando scade la firma? Dell'altro non so.", "it"},
		{"Waar staan de kopieën die wij van onze klanten hebben?", "nl"},
		{"Hvad gør vi, når nogle af vores certifikater bliver gamle?", "da"},
		{"När går certifikatet ut? Jag vet inte.", "sv"},
		{"Hva gjør vi når sertifikatet går ut? Det vet ikkje eg.", "no"},
		{"Milloin varmenne vanhenee? En minä tiedä, mutta se on pian.", "fi"},
		{"Mikor jár le a tanúsítvány? Nem tudom, hogy ez mi.", "hu"},
		{"Când expiră certificatul? Nu știu, dar este și acesta.", "ro"},
		{"Sertifika ne zaman bitiyor? Bunu bilmiyorum, çünkü bu değil.", "tr"},
		{"Kiedy wygasa certyfikat? Nie wiem, ale to jest ważne.", "pl"},
		{"Kdy vyprší certifikát? Nevím, ale je to důležité.", "cs"},
		{"Cathain a rachaidh an teastas as feidhm? Níl a fhios agam, ach tá sé go maith.", "ga"},
		{"Когда истекает сертификат?", "ru"},
		{"Коли закінчується сертифікат? Її немає.", "uk"},
		{"متى تنتهي صلاحية الشهادة؟", "ar"},
		{"گواهی چه زمانی منقضی می\u200cشود؟", "fa"},
		{"证书什么时候到期？", "zh"},
		{"証明書の期限はいつですか", "ja"},
		{"인증서는 언제 만료되나요?", "ko"},
		{"ใบรับรองหมดอายุเมื่อไร", "th"},
		{"Πότε λήγει το πιστοποιητικό;", "el"},
		{"מתי פג תוקף האישור?", "he"},
		{"प्रमाणपत्र कब समाप्त होता है?", "hi"},
		{"சான்றிதழ் எப்போது", "ta"},
		{"The 証明書 of the server is in the vault", "en"},
		{"Server の証明書は金庫にあります", "ja"},
		{"\xff\xfe", "und"},
		{strings.Repeat("x", 1<<19), "und"},
	} {
		if got := detect.Of(c.text).String(); got != c.want {
			t.Errorf("%.60q is in %s, want %s", c.text, got, c.want)
		}
	}
}

// What may be in several languages has all of them.
func TestPlausible(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]detect.Language{
		"redis timeout":  nil,
		"die Datenbank":  {detect.Dutch, detect.German},
		"der Datenbank":  {detect.Danish, detect.Dutch, detect.German, detect.Norwegian},
		"the database":   {detect.English},
		"über":           {detect.German},
		"serveur à côté": {detect.French, detect.Portuguese},
		"Проверка":       nil,
	} {
		got := slices.Collect(detect.Plausible(text).All())
		if !slices.Equal(got, want) {
			t.Errorf("%q is in %v, want %v", text, got, want)
		}
	}
}

func TestHint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		word     string
		language detect.Language
		function bool
	}{
		{"(Während,", detect.German, true},
		{"WÄHREND", detect.German, true},
		{"Straße", detect.German, false},
		{"the", detect.German, false},
		{"the", detect.English, true},
		{"", detect.Unknown, false},
		{"the", detect.Unknown, false},
		{strings.Repeat("ä", 100), detect.German, false},
	} {
		if got := detect.HintOf(c.word).FunctionWord(c.language); got != c.function {
			t.Errorf("%.20q is a function word in %v: %v", c.word, c.language, got)
		}
	}
}

// The scores of a very long text do not overflow.
func TestTally_of_many_words(t *testing.T) {
	t.Parallel()
	if got := detect.Of(strings.Repeat("und die Katze ", 1<<16)); got != detect.German {
		t.Errorf("got %v", got)
	}
}

func TestTags(t *testing.T) {
	t.Parallel()
	for l := detect.English; l <= detect.Ukrainian; l++ {
		if got := detect.Parse(l.String()); got != l {
			t.Errorf("%v is read as %v", l, got)
		}
	}
	if got := detect.Parse("tlh"); got != detect.Unknown || detect.Language(200).String() != "und" {
		t.Errorf("an unknown tag is %v", got)
	}
}

// A binary search finds a word only if the lines are sorted.
func TestFunctionWords_are_sorted(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("words.txt")
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for line := range strings.Lines(string(b)) {
		word, tags, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		words = append(words, word)
		for tag := range strings.FieldsSeq(tags) {
			l := detect.Parse(tag)
			if e := detect.HintOf(word); detect.SetOf(l) == 0 || !strings.HasSuffix(word, "'") && !e.FunctionWord(l) {
				t.Errorf("%s is no function word of %s", word, tag)
			}
		}
	}
	if !slices.IsSorted(words) || len(slices.Compact(words)) != len(words) {
		t.Error("the words are not sorted, or not distinct")
	}
}

func TestOf_allocates_nothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { detect.Of("Wie heißt der Server, den wir l'année dernière hatten? 証明書") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzOf(f *testing.F) {
	for _, s := range []string{"", "der die das", "l'", "'", "\xff", "שָׁלוֹם abc \u202e", "東京 the", "ǅ İ ı"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if l := detect.Of(s); l != detect.Unknown && detect.Parse(l.String()) != l {
			t.Errorf("%q is in %d", s, l)
		}
		detect.Plausible(s)
	})
}

func BenchmarkOf(b *testing.B) {
	for name, text := range map[string]string{
		"query": "which days may we deploy to production",
		"note":  "Vor dem Deployment auf den Staging-Server muss das VPN der Frankfurter Zentrale laufen, sonst bricht die Verbindung nach zwei Minuten ab.",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				detect.Of(text)
			}
		})
	}
}
