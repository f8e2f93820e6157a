package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// limit bounds a whole run.
const limit = 5 * time.Minute

// appearance is one way in which a person may see the dashboard.
type appearance struct {
	name          string
	dark          bool
	width, height int64
}

func appearances() []appearance {
	return []appearance{{"light", false, 1200, 900}, {"dark", true, 1200, 900}, {"phone", false, 360, 740}, {"phone-dark", true, 360, 740}}
}

// pages are the pages by name.
func pages(s *site) [][2]string {
	bad := "/ui/memory/" + s.hostile.String()
	pool := "/ui/memory/" + s.central.String()
	return [][2]string{
		{"home", "/"},
		{"search", "/?q=why+does+the+gateway+fail"},
		{"nothing", "/?q=zzzz"},
		{"hostile-search", "/?q=window+hacked"},
		{"browse", "/ui/browse"},
		{"add", "/ui/new?content=The+gateway+fails"},
		{"import", "/ui/import"},
		{"memory", pool},
		{"graph", pool + "/graph"},
		{"history", pool + "/history"},
		{"hostile", bad},
		{"hostile-graph", bad + "/graph"},
		{"timeline", "/ui/timeline"},
		{"review", "/ui/review"},
		{"pairs", "/ui/review?part=pairs"},
		{"audit", "/ui/review?part=audit"},
		{"status", "/ui/status"},
		{"sync", "/ui/sync"},
		{"settings", "/ui/settings"},
		{"missing", "/ui/nowhere"},
	}
}

// tester drives one tab and collects what the browser complains about.
type tester struct {
	ctx  context.Context //nolint:containedctx // it is the tab
	site *site
	out  io.Writer
	axe  string
	keep string

	mu         sync.Mutex
	complaints []string
	checks     int
}

// check runs all checks and returns what failed.
func check(ctx context.Context, s *site, o *options, stdout io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ctx, cancel = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(o.chromium), chromedp.NoSandbox)...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	t := &tester{ctx: ctx, site: s, out: stdout, keep: o.out}
	if o.axe != "" {
		b, err := os.ReadFile(o.axe)
		if err != nil {
			return err
		}
		t.axe = string(b)
	}
	if o.out != "" {
		if err := os.MkdirAll(o.out, 0o700); err != nil {
			return err
		}
	}
	if err := chromedp.Listen(ctx, t.listen); err != nil {
		return err
	}
	err := chromedp.Do(ctx, enable(), chromedp.Navigate(s.url+"/"), chromedp.WaitVisible(".login"))
	if err == nil {
		err = t.violations()
	}
	stranger := t.report("a stranger sees the login only", err)
	err = chromedp.Do(ctx, chromedp.Navigate(s.url+s.sessions.Link(owner())), chromedp.WaitVisible("#q"))
	link := t.report("the one-time link leads to the first page", err)
	t.drain() // the page for strangers has the status 401
	errs := []error{
		stranger, link, t.report("the browser reports errors and what the policy refuses", t.control()), t.everyPage(), t.report("keyboard: search, open, vote, undo", t.keyboard()), t.report("typing searches without a page load", t.typing()),
		t.report("forget and undo, without a page load", t.forget()), t.report("add a memory, with a hint while it is typed, and undo", t.add()), t.report("tag a selected memory, and undo", t.bulk()),
		t.report("the audit loads, is settled with keys, and undone", t.audit()), t.report("weight and time of the first page", t.weigh()),
	}
	if o.pictures != "" {
		errs = append(errs, t.report("pictures", t.pictures(o.pictures)))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "ok      all %d checks\n", t.checks)
	return err
}

// enable makes the browser report errors of pages.
func enable() chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		var errs []error
		for _, domain := range []cdp.Command[cdp.Empty, cdp.Empty]{log.Enable, runtime.Enable} {
			_, err := chromedp.Call(ctx, domain, cdp.Empty{})
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	})
}

// control makes an error, and breaks the policy of contents: if the browser did not report that, no other check would mean
// anything.
func (t *tester) control() error {
	const script = `console.error('control'); document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.hacked = 1'})); ` +
		`document.body.setAttribute('style', 'color: red'); 'hacked' in window`
	hacked, err := chromedp.Run(t.ctx, chromedp.Evaluate[bool](script))
	if err != nil {
		return err
	}
	// The page after it: what the browser reports comes in order, but later than the value.
	if err := chromedp.Do(t.ctx, chromedp.Navigate(t.site.url+"/"), chromedp.WaitVisible("#q")); err != nil {
		return err
	}
	got := strings.Join(t.drain(), "\n")
	if hacked || !strings.Contains(got, "control") || !strings.Contains(got, "script-src") || !strings.Contains(got, "style-src") {
		return fmt.Errorf("an inline script ran (%t), or was not reported: %q", hacked, got)
	}
	return nil
}

