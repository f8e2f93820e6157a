package contradict_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/contradict"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/lexicon"
)

// contradictingIn are pairs by language that cannot both be true, and the reason.
func contradictingIn() map[string][][3]string {
	return map[string][][3]string{
		"german": {
			{"Der API-Timeout ist 30 Sekunden", "Der API-Timeout ist 60 s", "30 Sekunden / 60 s"},
			{"Der API-Timeout ist jetzt 60 s.", "Der API-Timeout ist 30 s, weil das Gateway langsam ist.", "60 s / 30 s"},
			{"Der Timeout wurde auf 60 s geändert", "Der Timeout ist 30 s", "60 s / 30 s"},
			{"Der Server lauscht auf Port 8080", "Der Server lauscht auf Port 9090", "8080 / 9090"},
			{"Ein voller Build dauert etwa 5 Minuten", "Ein voller Build dauert 12 Minuten", "5 Minuten / 12 Minuten"},
			{"Die Lizenz kostet 20,50 Euro im Monat", "Die Lizenz kostet 35 Euro im Monat", "20,50 Euro / 35 Euro"},
			{"Das Limit ist 1.500 Anfragen", "Das Limit ist 3.000 Anfragen", "1.500 / 3.000"},
			{"Das Team hat drei Entwickler in Berlin", "Das Team hat fünf Entwickler in Berlin", "drei / fünf"},
			{"Die Frist ist der 5. März", "Die Frist ist der 12. März", "5 März / 12 März"},
			{"Das Treffen ist am Montag", "Das Treffen ist am Dienstag", "Montag / Dienstag"},
			{"Der Worker benutzt Redis", "Der Worker benutzt Redis nicht mehr", "one denies it"},
			{"Die API unterstützt Batch-Anfragen", "Die API unterstützt keine Batch-Anfragen", "one denies it"},
			{"Wir deployen am Freitag", "Wir deployen nie am Freitag", "one denies it"},
			{"Der Cache ist im Betrieb aktiviert", "Der Cache ist im Betrieb deaktiviert", "aktiviert / deaktiviert"},
			{"Das Feld ist erforderlich", "Das Feld ist optional", "erforderlich / optional"},
			{"Das Repository ist öffentlich", "Das Repository ist privat", "öffentlich / privat"},
			{"Die Migrationen laufen vor dem Deploy", "Die Migrationen laufen nach dem Deploy", "vor / nach"},
			{"Die Farbe von Anna ist Grün", "Die Farbe von Anna ist Blau", "Grün / Blau"},
			{"Die Datenbank im Test ist Postgres", "Die Datenbank im Test ist MySQL", "Postgres / MySQL"},
		},
		"french": {
			{"Le délai de l'API est 30 secondes", "Le délai de l'API est 60 s", "30 secondes / 60 s"},
			{"Le délai de l'API est maintenant 60 s.", "Le délai de l'API est 30 s car la passerelle est lente.", "60 s / 30 s"},
			{"Le délai est passé à 60 s", "Le délai est 30 s", "60 s / 30 s"},
			{"Le serveur écoute sur le port 8080", "Le serveur écoute sur le port 9090", "8080 / 9090"},
			{"La licence coûte 20,5 euros par mois", "La licence coûte 35 euros par mois", "20,5 euros / 35 euros"},
			{"L'équipe a trois développeurs à Lyon", "L'équipe a cinq développeurs à Lyon", "trois / cinq"},
			{"La réunion est le lundi", "La réunion est le mardi", "lundi / mardi"},
			{"Le délai du projet est le 5 mars", "Le délai du projet est le 12 mars", "5 mars / 12 mars"},
			{"Le worker utilise Redis", "Le worker n'utilise plus Redis", "one denies it"},
			{"L'API supporte les lots", "L'API ne supporte pas les lots", "one denies it"},
			{"Nous déployons le vendredi", "Nous ne déployons jamais le vendredi", "one denies it"},
			{"Le cache est activé en production", "Le cache est désactivé en production", "activé / désactivé"},
			{"Le champ est obligatoire", "Le champ est facultatif", "obligatoire / facultatif"},
			{"Le dépôt est public", "Le dépôt est privé", "public / privé"},
			{"La base de données de test est Postgres", "La base de données de test est MySQL", "Postgres / MySQL"},
		},
		"spanish": {
			{"El tiempo de espera es 30 segundos", "El tiempo de espera es 60 s", "30 segundos / 60 s"},
			{"El límite es ahora 60 s.", "El límite es 30 s porque el gateway es lento.", "60 s / 30 s"},
			{"El límite cambió a 60 s", "El límite es 30 s", "60 s / 30 s"},
			{"El servidor escucha en el puerto 8080", "El servidor escucha en el puerto 9090", "8080 / 9090"},
			{"La licencia cuesta 20,5 euros al mes", "La licencia cuesta 35 euros al mes", "20,5 euros / 35 euros"},
			{"El equipo tiene tres programadores en Madrid", "El equipo tiene cinco programadores en Madrid", "tres / cinco"},
			{"La reunión es el lunes", "La reunión es el martes", "lunes / martes"},
			{"El plazo es el 5 de marzo", "El plazo es el 12 de marzo", "5 marzo / 12 marzo"},
			{"El worker usa Redis", "El worker ya no usa Redis", "one denies it"},
			{"La API soporta lotes", "La API no soporta lotes", "one denies it"},
			{"Desplegamos los viernes de mayo", "No desplegamos nunca los viernes de mayo", "one denies it"},
			{"La caché está activada en producción", "La caché está desactivada en producción", "activada / desactivada"},
			{"El campo es obligatorio", "El campo es opcional", "obligatorio / opcional"},
			{"El repositorio es público", "El repositorio es privado", "público / privado"},
			{"La base de datos de pruebas es Postgres", "La base de datos de pruebas es MySQL", "Postgres / MySQL"},
		},
		"portuguese": {
			{"O tempo limite é 30 segundos", "O tempo limite é 60 s", "30 segundos / 60 s"},
			{"O limite é agora 60 s.", "O limite é 30 s porque o gateway é lento.", "60 s / 30 s"},
			{"O limite mudou para 60 s", "O limite é 30 s", "60 s / 30 s"},
			{"O servidor escuta na porta 8080", "O servidor escuta na porta 9090", "8080 / 9090"},
			{"A licença custa 20,5 euros por mês", "A licença custa 35 euros por mês", "20,5 euros / 35 euros"},
			{"A equipe tem três programadores em Lisboa", "A equipe tem cinco programadores em Lisboa", "três / cinco"},
			{"A reunião é na segunda-feira", "A reunião é na terça-feira", "segunda-feira / terça-feira"},
			{"O prazo é 5 de março", "O prazo é 12 de março", "5 março / 12 março"},
			{"O worker usa Redis", "O worker já não usa Redis", "one denies it"},
			{"O worker usa o Redis", "O worker não usa mais o Redis", "one denies it"},
			{"A API suporta lotes", "A API não suporta lotes", "one denies it"},
			{"O cache está ativado em produção", "O cache está desativado em produção", "ativado / desativado"},
			{"O campo é obrigatório", "O campo é opcional", "obrigatório / opcional"},
			{"O repositório é público", "O repositório é privado", "público / privado"},
			{"O banco de dados de teste é Postgres", "O banco de dados de teste é MySQL", "Postgres / MySQL"},
		},
		"chinese": {
			{"API 的超时是30秒", "API 的超时是60秒", "30秒 / 60秒"},
			{"API 的超时现在是60秒。", "API 的超时是30秒，因为网关很慢。", "60秒 / 30秒"},
			{"超时改为60秒", "超时是30秒", "60秒 / 30秒"},
			{"服务器监听端口8080", "服务器监听端口9090", "8080 / 9090"},
			{"缓存使用 2 GB 内存", "缓存使用 8 GB 内存", "2 GB / 8 GB"},
			{"发布日期是2026年3月1日", "发布日期是2026年4月1日", "2026年3月1日 / 2026年4月1日"},
			{"截止日期是3月5日", "截止日期是3月12日", "3月5日 / 3月12日"},
			{"会议是星期一", "会议是星期二", "星期一 / 星期二"},
			{"工作进程使用 Redis", "工作进程不再使用 Redis", "one denies it"},
			{"系统支持批处理", "系统不支持批处理", "one denies it"},
			{"缓存在生产环境启用", "缓存在生产环境禁用", "启用 / 禁用"},
			{"这个字段是必填的", "这个字段是可选的", "必填 / 可选"},
			{"仓库是公开的", "仓库是私有的", "公开 / 私有"},
			{"默认数据库是 Postgres", "默认数据库是 MySQL", "Postgres / MySQL"},
			{"主分支的名称是 main", "主分支的名称是 trunk", "main / trunk"},
			{"系统很快。超时是30秒。", "超时是45秒", "30秒 / 45秒"},
		},
		"japanese": {
			{"APIのタイムアウトは30秒です", "APIのタイムアウトは60秒です", "30秒 / 60秒"},
			{"タイムアウトは現在60秒です。", "タイムアウトは30秒です。", "60秒 / 30秒"},
			{"タイムアウトは60秒に変更されました", "タイムアウトは30秒です", "60秒 / 30秒"},
			{"サーバーのポートは8080です", "サーバーのポートは9090です", "8080 / 9090"},
			{"キャッシュの上限は 2 GB です", "キャッシュの上限は 8 GB です", "2 GB / 8 GB"},
			{"リリース日は2026年3月1日です", "リリース日は2026年4月1日です", "2026年3月1日 / 2026年4月1日"},
			{"締め切りは3月5日です", "締め切りは3月12日です", "3月5日 / 3月12日"},
			{"会議は月曜日です", "会議は火曜日です", "月曜日 / 火曜日"},
			{"ワーカーはRedisを使っています", "ワーカーはもうRedisを使っていません", "one denies it"},
			{"ワーカーはRedisを使う", "ワーカーはRedisを使わない", "one denies it"},
			{"APIはバッチ処理に対応しています", "APIはバッチ処理に対応していません", "one denies it"},
			{"本番環境でキャッシュは有効です", "本番環境でキャッシュは無効です", "有効 / 無効"},
			{"この項目は必須です", "この項目は任意です", "必須 / 任意"},
			{"リポジトリは公開です", "リポジトリは非公開です", "公開 / 非公開"},
			{"テスト用データベースは Postgres です", "テスト用データベースは MySQL です", "Postgres / MySQL"},
		},
	}
}

