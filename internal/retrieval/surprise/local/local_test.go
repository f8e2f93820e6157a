package local_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/retrieval/surprise/local"
)

// model says the same of every text.
type model struct {
	nats    float64
	tokens  int
	err     error
	opened  int
	closed  int
	openErr error
}

func (m *model) NLL(context.Context, string) (float64, int, error) { return m.nats, m.tokens, m.err }
func (m *model) Close() error                                      { m.closed++; return nil }

func (m *model) predictor(now func() time.Time) *local.Predictor {
	return local.New(func(context.Context) (local.Model, error) { m.opened++; return m, m.openErr }, now)
}

func TestLoss(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		nats   float64
		tokens int
		want   float64
	}{
		{"usual", 3, 10, .5},
		{"out of range", 9, 10, 1},
		{"certain", 0, 10, 1e-6},
		{"one token", 0, 1, .5},
		{"no token", 0, 0, .5},
	} {
		m := &model{nats: tc.nats, tokens: tc.tokens}
		p := m.predictor(nil)
		for range 2 {
			if got, err := p.Loss(t.Context(), "text"); got != tc.want || err != nil {
				t.Errorf("%s: got %v, %v, want %v", tc.name, got, err, tc.want)
			}
		}
		if got, err := p.Loss(t.Context(), " \n"); got != 0 || err != nil {
			t.Errorf("blank: got %v, %v", got, err)
		}
		if err := p.Close(); err != nil || m.opened != 1 || m.closed != 1 {
			t.Errorf("%s: opened %d times and closed %d times, %v", tc.name, m.opened, m.closed, err)
		}
		if err := p.Close(); err != nil || m.closed != 1 {
			t.Errorf("closed again: %v", err)
		}
	}
}

// A model that cannot be opened, or fails, is tried again after a minute, from its files.
func TestLoss_Faults(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	broken := errors.New("broken")
	m := &model{nats: 3, tokens: 10, openErr: broken}
	p := m.predictor(func() time.Time { return now })
	for range 2 {
		if _, err := p.Loss(t.Context(), "text"); !errors.Is(err, broken) || m.opened != 1 {
			t.Errorf("got %v after it was opened %d times", err, m.opened)
		}
	}
	m.openErr, m.err, now = nil, broken, now.Add(time.Minute)
	if _, err := p.Loss(t.Context(), "text"); !errors.Is(err, broken) || m.opened != 2 || m.closed != 1 {
		t.Errorf("got %v after it was opened %d times and closed %d times", err, m.opened, m.closed)
	}
	m.err, now = nil, now.Add(time.Minute)
	if got, err := p.Loss(t.Context(), "text"); got != .5 || err != nil || m.opened != 3 {
		t.Errorf("got %v, %v after it was opened %d times", got, err, m.opened)
	}
}

// Who stops waiting has not found the model broken.
func TestLoss_Cancelled(t *testing.T) {
	t.Parallel()
	m := &model{nats: 3, tokens: 10, err: context.Canceled}
	p := m.predictor(nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Loss(ctx, "text"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	m.err = nil
	if got, err := p.Loss(t.Context(), "text"); got != .5 || err != nil || m.opened != 1 {
		t.Errorf("got %v, %v after it was opened %d times", got, err, m.opened)
	}
}