// listen collects errors of the console, of the policy of contents, and of scripts.
func (t *tester) listen(ev any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch ev := ev.(type) {
	case *log.EventEntryAdded:
		if ev.Entry.Level == log.EntryLevelError || ev.Entry.Level == log.EntryLevelWarning {
			t.complaints = append(t.complaints, ev.Entry.Text+" "+ev.Entry.URL)
		}
	case *runtime.EventExceptionThrown:
		t.complaints = append(t.complaints, ev.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if ev.Type == runtime.ConsoleAPICalledTypeError || ev.Type == runtime.ConsoleAPICalledTypeWarning {
			b, err := json.Marshal(ev.Args)
			t.complaints = append(t.complaints, string(b), fmt.Sprint(err))
		}
	}
}

// drain returns what the browser complained about since.
func (t *tester) drain() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := t.complaints
	t.complaints = nil
	return out
}

// report prints the outcome of a check and returns its error, with the name.
func (t *tester) report(name string, err error) error {
	t.checks++
	if err == nil {
		fmt.Fprintf(t.out, "ok      %s\n", name)
		return nil
	}
	fmt.Fprintf(t.out, "FAILED  %s: %v\n", name, err)
	return fmt.Errorf("%s: %w", name, err)
}

// everyPage opens each page in each appearance.
func (t *tester) everyPage() error {
	var errs []error
	for _, l := range appearances() {
		scheme := "light"
		if l.dark {
			scheme = "dark"
		}
		if err := chromedp.Do(t.ctx, chromedp.EmulateViewport(l.width, l.height), media(scheme)); err != nil {
			return err
		}
		for _, p := range pages(t.site) {
			errs = append(errs, t.report(l.name+" "+p[0], t.onePage(l, p[0], p[1])))
		}
	}
	return errors.Join(errs...)
}

// state is what a page says of itself.
type state struct {
	Hacked   bool
	Overflow int
	Title    string
}

func (t *tester) onePage(l appearance, name, path string) error {
	if err := chromedp.Do(t.ctx, chromedp.Navigate(t.site.url+path), chromedp.WaitReady("#main")); err != nil {
		return err
	}
	if err := chromedp.Do(t.ctx, chromedp.Evaluate[chromedp.Void](`document.querySelectorAll('details').forEach(d => d.open = true)`)); err != nil {
		return err
	}
	st, err := chromedp.Run(t.ctx, chromedp.Evaluate[state](`({Hacked: 'hacked' in window || !!document.querySelector('main script, main img, main i, main b, [onclick]'), `+
		`Overflow: document.documentElement.scrollWidth - innerWidth, Title: document.title})`))
	if err != nil {
		return err
	}
	var errs []error
	if st.Hacked {
		errs = append(errs, errors.New("a text of a memory became markup"))
	}
	if st.Overflow > 0 {
		errs = append(errs, fmt.Errorf("the page is %d pixels wider than the window", st.Overflow))
	}
	errs = append(errs, t.violations())
	if t.keep != "" {
		b, err := chromedp.Run(t.ctx, chromedp.FullScreenshot(100))
		errs = append(errs, err, os.WriteFile(filepath.Join(t.keep, l.name+"-"+name+".png"), b, 0o600))
	}
	for _, c := range t.drain() {
		if name != "missing" || !strings.Contains(c, "404") {
			errs = append(errs, errors.New(c))
		}
	}
	return errors.Join(errs...)
}

// violation is one rule of axe-core that a page breaks.
type violation struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		HTML    string `json:"html"`
		Failure string `json:"failureSummary"`
	} `json:"nodes"`
}

// violations runs axe-core in the page. It is evaluated by the debugger, which the policy of contents does not bind.
func (t *tester) violations() error {
	if t.axe == "" {
		return nil
	}
	found, err := chromedp.Run(t.ctx, chromedp.Evaluate[[]violation](t.axe+`; axe.run().then(r => r.violations)`, chromedp.EvalAwaitPromise))
	if err != nil {
		return err
	}
	var errs []error
	for _, v := range found {
		errs = append(errs, fmt.Errorf("%s: %s: %s: %s", v.ID, v.Help, v.Nodes[0].HTML, v.Nodes[0].Failure))
	}
	return errors.Join(errs...)
}
