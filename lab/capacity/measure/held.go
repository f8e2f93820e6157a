package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/lab/capacity/model"
	"github.com/hippo-memory/hippo/lab/database"
)

// holding is what a process opens whose memory is measured.
type holding struct {
	url, prefix string
	count       int
}

// held measures the memory of the tenants in a process of its own, which finds their files.
func (s *sized) held(ctx context.Context) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, exe, "-models", s.model, "-held-in", s.url, "-held-by", s.prefix, "-held", strconv.Itoa(s.count))
	c.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(s.dir, s.cache()))
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return err
	}
	var program, opened, searched, pages, estimate float64
	if _, err := fmt.Sscan(string(out), &program, &opened, &searched, &pages, &estimate); err != nil {
		return fmt.Errorf("%q: %w", out, err)
	}
	s.add(model.Program, program)
	s.add(model.HeldOpen, opened)
	s.add(model.HeldSearched, searched)
	s.add(model.HeldPages, pages)
	s.add(model.HeldEstimate, estimate)
	return nil
}

// hold opens tenants, and prints how many bytes the process has without them, and each takes: before and after a search in it, and of pages of
// its file, and what the program believes that it takes.
func (h *holding) hold(ctx context.Context, modelName string) error {
	all, err := open(h.url, "", modelName, false, 0)
	if err != nil {
		return err
	}
	search := func(name string, prepare func(*engine.Memories) error) error {
		e, err := all.Of(ctx, name)
		if err != nil {
			return err
		}
		return prepare(database.In(e, name))
	}
	ask := func(m *engine.Memories) error {
		_, err := query.Search(ctx, m, hippo.Query{Text: "why does the build of the service fail"})
		return errors.Join(err, m.Flush(ctx))
	}
	if err := search("nobody", ask); err != nil {
		return err
	}
	empty, program := resident()
	for i := range h.count {
		err = errors.Join(err, search(fmt.Sprint(h.prefix, i), func(m *engine.Memories) error { return m.Index.CatchUp(ctx) }))
	}
	opened, before := resident()
	var estimate int64
	for i := range h.count {
		err = errors.Join(err, search(fmt.Sprint(h.prefix, i), func(m *engine.Memories) error {
			estimate += m.Index.Resident()
			return ask(m)
		}))
	}
	searched, after := resident()
	n := float64(h.count)
	fmt.Println(empty+program, max(0, opened-empty)/n, max(0, searched-empty)/n, max(0, after-before)/n, float64(estimate)/n)
	return errors.Join(err, all.Shut(context.WithoutCancel(ctx)))
}

// resident returns the memory of the process that the system cannot take back, and the pages of files, in bytes.
func resident() (anonymous, files float64) {
	time.Sleep(time.Second)
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0
	}
	field := func(name string) float64 {
		_, rest, _ := strings.Cut(string(status), name)
		kB, _ := strconv.ParseFloat(strings.Fields(rest + " 0")[0], 64) // 0: the system does not say
		return kB * 1024
	}
	return field("RssAnon:"), field("RssFile:")
}
