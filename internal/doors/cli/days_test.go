package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// zones are those of users all over the world: at both ends, with halves and quarters of hours, with changes of clocks.
func zones() []string {
	return []string{
		"Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kolkata", "Asia/Kathmandu", "America/New_York", "America/Los_Angeles",
		"America/St_Johns", "America/Sao_Paulo", "Europe/Berlin", "Africa/Nairobi", "Asia/Tokyo", "Australia/Lord_Howe",
	}
}

// TestDays: a day that is given is the day that every front end shows, in the zone of the user, and what is shown finds it again.
func TestDays(t *testing.T) {
	t.Parallel()
	for _, name := range zones() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zone, err := time.LoadLocation(name)
			if err != nil {
				t.Skipf("this system has no database of time zones: %v", err)
			}
			days(t, zone)
		})
	}
}

func days(t *testing.T, zone *time.Location) {
	t.Helper()
	dir := t.TempDir()
	env := append(environ(dir), "TZ="+zone.String())
	s, err := start(t.Context(), dir, env, "hippo", "serve", "--tools", "hippo,graph,memory-service", "--store", "sqlite:"+filepath.Join(dir, "memory.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	}()
	call := func(tool string, arguments map[string]any) string {
		t.Helper()
		r, failed, err := s.call(tool, arguments)
		if err != nil || failed {
			t.Fatalf("%s: %v %s", tool, err, r)
		}
		var result struct {
			Content []struct{ Text string } `json:"content"`
		}
		if err := json.Unmarshal(r, &result); err != nil {
			t.Fatal(err)
		}
		return result.Content[0].Text
	}
	shows := func(text string, day ...string) {
		t.Helper()
		for _, d := range day {
			if !strings.Contains(text, d) {
				t.Errorf("%s is not shown in:\n%s", d, text)
			}
		}
	}
	web, err := startWeb(t.Context(), dir, env, "--http", "127.0.0.1:0", "--store", "sqlite:"+filepath.Join(dir, "memory.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = web.kill() }()
	token, err := os.ReadFile(filepath.Join(dir, "home", "data", "hippo", "token"))
	if err != nil {
		t.Fatal(err)
	}
	dashboard := &fronts{t: t, server: web, token: strings.TrimSpace(string(token))}
	for i, day := range []string{"2026-03-29", "2026-01-10", "2025-12-31", "2026-03-08"} { // clocks change on the first in Berlin, on the last in New York
		content := []string{"the harbour was closed", "copper pipes arrived", "a violin was tuned", "nine swans landed"}[i]
		id := strings.Fields(call("hippo_record_insight", map[string]any{"content": content, "event_time": day, "valid_from": day, "valid_until": "2026-12-24"}))[2]
		id = strings.TrimRight(id, ",.")
		at, err := time.ParseInLocation(time.DateOnly, day, zone)
		if err != nil {
			t.Fatal(err)
		}
		shown := day
		if at.Year() == time.Now().In(zone).Year() {
			shown = at.Format("Jan 2")
		}
		shows(call("hippo_search_insights", map[string]any{"query": content}), content+" | "+shown)
		shows(call("hippo_search_insights", map[string]any{"when": shown, "limit": 1}), content)
		shows(call("hippo_search_insights", map[string]any{"when": day, "limit": 1}), content)
		shows(call("hippo_get", map[string]any{"ids": []string{id}}), shown, "holds from "+shown)
		shows(call("hippo_run", map[string]any{"program": `m = get("` + id + `")` + "\nm.event_time.format('2006-01-02') + ' ' + m.valid_until.format('2006-01-02')"}), day+" 2026-12-24")
		cmd := func(args ...string) string {
			return string(runIn(t, dir, env, append(args, "--store", "sqlite:"+filepath.Join(dir, "memory.db"))...))
		}
		page := dashboard.web("GET /ui/memory/"+id, "")
		shows(page, at.Format("2 Jan 2006, 15:04"), "24 Dec 2026, 00:00", "Holds until here")
		if i > 0 {
			continue
		}
		shows(dashboard.web("GET /ui/browse?from="+time.Now().In(zone).Format(time.DateOnly), ""), content)
		shows(dashboard.web("GET /ui/timeline", ""), content)
		days := int(time.Since(at).Hours()) / 24 // the context has the age, which is the same in every zone if the day is right
		age := strconv.Itoa(days/30) + " mo]"
		if days < 60 {
			age = strconv.Itoa(days) + " d]"
		}
		shows(call("hippo_context", map[string]any{"prompt": content}), content, age)
		shows(cmd("search", content, "-n", "1"), " · "+day)
		shows(cmd("search", "--when", day), content)
		shows(cmd("get", id), "happened     "+day, "valid until  2026-12-24")
		shows(cmd("fact", "add", "Ana", "leads", "Launch", "--valid-from", day), "from "+day)
		shows(cmd("entity", "show", "Ana"), "leads", "from "+day)
		shows(cmd("fact", "list"), day+"..")
		shows(cmd("relations", "Ana"), day+"..")
		shows(call("hippo_relate", map[string]any{"from": "Ana", "kind": "owns", "to": "Launch", "valid_from": day}), "from "+day)
		today := time.Now().In(zone).Format(time.DateOnly)
		shows(call("recall_memory", map[string]any{"query": "today"}), "Timestamp: "+today)
		shows(cmd("list"), today)
		shows(cmd("list", "--lines"), "|"+today)
	}
}