// harmlessIn are pairs by language that may both be true.
func harmlessIn() map[string][][2]string {
	return map[string][][2]string{
		"german": {
			{"Der API-Timeout ist 30 Sekunden", "Der API-Timeout ist 30 s"},
			{"Der Timeout ist eine Minute", "Der Timeout ist 60 Sekunden"},
			{"Der Preis ist 1,5 Euro", "Der Preis ist 1,50 Euro"},
			{"Das Limit ist 1.000 Anfragen", "Das Limit ist 1000 Anfragen"},
			{"Die Frist ist der 5. März", "Die Frist ist der 5. März 2026"},
			{"Der Server Alpha hat 8 GB Speicher", "Der Server Beta hat 16 GB Speicher"},
			{"Der API-Timeout ist 30 s", "Der Datenbank-Timeout ist 60 s"},
			{"Anna wohnt in Berlin", "Bob wohnt in München"},
			{"Der Cache ist im Test aktiviert", "Der Cache ist im Betrieb deaktiviert"},
			{"Ticket 4711 ist geschlossen", "Ticket 4712 ist offen"},
			{"Wir haben 3 Fehler behoben", "Wir haben 5 Fehler behoben"},
			{"Wenn der Cache warm ist, überspringe die Prüfung", "Wenn der Cache nicht warm ist, überspringe die Prüfung"},
			{"Unterstützt die API Batches?", "Die API unterstützt keine Batches"},
			{"Nicht nur Tests laufen in CI", "Tests laufen in CI"},
			{"Es ist aktiviert", "Es ist deaktiviert"},
			{"Der Worker benutzt kein Redis mehr", "Der Worker benutzt Redis nicht"},
			{"Das Team nutzt Slack", "Das Team nutzt Jira"},
			{"Anna ist Ärztin", "Anna ist Mutter"},
			{"Der Server ist langsam", "Der Server ist neu"},
			{"Ich mag Äpfel", "Ich mag Birnen"},
		},
		"french": {
			{"Le délai de l'API est 30 secondes", "Le délai de l'API est 30 s"},
			{"Le délai est 1 minute", "Le délai est 60 secondes"},
			{"Le prix est 1,5 euro", "Le prix est 1,50 euros"},
			{"Le serveur Alpha a 8 Go", "Le serveur Beta a 16 Go"},
			{"Le délai de l'API est 30 s", "Le délai de la base est 60 s"},
			{"Anna habite à Lyon", "Bob habite à Paris"},
			{"Le cache est activé en test", "Le cache est désactivé en production"},
			{"Le ticket 4711 est fermé", "Le ticket 4712 est ouvert"},
			{"Nous avons corrigé 3 erreurs", "Nous avons corrigé 5 erreurs"},
			{"Si le cache est chaud, on saute le test", "Si le cache n'est pas chaud, on saute le test"},
			{"L'API supporte-t-elle les lots ?", "L'API ne supporte pas les lots"},
			{"Le worker n'utilise plus Redis", "Le worker n'utilise pas Redis"},
			{"L'équipe utilise Slack", "L'équipe utilise Jira"},
			{"Le serveur est plus rapide", "Le serveur est rapide"},
			{"Il est activé", "Il est désactivé"},
			{"Le serveur est lent", "Le serveur est neuf"},
		},
		"spanish": {
			{"El tiempo de espera es 30 segundos", "El tiempo de espera es 30 s"},
			{"El límite es 1 minuto", "El límite es 60 segundos"},
			{"El precio es 1,5 euros", "El precio es 1,50 euros"},
			{"El servidor Alfa tiene 8 GB", "El servidor Beta tiene 16 GB"},
			{"El límite de la API es 30 s", "El límite de la base es 60 s"},
			{"Ana vive en Madrid", "Luis vive en Sevilla"},
			{"La caché está activada en pruebas", "La caché está desactivada en producción"},
			{"El ticket 4711 está cerrado", "El ticket 4712 está abierto"},
			{"Corregimos 3 errores", "Corregimos 5 errores"},
			{"Si la caché está caliente, saltamos la prueba", "Si la caché no está caliente, saltamos la prueba"},
			{"¿Soporta la API lotes?", "La API no soporta lotes"},
			{"El worker ya no usa Redis", "El worker no usa Redis"},
			{"El equipo usa Slack", "El equipo usa Jira"},
			{"El servidor es más rápido", "El servidor es rápido"},
			{"Está activado", "Está desactivado"},
			{"No desplegamos los viernes de mayo", "No desplegamos nunca los viernes de mayo"},
		},
		"portuguese": {
			{"O tempo limite é 30 segundos", "O tempo limite é 30 s"},
			{"O limite é 1 minuto", "O limite é 60 segundos"},
			{"O preço é 1,5 euros", "O preço é 1,50 euros"},
			{"O servidor Alfa tem 8 GB", "O servidor Beta tem 16 GB"},
			{"O limite da API é 30 s", "O limite da base é 60 s"},
			{"Ana mora em Lisboa", "Luís mora em Porto"},
			{"O cache está ativado em teste", "O cache está desativado em produção"},
			{"O ticket 4711 está fechado", "O ticket 4712 está aberto"},
			{"Corrigimos 3 erros", "Corrigimos 5 erros"},
			{"Caso o cache esteja quente, pulamos o teste", "Caso o cache não esteja quente, pulamos o teste"},
			{"A API suporta lotes?", "A API não suporta lotes"},
			{"O worker já não usa Redis", "O worker não usa Redis"},
			{"A equipe usa Slack", "A equipe usa Jira"},
			{"O servidor é mais rápido", "O servidor é rápido"},
			{"Está ativado", "Está desativado"},
		},
		"chinese": {
			{"API 的超时是30秒", "API 的超时为 30 s"},
			{"超时是1分钟", "超时是60秒"},
			{"服务器甲有 8 GB 内存", "服务器乙有 16 GB 内存"},
			{"接口的超时是30秒", "缓存的超时是60秒"},
			{"安娜住在北京", "鲍勃住在上海"},
			{"缓存在测试环境启用", "缓存在生产环境禁用"},
			{"工单4711已关闭", "工单4712已打开"},
			{"我们修复了3个错误", "我们修复了5个错误"},
			{"如果缓存是热的，跳过检查", "如果缓存不是热的，跳过检查"},
			{"系统支持批处理吗？", "系统不支持批处理"},
			{"系统支持批处理吗", "系统不支持批处理"},
			{"工作进程不再使用 Redis", "工作进程不使用 Redis"},
			{"团队使用 Slack", "团队使用 Jira"},
			{"服务器非常快", "服务器快"},
			{"不同的服务器", "同的服务器"},
			{"它启用了", "它禁用了"},
			{"不仅单元测试在这里运行", "单元测试在这里运行"},
		},
		"japanese": {
			{"APIのタイムアウトは30秒です", "APIのタイムアウトは 30 s です"},
			{"タイムアウトは1分です", "タイムアウトは60秒です"},
			{"サーバーAは 8 GB です", "サーバーBは 16 GB です"},
			{"APIのタイムアウトは30秒です", "キャッシュのタイムアウトは60秒です"},
			{"アンナは東京に住んでいます", "ボブは大阪に住んでいます"},
			{"テスト環境でキャッシュは有効です", "本番環境でキャッシュは無効です"},
			{"チケット4711は無効です", "チケット4712は有効です"},
			{"3件のエラーを修正しました", "5件のエラーを修正しました"},
			{"キャッシュが温かい場合は省略する", "キャッシュが温かくない場合は省略する"},
			{"APIはバッチ処理に対応していますか？", "APIはバッチ処理に対応していません"},
			{"APIはバッチ処理に対応していますか", "APIはバッチ処理に対応していません"},
			{"ワーカーはもうRedisを使っていません", "ワーカーはRedisを使っていません"},
			{"チームは Slack を使います", "チームは Jira を使います"},
			{"いちごが好きです", "りんごが好きではありません"},
			{"猫が好きです", "犬が好きではありません"},
			{"有効です", "無効です"},
		},
	}
}

