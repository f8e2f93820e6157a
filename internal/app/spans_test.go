package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// A question about a time is answered by what is of that time: a list of it if the question names nothing else, and first of all what
// fits its words if it does.
func TestSearch_Spans(t *testing.T) {
	t.Parallel()
	c := openChanging(t)
	c.now = time.Date(2026, 11, 26, 18, 0, 0, 0, time.UTC)
	subjects := []string{
		"The %s alert fired again and Mirko restarted the worker", "We moved the %s job to the new queue", "Dana wants the %s report as a table",
		"The %s import failed on a missing column", "Use the %s fixture for slow tests", "The vendor of %s raised its price by a tenth",
	}
	names := []string{"billing", "search", "ledger", "mail", "photo", "route", "badge"}
	for n := range 90 {
		at := c.now.AddDate(0, 0, -3*n).Add(-5 * time.Hour)
		content := fmt.Sprintf(subjects[n%len(subjects)], names[n%len(names)])
		if _, err := memory.Record(t.Context(), c.Memories, &hippo.Memory{Content: fmt.Sprint(content, " (", n, ")"), EventTime: at, Source: hippo.Source{Kind: hippo.SourceAgent}}); err != nil {
			t.Fatal(err)
		}
	}
	c.embed()
	day := func(s string) time.Time {
		d, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for line := range strings.SplitSeq(strings.TrimSpace(spans), "\n") {
		f := strings.Split(line, "|")
		a, err := query.Search(t.Context(), c.Memories, hippo.Query{Text: f[0], NoTouch: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Hits) == 0 {
			t.Errorf("%s: nothing found", f[0])
			continue
		}
		if first := a.Hits[0].Memory; first.When().Before(day(f[1])) || !first.When().Before(day(f[2])) {
			t.Errorf("%s: first is %q of %s, want %s to %s", f[0], first.Content, first.When().Format(time.DateOnly), f[1], f[2])
		}
	}
}

// spans are questions on Thursday, 26 November 2026, with the span that each asks for.
const spans = `
what happened last week?|2026-11-16|2026-11-23
what did we learn in July?|2026-07-01|2026-08-01
what changed since 15 November|2026-11-15|2026-11-27
anything new this week?|2026-11-23|2026-11-27
what did we decide in the last ten days|2026-11-16|2026-11-27
summary of October|2026-10-01|2026-11-01
tell me everything from last month|2026-10-01|2026-11-01
what was noted between 1 May and 15 May|2026-05-01|2026-05-16
which alerts fired in September|2026-09-01|2026-10-01
what failed last week|2026-11-16|2026-11-23
Was haben wir letzte Woche gemacht?|2026-11-16|2026-11-23
Was ist im Juli passiert?|2026-07-01|2026-08-01
Was hat sich seit dem 15. November geändert?|2026-11-15|2026-11-27
Gibt es diese Woche etwas Neues?|2026-11-23|2026-11-27
Was haben wir im Oktober beschlossen?|2026-10-01|2026-11-01
Zeig mir alles vom letzten Monat|2026-10-01|2026-11-01
Was haben wir vor zwei Wochen gelernt?|2026-11-09|2026-11-16
Was war im September los?|2026-09-01|2026-10-01
Zusammenfassung vom August|2026-08-01|2026-09-01
Woran haben wir im Juni gearbeitet?|2026-06-01|2026-07-01
Que s'est-il passé la semaine dernière ?|2026-11-16|2026-11-23
Qu'avons-nous appris en juillet ?|2026-07-01|2026-08-01
Qu'est-ce qui a changé depuis le 15 novembre ?|2026-11-15|2026-11-27
Quoi de neuf cette semaine ?|2026-11-23|2026-11-27
Qu'avons-nous décidé en octobre ?|2026-10-01|2026-11-01
Montre-moi tout du mois dernier|2026-10-01|2026-11-01
Qu'est-ce qu'on a fait il y a deux semaines ?|2026-11-09|2026-11-16
Résumé de septembre|2026-09-01|2026-10-01
Qu'est-il arrivé en août ?|2026-08-01|2026-09-01
Sur quoi avons-nous travaillé en juin ?|2026-06-01|2026-07-01
¿Qué pasó la semana pasada?|2026-11-16|2026-11-23
¿Qué aprendimos en julio?|2026-07-01|2026-08-01
¿Qué ha cambiado desde el 15 de noviembre?|2026-11-15|2026-11-27
¿Hay algo nuevo esta semana?|2026-11-23|2026-11-27
¿Qué decidimos en octubre?|2026-10-01|2026-11-01
Muéstrame todo del mes pasado|2026-10-01|2026-11-01
¿Qué hicimos hace dos semanas?|2026-11-09|2026-11-16
Resumen de septiembre|2026-09-01|2026-10-01
¿Qué ocurrió en agosto?|2026-08-01|2026-09-01
¿En qué trabajamos en junio?|2026-06-01|2026-07-01
`
