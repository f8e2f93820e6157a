package embed_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
)

// inOrder starts the calls one after the other, each once the one before waits.
func inOrder(wg *sync.WaitGroup, calls ...func()) {
	for _, f := range calls {
		wg.Go(f)
		synctest.Wait()
	}
}

// bubble runs f with a queue in front of a fake that waits at its gate.
func bubble(t *testing.T, o *embed.QueueOptions, f func(t *testing.T, inner *fake, q *embed.Queue)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := &fake{gate: make(chan struct{})}
		q := embed.NewQueue(inner, o)
		f(t, inner, q)
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestQueue_combines_what_waits(t *testing.T) {
	bubble(t, &embed.QueueOptions{MaxTexts: 4}, func(t *testing.T, f *fake, q *embed.Queue) {
		var wg sync.WaitGroup
		call := func(role embed.Role, texts ...string) func() {
			return func() { mustEmbed(t, q, role, texts...) }
		}
		inOrder(&wg,
			call(embed.Passage, "a"), // at once
			call(embed.Passage, "b"),
			call(embed.Sentence, "s"),
			call(embed.Passage, "c", "d"),
			call(embed.Passage, "e", "f"),
			call(embed.Passage, "g"),
			call(embed.Query, "q"), // before all that wait
			call(embed.Query, "r"),
		)
		wantAsked(t, f, []string{"a"})
		close(f.gate)
		wg.Wait()
		wantAsked(t, f, []string{"a"}, []string{"q", "r"}, []string{"b", "c", "d"}, []string{"s"}, []string{"e", "f", "g"})
		if q.Model() != fakeModel() {
			t.Errorf("model %+v", q.Model())
		}
	})
}

func TestQueue_splits_large_calls(t *testing.T) {
	bubble(t, &embed.QueueOptions{MaxTexts: 3, MaxBytes: 10}, func(t *testing.T, f *fake, q *embed.Queue) {
		close(f.gate)
		long := strings.Repeat("x", 20)
		mustEmbed(t, q, embed.Passage, "1", "2", "3", "4", "5", long, "12345", "12345", "6")
		wantAsked(t, f, []string{"1", "2", "3"}, []string{"4", "5"}, []string{long}, []string{"12345", "12345"}, []string{"6"})
		mustEmbed(t, q, embed.Passage)
	})
}

func TestQueue_second_worker_waits_for_company(t *testing.T) {
	bubble(t, &embed.QueueOptions{MaxTexts: 3, Delay: time.Second, Workers: 2}, func(t *testing.T, f *fake, q *embed.Queue) {
		var wg sync.WaitGroup
		call := func(text string) func() { return func() { mustEmbed(t, q, embed.Passage, text) } }
		inOrder(&wg, call("a"), call("b"), call("c"))
		wantAsked(t, f, []string{"a"})
		time.Sleep(time.Second) // of the bubble
		synctest.Wait()
		wantAsked(t, f, []string{"a"}, []string{"b", "c"})
		f.gate <- struct{}{}
		synctest.Wait()
		inOrder(&wg, call("d"), call("e"), call("f")) // full before the delay is over
		wantAsked(t, f, []string{"a"}, []string{"b", "c"}, []string{"d", "e", "f"})
		close(f.gate)
		wg.Wait()
	})
}

func TestQueue_caller_leaves(t *testing.T) {
	bubble(t, nil, func(t *testing.T, f *fake, q *embed.Queue) {
		atWork, leaveWork := context.WithCancel(t.Context())
		waits, leaveLine := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		gone := func(ctx context.Context, text string) func() {
			return func() {
				if _, err := q.Embed(ctx, embed.Passage, []string{text}); !errors.Is(err, context.Canceled) {
					t.Errorf("got %v, want Canceled", err)
				}
			}
		}
		inOrder(&wg, gone(atWork, "at work"), gone(waits, "waits"), func() { mustEmbed(t, q, embed.Passage, "stays") })
		leaveLine()
		synctest.Wait()
		leaveWork()
		synctest.Wait()
		if f.endedCalls() != 1 {
			t.Errorf("%d calls ended, want that of which nobody wants the answer", f.endedCalls())
		}
		close(f.gate)
		wg.Wait()
		wantAsked(t, f, []string{"at work"}, []string{"stays"})
		gone(waits, "late")()
		wantAsked(t, f, []string{"at work"}, []string{"stays"})
	})
}

func TestQueue_batch_goes_on_for_others(t *testing.T) {
	bubble(t, nil, func(t *testing.T, f *fake, q *embed.Queue) {
		ctx, leave := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		inOrder(&wg,
			func() { mustEmbed(t, q, embed.Passage, "first") },
			func() { _, _ = q.Embed(ctx, embed.Passage, []string{"gone"}) }, // its error is tested elsewhere
			func() { mustEmbed(t, q, embed.Passage, "stays") },
		)
		f.gate <- struct{}{}
		synctest.Wait()
		leave()
		synctest.Wait()
		close(f.gate)
		wg.Wait()
		wantAsked(t, f, []string{"first"}, []string{"gone", "stays"})
	})
}

func TestQueue_bad_text_harms_its_caller_only(t *testing.T) {
	bubble(t, nil, func(t *testing.T, f *fake, q *embed.Queue) {
		var wg sync.WaitGroup
		inOrder(&wg,
			func() { mustEmbed(t, q, embed.Passage, "first") },
			func() { mustEmbed(t, q, embed.Passage, "good") },
			func() {
				if _, err := q.Embed(t.Context(), embed.Passage, []string{"fine", "bad"}); !errors.Is(err, errBadText) {
					t.Errorf("got %v, want errBadText", err)
				}
			},
			func() { mustEmbed(t, q, embed.Passage, "too") },
		)
		close(f.gate)
		wg.Wait()
		wantAsked(t, f, []string{"first"}, []string{"good", "fine", "bad", "too"},
			[]string{"good"}, []string{"fine", "bad"}, []string{"too"})
	})
}

func TestQueue_model_that_cannot_answer_is_not_asked_again(t *testing.T) {
	for _, cause := range []error{embed.ErrNotReady, hippo.ErrUnavailable} {
		t.Run(cause.Error(), func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, f *fake, q *embed.Queue) {
				f.fail(fmt.Errorf("model: %w", cause))
				var wg sync.WaitGroup
				fails := func() {
					if _, err := q.Embed(t.Context(), embed.Passage, []string{"a"}); !errors.Is(err, cause) {
						t.Errorf("got %v, want %v", err, cause)
					}
				}
				inOrder(&wg, fails, fails, fails)
				close(f.gate)
				wg.Wait()
				wantAsked(t, f, []string{"a"}, []string{"a", "a"})
			})
		})
	}
}

