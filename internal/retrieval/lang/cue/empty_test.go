package cue_test

import (
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/cue"
)

func TestNamesNothing(t *testing.T) {
	t.Parallel()
	for _, q := range []string{
		"", "*", "?!", "what happened", "What did we learn?", "what changed", "anything new", "list all memories", "everything", "what should I know", "tell me what you remember",
		"Was haben wir gemacht?", "was ist passiert", "Was gibt es Neues?", "qu'est-ce qui s'est passé ?", "Qu'avons-nous décidé", "¿Qué pasó?", "qué aprendimos", "o que aconteceu",
		"发生了什么", "我们做了什么事", "何がありましたか", "何をしましたか",
	} {
		if !cue.NamesNothing(q) {
			t.Errorf("%q names something", q)
		}
	}
	for _, q := range []string{
		"what happened to Ana", "which port", "deploy", "what did we decide about caching", "everything about Postgres", "7", "what broke", "Was ist mit dem Server passiert?", "qu'est-ce que Redis",
		"¿Qué pasó con el servidor?", "数据库发生了什么", "サーバーで何がありましたか",
	} {
		if cue.NamesNothing(q) {
			t.Errorf("%q names nothing", q)
		}
	}
}
