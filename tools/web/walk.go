package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Bounds of the first page with everything that it loads.
const maxFirstPage = 150 << 10

// focused is the element that has the focus.
type focused struct{ Tag, Text, Name string }

const focusScript = `(e => ({Tag: e.tagName, Text: (e.textContent || '').trim().slice(0, 80), Name: e.name || ''}))(document.activeElement)`

// tabTo presses the tab key until an element has the focus.
func (t *tester) tabTo(match func(f focused) bool) error {
	for range 80 {
		f, err := chromedp.Run(t.ctx, chromedp.Evaluate[focused](focusScript))
		if err != nil || match(f) {
			return err
		}
		if err := chromedp.Do(t.ctx, chromedp.KeyEvent(kb.Tab)); err != nil {
			return err
		}
	}
	return errors.New("the tab key does not lead there")
}

// button matches a button with a label.
func button(label string) func(focused) bool {
	return func(f focused) bool { return f.Tag == "BUTTON" && f.Text == label }
}

// keyboard searches, opens a hit, votes and undoes it, with keys alone.
func (t *tester) keyboard() error {
	err := chromedp.Do(t.ctx, chromedp.EmulateViewport(1200, 900), chromedp.Navigate(t.site.url+"/"), chromedp.WaitReady("#q"), chromedp.KeyEvent("/"))
	if err != nil {
		return err
	}
	if f, err := chromedp.Run(t.ctx, chromedp.Evaluate[focused](focusScript)); err != nil || f.Name != "q" {
		return errors.Join(err, fmt.Errorf(`after "/" the focus is on %+v`, f))
	}
	err = chromedp.Do(t.ctx, chromedp.KeyEvent("gateway backoff"), chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(".hit"))
	if err != nil {
		return err
	}
	if err := t.tabTo(func(f focused) bool { return f.Tag == "A" && strings.Contains(f.Text, "backoff") }); err != nil {
		return fmt.Errorf("a hit: %w", err)
	}
	if err := chromedp.Do(t.ctx, chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible("article.memory")); err != nil {
		return err
	}
	if err := t.tabTo(button("Vote up")); err != nil {
		return fmt.Errorf("the vote: %w", err)
	}
	if err := chromedp.Do(t.ctx, chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(".toast button")); err != nil {
		return err
	}
	if f, err := chromedp.Run(t.ctx, chromedp.Evaluate[focused](focusScript)); err != nil || f.Text != "Vote up" {
		return errors.Join(err, fmt.Errorf("after the vote the focus is on %+v", f))
	}
	if err := t.violations(); err != nil {
		return fmt.Errorf("with a message: %w", err)
	}
	if err := chromedp.Do(t.ctx, chromedp.Focus(".toast button"), chromedp.KeyEvent(kb.Enter)); err != nil {
		return err
	}
	if err := t.toast("Undone."); err != nil {
		return err
	}
	f, err := chromedp.Run(t.ctx, chromedp.Poll[bool](`document.activeElement.matches('.toast button')`))
	if err == nil && !f {
		err = errors.New("after the undo the focus is lost")
	}
	return err
}

// add types a new memory, which is compared while it is typed, records it and takes it back.
func (t *tester) add() error {
	err := chromedp.Do(t.ctx, chromedp.EmulateViewport(1200, 900), chromedp.Navigate(t.site.url+"/ui/new"), chromedp.WaitVisible("#new textarea"), chromedp.Evaluate[chromedp.Void](`void (window.same = true)`),
		chromedp.Focus(`#new textarea[name="content"]`), chromedp.KeyEvent("Zebras graze near the old observatory"))
	if err != nil {
		return err
	}
	const hinted = `document.querySelector('#hints').textContent.includes('No other memory says this') && !!window.same && document.activeElement.name === 'content'`
	if _, err := chromedp.Run(t.ctx, chromedp.Poll[bool](hinted)); err != nil {
		return fmt.Errorf("the hint: %w", err)
	}
	if err := errors.Join(chromedp.Do(t.ctx, chromedp.Click("#new button.main"), chromedp.WaitVisible("article.memory")), t.toast("Recorded.")); err != nil {
		return err
	}
	return t.takeBack()
}

// bulk tags a memory of the list, and takes that back.
func (t *tester) bulk() error {
	err := chromedp.Do(t.ctx, chromedp.Navigate(t.site.url+"/ui/browse"), chromedp.WaitVisible(".bulk .item input"), chromedp.Click(".bulk .item input"), chromedp.Click(".bulk summary"),
		chromedp.WaitVisible(`.bulk input[name="tags"]`))
	if err == nil {
		err = t.violations()
	}
	if err == nil {
		err = errors.Join(chromedp.Do(t.ctx, chromedp.Focus(`.bulk input[name="tags"]`), chromedp.KeyEvent("walked"), chromedp.Click(`.bulk button[value="tag"]`), chromedp.WaitVisible(".toast button")), t.toast("Tagged 1 memory."))
	}
	if err != nil {
		return err
	}
	return t.takeBack()
}

// takeBack undoes the change that the message is about.
func (t *tester) takeBack() error {
	return errors.Join(chromedp.Do(t.ctx, chromedp.WaitVisible(".toast button"), chromedp.Click(".toast button")), t.toast("Undone."), t.quiet())
}