func TestQueue_part_of_a_call_fails(t *testing.T) {
	bubble(t, &embed.QueueOptions{MaxTexts: 1}, func(t *testing.T, f *fake, q *embed.Queue) {
		close(f.gate)
		if _, err := q.Embed(t.Context(), embed.Passage, []string{"a", "bad", "c", "d"}); !errors.Is(err, errBadText) {
			t.Errorf("got %v, want errBadText", err)
		}
		wantAsked(t, f, []string{"a"}, []string{"bad"}) // the rest is of no use
	})
}

func TestQueue_Close(t *testing.T) {
	bubble(t, nil, func(t *testing.T, f *fake, q *embed.Queue) {
		var wg sync.WaitGroup
		fails := func() {
			if _, err := q.Embed(t.Context(), embed.Passage, []string{"a"}); !errors.Is(err, hippo.ErrUnavailable) {
				t.Errorf("got %v, want ErrUnavailable", err)
			}
		}
		inOrder(&wg, fails, fails)
		if err := q.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		fails()
		if f.endedCalls() != 1 {
			t.Errorf("%d calls ended, want 1", f.endedCalls())
		}
	})
}

func TestQueue_refuses_wrong_vectors(t *testing.T) {
	t.Parallel()
	q := embed.NewQueue(short{&fake{}}, nil)
	defer func() { _ = q.Close() }() // it returns nil
	if _, err := q.Embed(t.Context(), embed.Query, []string{"a", "b"}); err == nil {
		t.Fatal("want an error")
	}
}

// TestQueue_concurrent has many callers, of whom some leave and some have bad
// texts, and checks every answer.
func TestQueue_concurrent(t *testing.T) {
	t.Parallel()
	q := embed.NewQueue(&fake{}, &embed.QueueOptions{MaxTexts: 5, Delay: time.Microsecond, Workers: 3})
	var wg sync.WaitGroup
	for i := range 300 {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i%7 == 0 {
				go cancel()
			}
			texts := make([]string, 1+i%9)
			for k := range texts {
				texts[k] = fmt.Sprint(i, k)
			}
			if i%11 == 0 {
				texts[0] = "bad"
			}
			role := embed.Role(i % 3)
			got, err := q.Embed(ctx, role, texts)
			switch {
			case i%7 == 0 && errors.Is(err, context.Canceled):
			case i%11 == 0 && errors.Is(err, errBadText):
			case err != nil:
				t.Error(err)
			default:
				if diff := cmp.Diff(vectorsOf(role, texts...), got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
	wg.Wait()
	if err := q.Close(); err != nil {
		t.Error(err)
	}
}
