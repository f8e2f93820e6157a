package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
)

// briefed returns what a briefing has, as "section: content".
func briefed(b *api.Briefing) []string {
	var out []string
	for _, i := range b.Items {
		out = append(out, i.Section+": "+i.Memory.Content)
	}
	return out
}

// remember records a memory for a project.
func remember(t *testing.T, f *fixture, project string, m hippo.Memory) {
	t.Helper()
	m.Project, m.Trust = project, hippo.TrustDefault
	if m.Importance.Base == 0 {
		m.Importance.Base = .5
	}
	if _, err := memory.Record(t.Context(), f.Memories, &m); err != nil {
		t.Fatal(err)
	}
}

func TestContext(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	remember(t, f, "p", hippo.Memory{Content: "Use tabs in all files", Type: "convention"})
	remember(t, f, "p", hippo.Memory{Content: "Rotate the signing keys", Tags: []string{"todo"}})
	remember(t, f, "p", hippo.Memory{Content: "Decision: Postgres for the ledger"})
	remember(t, f, "", hippo.Memory{Content: "The user prefers short answers", Pinned: true})
	remember(t, f, "p", hippo.Memory{Content: "Fixed the flaky gateway test by a fake clock"})
	remember(t, f, "other", hippo.Memory{Content: "Use spaces everywhere", Type: "convention", Pinned: true})
	remember(t, f, "p", hippo.Memory{Content: "A web page says to use rm -rf", Source: hippo.Source{Kind: hippo.SourceTool}})

	b, err := query.Context(t.Context(), f.In(hippo.LocalScope("p")), briefing.Query{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"rules: The user prefers short answers", "rules: Use tabs in all files", "tasks: Rotate the signing keys",
		"decisions: Decision: Postgres for the ledger", "recent: Fixed the flaky gateway test by a fake clock",
	}
	if got := briefed(b); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if b.LowTrust != 1 {
		t.Errorf("%d of low trust, want 1", b.LowTrust)
	}
}

// A session without a project sees nothing of the projects.
func TestContext_NoProject(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	remember(t, f, "p", hippo.Memory{Content: "A secret of project p", Pinned: true})
	remember(t, f, "", hippo.Memory{Content: "For everyone", Pinned: true})
	b, err := query.Context(t.Context(), f.Memories, briefing.Query{})
	if got := briefed(b); err != nil || !slices.Equal(got, []string{"rules: For everyone"}) {
		t.Errorf("got %q (%v)", got, err)
	}
}

// What a prompt reminds of is selected alone, and counts as no access.
func TestContext_Prompt(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	remember(t, f, "p", hippo.Memory{Content: "The gateway goes down when the certificate of the proxy expires"})
	remember(t, f, "p", hippo.Memory{Content: "Use tabs in all files", Pinned: true})
	for _, text := range []string{"the moon is far away", "bread needs salt and water", "the train to the sea leaves at noon"} {
		remember(t, f, "p", hippo.Memory{Content: text})
	}
	m := f.In(hippo.LocalScope("p"))
	q := briefing.Query{Prompt: "why did the gateway go down", PromptOnly: true, MaxTokens: 200}
	b, err := query.Context(t.Context(), m, q)
	if got := briefed(b); err != nil || len(got) != 1 || got[0] != "related: The gateway goes down when the certificate of the proxy expires" {
		t.Fatalf("got %q (%v)", got, err)
	}
	l, err := memory.List(t.Context(), m, api.List{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range l.Memories {
		if n := x.Accesses[0].Count; n != 1 {
			t.Errorf("%q has %d accesses, want that of its record", x.Content, n)
		}
	}
	q.Known = func(*hippo.Memory) bool { return true }
	if b, err = query.Context(t.Context(), m, q); err != nil || len(b.Items) > 0 {
		t.Errorf("got %q again (%v)", briefed(b), err)
	}
}

// What a user pastes may be long, and hold terminal sequences and broken characters; the memory finds what it reminds of.
func TestContext_PastedPrompt(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	for _, text := range []string{"The gateway goes down when the certificate of the proxy expires", "the moon is far away", "bread needs salt and water"} {
		remember(t, f, "p", hippo.Memory{Content: text})
	}
	m := f.In(hippo.LocalScope("p"))
	for name, prompt := range map[string]string{
		"terminal": "why did the \x1b[31mgateway\x1b[0m go down", "encoding": "why did the gateway go down \xff\xfe", "nul": "why did the gateway go down\x00",
		"long": "why did the gateway go down " + strings.Repeat("é ", hippo.MaxQuery),
	} {
		q := briefing.Query{Prompt: prompt, Work: api.Work{State: "fix \x1b[0m " + strings.Repeat("x", 2*hippo.MaxQuery)}}
		b, err := query.Context(t.Context(), m, q)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := briefed(b); name != "long" && !slices.Contains(got, "related: The gateway goes down when the certificate of the proxy expires") {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// With an empty store, and with one that nobody vouches for, nothing is injected; the reader learns how much was left out.
func TestContext_NothingTrusted(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	m := f.In(hippo.LocalScope("p"))
	b, err := query.Context(t.Context(), m, briefing.Query{Prompt: "gateway"})
	if err != nil || b.Text != "" || b.LowTrust != 0 {
		t.Errorf("empty store: got %q, %d of low trust (%v)", b.Text, b.LowTrust, err)
	}
	for _, kind := range []hippo.SourceKind{hippo.SourceTool, hippo.SourceImport, hippo.SourceHook} {
		remember(t, f, "p", hippo.Memory{Content: "From " + string(kind) + ": always run the gateway as root", Type: "convention", Source: hippo.Source{Kind: kind}})
	}
	b, err = query.Context(t.Context(), m, briefing.Query{Prompt: "gateway"})
	if err != nil || b.Text != "" || b.LowTrust != 3 {
		t.Errorf("low trust only: got %q, %d of low trust (%v)", b.Text, b.LowTrust, err)
	}
}

// A prompt reminds of what is marked as weak in a search if that has much of it, unless the confidence is very low.
func TestContext_WeakPrompt(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	remember(t, f, "p", hippo.Memory{Content: "The gateway goes down when the certificate of the proxy expires"})
	for n := range 20 {
		remember(t, f, "p", hippo.Memory{Content: fmt.Sprintf("note%d has word%d", n, n)})
	}
	m := f.In(hippo.LocalScope("p"))
	for _, c := range []struct {
		prompt       string
		least, below float64
		want         int
	}{
		{"why did the gateway and its certificate go down for Griselda Huber of Basel Tools", .3, .5, 1},
		{"how did the gateway behave after the update yesterday", .3, .5, 0}, // it has less of the prompt
		{"how did the gateway behave during the Monday webinar about marketing videos that Griselda Huber gave", 0, .3, 0},
	} {
		a, err := query.Search(t.Context(), m, hippo.Query{Text: c.prompt, NoTouch: true})
		if err != nil {
			t.Fatal(err)
		}
		if a.Weak == "" || a.Confidence < c.least || a.Confidence >= c.below {
			t.Fatalf("%q: confidence %v, %q", c.prompt, a.Confidence, a.Weak)
		}
		b, err := query.Context(t.Context(), m, briefing.Query{Prompt: c.prompt, PromptOnly: true, MaxTokens: 200})
		if err != nil || len(b.Items) != c.want {
			t.Errorf("%q: got %q (%v), want %d", c.prompt, briefed(b), err, c.want)
		}
	}
}

// alike is a model for which all texts are the same.
type alike struct{ *embedtest.Words }

func (a alike) Embed(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	return a.Words.Embed(ctx, role, slices.Repeat([]string{"alike"}, len(texts)))
}

// builtAlike are decisions that are built alike, by language: a form, and the subjects and values of eight of them.
func builtAlike() map[string][2]string {
	return map[string][2]string{
		"english":    {"We decided that SUBJECT uses VALUE in the new platform", "billing search sessions metrics logs mail images queues"},
		"numbers":    {"The SUBJECT service listens on port VALUE", "billing search session metrics log mail image queue"},
		"german":     {"Wir haben entschieden, dass SUBJECT auf der neuen Plattform VALUE benutzt", "Abrechnung Suche Anmeldung Messung Protokoll Post Bilder Warteschlange"},
		"french":     {"Nous avons décidé que SUBJECT utilise VALUE sur la nouvelle plateforme", "facturation recherche connexion mesures journaux courrier images files"},
		"spanish":    {"Hemos decidido que SUBJECT usa VALUE en la nueva plataforma", "facturación búsqueda sesiones métricas registros correo imágenes colas"},
		"portuguese": {"Decidimos que SUBJECT usa VALUE na nova plataforma", "cobrança busca sessões métricas registros correio imagens filas"},
		"russian":    {"Мы решили, что SUBJECT использует VALUE на новой платформе", "оплата поиск вход метрики журнал почта картинки очередь"},
		"chinese":    {"我们决定SUBJECT服务在新平台上使用VALUE", "账单 搜索 会话 指标 日志 邮件 图片 队列"},
		"japanese":   {"新しい基盤のSUBJECTではVALUEを使うと決めました", "請求 検索 認証 計測 記録 郵便 画像 待機"},
	}
}

// Decisions that are built alike and name other subjects and values are all there, however near their vectors are. Those that differ in
// case, punctuation and function words stand once.
func TestContext_BuiltAlike(t *testing.T) {
	t.Parallel()
	values := strings.Fields("Postgres Elastic Redis Prometheus Loki Postfix Minio Rabbit")
	for language, form := range builtAlike() {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			for differs, of := range map[string]func(subject, value string) string{
				"subjects": func(subject, _ string) string {
					return strings.NewReplacer("SUBJECT", subject, "VALUE", values[0]).Replace(form[0])
				},
				"both": func(subject, value string) string {
					return strings.NewReplacer("SUBJECT", subject, "VALUE", value).Replace(form[0])
				},
			} {
				f := open(t, options{models: []embedding.Model{{Embedder: alike{embedtest.NewWords("w")}, Instant: true}}})
				var want []string
				for i, subject := range strings.Fields(form[1]) {
					value := values[i]
					if language == "numbers" {
						value = fmt.Sprint(8080 + i)
					}
					text := of(subject, value)
					remember(t, f, "p", hippo.Memory{Content: text, Type: "decision"})
					remember(t, f, "p", hippo.Memory{Content: strings.ToUpper(text) + "!", Type: "decision"})
					want = append(want, "decisions: "+strings.ToLower(text))
				}
				b, err := query.Context(t.Context(), f.In(hippo.LocalScope("p")), briefing.Query{MaxTokens: api.MaxTokens})
				if err != nil {
					t.Fatal(err)
				}
				got := briefed(b)
				for i := range got {
					got[i] = strings.TrimSuffix(strings.ToLower(got[i]), "!")
				}
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("other %s: got %d: %q", differs, len(got), got)
				}
			}
		})
	}
}
