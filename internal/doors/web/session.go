package web

import (
	"cmp"
	"crypto/rand"
	"crypto/subtle"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// Bounds of sessions.
const (
	maxSessions = 1000
	// idleTime ends a session that was not used, lifeTime every one.
	idleTime = 12 * time.Hour
	lifeTime = 7 * 24 * time.Hour
	maxLinks = 64
	// linkTime is how long a one-time link is valid.
	linkTime = 5 * time.Minute
	// maxUndo is how many changes of a session can be undone, and how many forms are known to have been sent.
	maxUndo = 20
)

// Sessions are the sessions of browsers, in RAM: they end with the program, after 12 hours without a request, or after
// seven days. There are at most 1,000; a new one ends the one that was not used for the longest time. It is safe for
// concurrent use.
type Sessions struct {
	now func() time.Time

	mu    sync.Mutex
	byKey map[string]*session
	links map[string]onceLink
}

// onceLink is a one-time link that was not used yet.
type onceLink struct {
	caller httpd.Caller
	until  time.Time
}

// NewSessions returns an empty set; nil is the system's clock.
func NewSessions(now func() time.Time) *Sessions {
	if now == nil {
		now = time.Now //nolint:forbidigo // the system clock is the default
	}
	return &Sessions{now: now, byKey: make(map[string]*session), links: make(map[string]onceLink)}
}

// Link returns the path of a link that begins a session of a caller. It works once, within five minutes. Of more than
// 64 that wait, the oldest ends.
func (s *Sessions) Link(c httpd.Caller) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.links) >= maxLinks {
		delete(s.links, earliest(s.links, func(l onceLink) time.Time { return l.until }))
	}
	key := rand.Text()
	s.links[key] = onceLink{c, s.now().Add(linkTime)}
	return "/ui/enter/" + key
}

// redeem uses up a link and begins a session; false if there is no such link.
func (s *Sessions) redeem(key string) (cookie string, ok bool) {
	s.mu.Lock()
	l, ok := s.links[key]
	delete(s.links, key)
	s.mu.Unlock()
	if !ok || s.now().After(l.until) {
		return "", false
	}
	return s.begin(l.caller, ""), true
}

// begin begins a session, which belongs to a token unless that is empty, and returns the value of its cookie.
func (s *Sessions) begin(c httpd.Caller, token string) (cookie string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	maps.DeleteFunc(s.byKey, func(_ string, x *session) bool { return x.expired(now) })
	if len(s.byKey) >= maxSessions {
		delete(s.byKey, earliest(s.byKey, func(x *session) time.Time { return x.used }))
	}
	key := rand.Text()
	s.byKey[key] = &session{caller: c, token: token, csrf: rand.Text(), began: now, used: now}
	return key
}

// get returns a session that has not ended, and notes its use.
func (s *Sessions) get(cookie string) (*session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, ok := s.byKey[cookie]
	now := s.now()
	if !ok || x.expired(now) {
		delete(s.byKey, cookie)
		return nil, false
	}
	x.used = now
	return x, true
}

func (s *Sessions) end(cookie string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byKey, cookie)
}

// earliest returns the key whose value has the earliest time.
func earliest[T any](m map[string]T, at func(T) time.Time) string {
	return slices.MinFunc(slices.Collect(maps.Keys(m)), func(a, b string) int {
		return cmp.Or(at(m[a]).Compare(at(m[b])), cmp.Compare(a, b))
	})
}

// session is that of one browser.
type session struct {
	caller httpd.Caller
	// token is that of the login; empty after a one-time link.
	token string
	// csrf is part of every form.
	csrf string
	// began and used are guarded by the mutex of Sessions.
	began, used time.Time

	mu    sync.Mutex
	toast *toast
	undos []undoEntry // the oldest first
	sent  []sentForm  // the oldest first
	file  *upload     // nil: none waits
}

// sentForm is a form that recorded a memory.
type sentForm struct {
	key string
	id  hippo.ID
}

// undoEntry is a change that can be undone: operations, the first one first, memories that were added, or relations that were declared.
type undoEntry struct {
	key        string
	text       string
	operations []hippo.ID
	added      []hippo.ID
	declared   []hippo.Relation
}

func (x *session) expired(now time.Time) bool {
	return now.After(x.used.Add(idleTime)) || now.After(x.began.Add(lifeTime))
}

// forged reports whether the token of a form is not that of the session.
func (x *session) forged(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(x.csrf)) != 1
}

// toast is what the next page says about the last action.
type toast struct {
	Text   string
	Failed bool
	// Undo is the key of the change; empty if there is nothing to undo.
	Undo string
}

// say leaves a message for the next page.
func (x *session) say(t toast) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.toast = &t
}

// takeToast returns the message once.
func (x *session) takeToast() *toast {
	x.mu.Lock()
	defer x.mu.Unlock()
	t := x.toast
	x.toast = nil
	return t
}

// keep remembers a change and returns its key.
func (x *session) keep(u undoEntry) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if over := len(x.undos) + 1 - maxUndo; over > 0 {
		x.undos = slices.Delete(x.undos, 0, over)
	}
	u.key = rand.Text()
	x.undos = append(x.undos, u)
	return u.key
}

// takeUndo returns a change once.
func (x *session) takeUndo(key string) (undoEntry, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	i := slices.IndexFunc(x.undos, func(u undoEntry) bool { return u.key == key })
	if i < 0 {
		return undoEntry{}, false
	}
	u := x.undos[i]
	x.undos = slices.Delete(x.undos, i, i+1)
	return u, true
}

// claim lets a form record the memory id. If the form was sent before, it returns the memory that it has recorded, and false.
func (x *session) claim(form string, id hippo.ID) (first hippo.ID, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if i := slices.IndexFunc(x.sent, func(f sentForm) bool { return f.key == form }); i >= 0 {
		return x.sent[i].id, false
	}
	if over := len(x.sent) + 1 - maxUndo; over > 0 {
		x.sent = slices.Delete(x.sent, 0, over)
	}
	x.sent = append(x.sent, sentForm{form, id})
	return id, true
}

// release lets a form be sent again, because it has recorded nothing.
func (x *session) release(form string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sent = slices.DeleteFunc(x.sent, func(f sentForm) bool { return f.key == form })
}

// keepFile lets a file wait, in place of the one that does.
func (x *session) keepFile(u *upload) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.file.remove()
	x.file = u
}

// sentFile returns the file that waits if it has the key; nil if it has not.
func (x *session) sentFile(key string) *upload {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.file == nil || x.file.key != key || x.file.gone.Load() {
		return nil
	}
	return x.file
}

// dropFile deletes the file that waits.
func (x *session) dropFile() { x.keepFile(nil) }
