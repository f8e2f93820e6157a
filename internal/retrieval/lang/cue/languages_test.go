package cue_test

import (
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/cue"
)

func TestOf_Languages(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]cue.Cues{
		// German: every noun has a capital.
		"Wir haben den Server gestern neu gestartet":      hasTime,
		"der Cache ist am Montag ausgefallen":             hasTime,
		"Der Dienst läuft auf zwei Servern":               number,
		"das Treffen mit Anna Müller":                     named,
		"ich habe Frau Weber gefragt":                     named,
		"die API ist langsam":                             named,
		"der Umzug nach PostgreSQL":                       named,
		"Die Datenbank ist in der Nacht ausgefallen":      0,
		"im März 2024 haben wir das entschieden":          hasTime | number,
		"Läuft der Server?":                               asks,
		"der Termin ist am Montag Abend":                  hasTime,
		"the NATO and the U.N. met in Bonn, der Kanzler":  named,
		"so Anna and Bob said: it is der only word of it": named,
		// French, Spanish, Portuguese
		"nous avons décidé cela hier":              hasTime,
		"la réunion est lundi à Lyon":              hasTime | named,
		"il y a deux serveurs":                     number,
		"le serveur est lent":                      0,
		"lo decidimos ayer":                        hasTime,
		"el servidor tiene dos discos en Madrid":   number | named,
		"¿Qué hora es":                             asks,
		"Dime: ¿cuándo fue eso.":                   asks,
		"¿Qué? Nada":                               0,
		"decidimos isso ontem com a Ana":           hasTime | named,
		"há vários erros desde a semana passada":   hasTime | number,
		"o servidor é lento":                       0,
		"em MARÇO, às terças":                      hasTime,
		"Élodie et Zoé sont à l'ÉCOLE":             named,
		"on a vu des oiseaux, puis un chat dormir": 0,
		// Chinese and Japanese
		"我们昨天决定了":                 hasTime,
		"会议在3月":                   hasTime | number,
		"2026年3月3日部署":             hasTime | number,
		"服务器有三个磁盘":                number,
		"我们一起走":                   0,
		"缓存很慢":                    0,
		"昨天去了吗":                   hasTime | asks,
		"是吗？":                     asks,
		"我们在 Berlin 见面":           named,
		"昨日決めました":                 hasTime,
		"会議は月曜日です":                hasTime,
		"サーバーは二台あります":             number,
		"遅いです":                    0,
		"これは遅いですか。":               asks,
		"行きますか":                   asks,
		"私は Redis と Postgres を使う": named,
	} {
		if got := cue.Of(text); got != want {
			t.Errorf("%q has cues %04b, want %04b", text, got, want)
		}
		if got := plain(text); got != want {
			t.Errorf("%q plainly has cues %04b, want %04b", text, got, want)
		}
	}
}

func TestExpected_Languages(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]cue.Cues{
		"Wann haben wir uns getroffen?":               hasTime,
		"seit wann ist es langsam":                    hasTime,
		"In welchem Jahr war das":                     hasTime,
		"Wie lange hat es gedauert?":                  hasTime | number,
		"Wie viele Katzen":                            number,
		"wie alt ist Anna":                            number,
		"Wer ist es?":                                 named,
		"Wo wohnt sie":                                named,
		"welche Stadt":                                named,
		"wie geht das":                                0,
		"warum ist es langsam":                        0,
		"viele alte Server":                           0,
		"quand avons-nous décidé ?":                   hasTime,
		"quelle année":                                hasTime,
		"Combien de chats ?":                          number,
		"Qui est venu ?":                              named,
		"Où habite-t-elle ?":                          named,
		"à qui est ce chat":                           named,
		"le serveur qui tombe":                        0,
		"pourquoi est-ce lent":                        0,
		"¿Cuándo nos vimos?":                          hasTime,
		"¿En qué año fue?":                            hasTime,
		"¿Cuántos gatos?":                             number,
		"¿Quién vino y DÓNDE?":                        named,
		"¿por qué es lento?":                          0,
		"cuando llueve":                               0,
		"Quando nos encontramos?":                     hasTime,
		"Quantos gatos?":                              number,
		"Quem veio? Onde?":                            named,
		"em que ano foi":                              hasTime,
		"por que é lento":                             0,
		"我们什么时候决定的？":                                  hasTime,
		"哪一年发布的":                                      hasTime,
		"有多少服务器？":                                     number,
		"谁决定的？":                                       named,
		"他住在哪里":                                       named,
		"为什么很慢":                                       0,
		"いつ決めましたか？":                                   hasTime,
		"何年に発売された":                                    hasTime,
		"サーバーは何台ありますか":                                number,
		"誰が決めましたか":                                    named,
		"どこに住んでいますか":                                  named,
		"なぜ遅いのですか":                                    0,
		"Wo hat sie früher gewohnt?":                  named | former,
		"où vivait-elle auparavant":                   named | former,
		"¿Dónde vivía anteriormente?":                 named | former,
		"onde morava antigamente":                     named | former,
		"她以前住在哪里":                                     named | former,
		"以前はどこに住んでいましたか":                              named | former,
		"Wo wohnt sie jetzt?":                         named | now,
		"où habite-t-elle en ce moment":               named | now,
		"¿Dónde vive actualmente?":                    named | now,
		"onde mora agora":                             named | now,
		"她现在住在哪里":                                     named | now,
		"今はどこに住んでいますか":                                named | now,
		"wo und wann":                                 hasTime | named,
		"what is the name der Rose":                   named,
		"a very long query " + "abcdefghijklmnopqrst": 0,
	} {
		if got := cue.Expected(query); got != want {
			t.Errorf("%q wants %04b, want %04b", query, got, want)
		}
	}
}
