package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// picture is one picture of the documentation.
type picture struct {
	name, path, scheme string
	height             int64
	script             string
}

// pictures takes the pictures of docs/dashboard.md into a folder.
func (t *tester) pictures(folder string) error {
	for _, p := range []picture{
		{"dashboard-search", "/?q=why+does+the+gateway+fail", "light", 860, `document.querySelector('.why').open = true`},
		{"dashboard-memory", "/ui/memory/" + t.site.central.String(), "dark", 760, `void 0`},
		{"dashboard-graph", "/ui/memory/" + t.site.central.String() + "/graph", "light", 820, `void 0`},
	} {
		err := chromedp.Do(t.ctx, chromedp.EmulateViewport(1000, p.height), media(p.scheme), chromedp.Navigate(t.site.url+p.path), chromedp.WaitReady("#main"),
			chromedp.Evaluate[chromedp.Void](p.script))
		if err != nil {
			return err
		}
		err = chromedp.Do(t.ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			shot, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatWebp, Quality: new(int64(75))})
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(folder, p.name+".webp"), shot.Data, 0o644) //nolint:gosec // it is public
		}))
		if err != nil {
			return err
		}
	}
	return nil
}

// media makes the system light or dark.
func media(scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return err
	})
}
