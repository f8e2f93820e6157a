package hook

import (
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"unicode/utf16"
)

const helloEvent = `{"session_id":"s","cwd":"/work","prompt":"hello \u00e4 there"}`

// utf16Of encodes a text, with the mark of its byte order or without.
func utf16Of(text string, order binary.AppendByteOrder, mark bool) string {
	var b []byte
	if mark {
		b = order.AppendUint16(b, 0xfeff)
	}
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

// The first object is the event, in whatever encoding it comes and whatever follows it.
func TestRead_FirstObject(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"plain": helloEvent, "mark": "\ufeff" + helloEvent, "spaces": "\r\n  " + helloEvent + "\r\n", "more": helloEvent + "garbage", "two": helloEvent + helloEvent,
		"little-endian": utf16Of(helloEvent, binary.LittleEndian, true), "big-endian": utf16Of(helloEvent, binary.BigEndian, true),
		"little-endian without a mark": utf16Of(helloEvent, binary.LittleEndian, false), "big-endian without a mark": utf16Of(helloEvent, binary.BigEndian, false),
	} {
		if x, err := read(strings.NewReader(text), claude()); err != nil || x.Session != "s" || x.Prompt != "hello ä there" {
			t.Errorf("%s: got %+v, %v", name, x, err)
		}
	}
	for _, text := range []string{"", "[]", "null", `{"session_id":`, "\ufeff", "\xff\xfe", `"s"`} {
		if _, err := read(strings.NewReader(text), claude()); err == nil {
			t.Errorf("%q is no event", text)
		}
	}
}

// A pipe that stays open does not keep an event waiting.
func TestRead_OpenPipe(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	t.Cleanup(func() { _ = w.Close() })
	go func() { _, _ = io.WriteString(w, helloEvent) }()
	if x, err := read(r, claude()); err != nil || x.Prompt != "hello ä there" {
		t.Errorf("got %+v, %v", x, err)
	}
}

// A huge prompt is cut, wherever its escapes are.
func TestRead_HugePrompt(t *testing.T) {
	t.Parallel()
	for pad := range 16 {
		prompt := "deploy billing? " + strings.Repeat("x", pad) + strings.Repeat(`\ud83d\ude00\\\\\"`, 150_000)
		x, err := read(strings.NewReader(`{"session_id":"s","prompt":"`+prompt+`"}`), claude())
		if err != nil || !strings.HasPrefix(x.Prompt, "deploy billing? ") {
			t.Errorf("pad %d: got %+v, %v", pad, x, err)
		}
	}
}