// audit waits for the audit that its page loads, settles a finding with keys alone, and takes that back.
func (t *tester) audit() error {
	err := chromedp.Do(t.ctx, chromedp.EmulateViewport(1200, 900), chromedp.Navigate(t.site.url+"/ui/review?part=audit"), chromedp.WaitVisible("#audit .pair"))
	if err != nil {
		return err
	}
	if err := t.violations(); err != nil {
		return err
	}
	if err := t.tabTo(button("Both stay")); err != nil {
		return err
	}
	if err := chromedp.Do(t.ctx, chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(".toast button")); err != nil {
		return err
	}
	if err := t.toast("Both stay"); err != nil {
		return err
	}
	if err := chromedp.Do(t.ctx, chromedp.Focus(".toast button"), chromedp.KeyEvent(kb.Enter)); err != nil {
		return err
	}
	if err := t.toast("Undone."); err != nil {
		return err
	}
	// "Look again" makes another audit.
	if err := chromedp.Do(t.ctx, chromedp.Click(`#audit a[href*="instead="]`), chromedp.WaitReady(`#audit a[href*="instead="]`), chromedp.WaitVisible("#audit .pair")); err != nil {
		return err
	}
	return t.quiet()
}

// toast waits for a message.
func (t *tester) toast(text string) error {
	_, err := chromedp.Run(t.ctx, chromedp.Poll[bool](fmt.Sprintf(`(document.querySelector('#toast').textContent || '').includes(%q)`, text)))
	return err
}

// typing searches while somebody types: the results change and the page does not load again.
func (t *tester) typing() error {
	err := chromedp.Do(t.ctx, chromedp.Navigate(t.site.url+"/"), chromedp.WaitReady("#q"), chromedp.Evaluate[chromedp.Void](`void (window.same = true)`),
		chromedp.Focus("#q"), chromedp.KeyEvent("certificates"), chromedp.WaitVisible(".hit"))
	if err != nil {
		return err
	}
	if _, err := chromedp.Run(t.ctx, chromedp.Poll[bool](`location.search.includes('q=certificates')`)); err != nil {
		return fmt.Errorf("the address: %w", err)
	}
	type result struct {
		Same           bool
		Found, Address string
		Value          string
	}
	r, err := chromedp.Run(t.ctx, chromedp.Evaluate[result](`({Same: !!window.same, Found: document.querySelector('#found').textContent, Address: location.search, Value: document.querySelector('#q').value})`))
	if err == nil && (!r.Same || !strings.Contains(r.Found, "memor") || !strings.Contains(r.Address, "q=certificates") || r.Value != "certificates") {
		err = fmt.Errorf("got %+v", r)
	}
	return errors.Join(err, t.quiet())
}

// forget forgets a memory by a click and brings it back.
func (t *tester) forget() error {
	path := "/ui/memory/" + t.site.central.String()
	err := chromedp.Do(t.ctx, chromedp.Navigate(t.site.url+path), chromedp.WaitReady("article.memory"), chromedp.Evaluate[chromedp.Void](`void (window.same = true)`),
		chromedp.Click(`form[action$="/forget"] button`), chromedp.WaitVisible(`form[action$="/restore"] button`), chromedp.WaitVisible(".toast button"), chromedp.Click(".toast button"),
		chromedp.WaitVisible(`form[action$="/forget"] button`))
	if err != nil {
		return err
	}
	same, err := chromedp.Run(t.ctx, chromedp.Evaluate[bool](`!!window.same`))
	if err == nil && !same {
		err = errors.New("the page was loaded again")
	}
	return errors.Join(err, t.toast("Undone."), t.quiet())
}

// quiet returns what the browser complained about.
func (t *tester) quiet() error {
	var errs []error
	for _, c := range t.drain() {
		errs = append(errs, errors.New(c))
	}
	return errors.Join(errs...)
}

// weigh measures the first page in a browser without a cache: the bytes of all that it loads, and the time.
func (t *tester) weigh() error {
	type weight struct {
		Bytes, Encoded int
		Millis         float64
		Largest        float64
	}
	const script = `(() => { const n = performance.getEntriesByType('navigation')[0], all = performance.getEntriesByType('resource').concat([n]);` +
		`return {Bytes: all.reduce((s, e) => s + e.decodedBodySize, 0), Encoded: all.reduce((s, e) => s + e.encodedBodySize, 0), Millis: n.loadEventEnd, Largest: n.responseEnd} })()`
	for range 3 {
		if err := chromedp.Do(t.ctx, chromedp.Navigate(t.site.url+"/"), chromedp.WaitReady("#q")); err != nil {
			return err
		}
		w, err := chromedp.Run(t.ctx, chromedp.Evaluate[weight](script))
		if err != nil {
			return err
		}
		fmt.Fprintf(t.out, "        first page: %d bytes, %d compressed, %.0f ms until loaded, %.0f ms until the page was there\n", w.Bytes, w.Encoded, w.Millis, w.Largest)
		if w.Bytes > maxFirstPage {
			return fmt.Errorf("the first page has %d bytes, at most %d", w.Bytes, maxFirstPage)
		}
	}
	return nil
}