// Every character is read, also one of a third script.
func TestParse_OtherScripts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"我们用한국어是", "我们Ａ是", "月曜\u3099日", "〇是", "カ\u309Aは", "我们·是", "はｱ"} {
		if r, ok := contradiction(text, text); ok {
			t.Errorf("%q contradicts itself: %q", text, r)
		}
	}
}

func TestOf_ContradictingLanguages(t *testing.T) {
	t.Parallel()
	for name, pairs := range contradictingIn() {
		for _, p := range pairs {
			if got, ok := contradiction(p[0], p[1]); !ok || string(got) != p[2] {
				t.Errorf("%s: %q, %q: got %q, %v, want %q", name, p[0], p[1], got, ok, p[2])
			}
			if _, ok := contradiction(p[1], p[0]); !ok {
				t.Errorf("%s: %q, %q: only one way round", name, p[0], p[1])
			}
		}
	}
}

func TestOf_HarmlessLanguages(t *testing.T) {
	t.Parallel()
	for name, pairs := range harmlessIn() {
		for _, p := range pairs {
			for _, q := range [][2]string{p, {p[1], p[0]}, {p[0], p[0]}, {p[1], p[1]}} {
				if got, ok := contradiction(q[0], q[1]); ok {
					t.Errorf("%s: %q, %q: got %q", name, q[0], q[1], got)
				}
			}
		}
	}
}

// Whatever the words, both ways round agree and nothing contradicts itself.
func TestOf_IsSymmetricInLanguages(t *testing.T) {
	t.Parallel()
	for _, l := range lexicon.Languages() {
		words := []string{"30", "60 s", "Redis", ".", ",", "?", "3月5日", "2026年"}
		for name, list := range l.Lists {
			if len(name) > 4 && name[:4] == "say " {
				words = append(words, list[0]...)
			}
		}
		text := func(r *rapid.T, label string) string {
			out := ""
			for _, w := range rapid.SliceOfN(rapid.SampledFrom(words), 0, 9).Draw(r, label) {
				out += w + rapid.SampledFrom([]string{" ", ""}).Draw(r, "gap")
			}
			return out
		}
		rapid.Check(t, func(r *rapid.T) {
			a, b := text(r, "a"), text(r, "b")
			_, ab := contradict.Parse(a).Contradicts(contradict.Parse(b))
			_, ba := contradict.Parse(b).Contradicts(contradict.Parse(a))
			if _, aa := contradict.Parse(a).Contradicts(contradict.Parse(a)); ab != ba || aa {
				r.Fatalf("%q, %q: %v, %v; itself %v", a, b, ab, ba, aa)
			}
		})
	}
}
