package capture

import "strings"

// order matches the beginning of a sentence that orders one piece of work: its verb is done once. "Make sure" and "add tests to
// every change" may last, and have other words for it.
//
//nolint:gochecknoglobals // compiled when it is first used
var order = pattern(`(?i)^\W*((now|next|then|ok|okay|great|perfect|fantastic|nice|cool|and|also|moreover|first|please|pls|just|agora|ahora|jetzt|maintenant)[\s,]+|\w+[,!.]? now[\s,]+|let'?s +|(we|you) (need|have) to +)*` +
	`(create|generate|update|add|rewrite|re-write|replace|implement|fix|find|write|build|change|move|rename|remove|delete|convert|install|commit|push|pull|git|npm|suggest|show|explain|continue|proceed|retry|try|do|give|start|stop|restart|undo|revert|apply|refactor|check|list|open|look|read|help|set up` +
	`|crea|crear|genera|agrega|añade|actualiza|arregla|corrige|instala|haz|faça|crie|gere|adicione|atualize|corrija|instale|valide|execute|erstelle|baue|ändere|ergänze|behebe|füge|crée|ajoute|modifie|génère|installe)([\s,.!:]|$)` +
	`|^\W*(\w+[,!.]? )?make ([^s]|s[^u])|^@`)

// orderWithin matches an order within a sentence, onward what makes an order last, and chore an answer that only orders the next step.
//
//nolint:gochecknoglobals // compiled when it is first used
var (
	orderWithin = pattern(`(?i)\bplease (add|fix|update|change|create|make|remove|build|implement|help|check)\b`)
	chore       = pattern(`(?i)^\W*((now|agora|ahora|jetzt|maintenant|please|ok|okay|yes)[\s,]+)*(git|commit|push|pull|install|run|execute|continue|proceed|retry|suggest|show|explain|valide?|faça|haz|add (it|this|that))\b|^@|^\W*do (option )?(\d|it|that|this)`)
	onward      = pattern(`(?i)\b(from now on|in (the )?future|going forward|every time|künftig|ab jetzt|ab sofort|in zukunft|désormais|à partir de maintenant|a partir de ahora|de ahora en adelante|a partir de agora|d'ora in poi)\b`)
)

// orderWeight is what a sentence loses that orders a piece of work: all that "always" or "never" in it would count.
const orderWeight = 0.65

// ordered reports whether a sentence orders one piece of work.
func ordered(text string) bool { return order().MatchString(text) }

// ofWork returns the score of a sentence less what it loses if it orders a piece of work, describes one, or is pasted.
func ofWork(score float64, c cues, k *context, i int, text string) float64 {
	lasts := c&(hasRule|hasPreference|hasDecision|hasScope|hasRejection) != 0
	switch follows := k.task && i > 0; {
	case c&hasPreference == 0 && (ordered(text) && !onward().MatchString(text) || orderWithin().MatchString(text)):
		return score - orderWeight
	case follows && describes(text, c): // "create a page; it should have a table"
		return 0
	case follows && !lasts, k.long && !lasts:
		return score - 0.3
	}
	return score
}

// answered matches what an assistant writes, which a user pastes: it speaks to "you" of "your code".
//
//nolint:gochecknoglobals // compiled when it is first used
var answered = pattern(`(?i)\bhere (are|is) (the|a|some|your)\b|\blet me know\b|\bi can (see|spot)\b|\byour (server|code|component|api|endpoint|frontend|backend|app|application|editor)\b|\byou('re| are) (declaring|getting|using|encountering|seeing|receiving)\b|\bthe error (you're|is because|occurs|suggests|strongly)\b|\b(these changes|this) (will|should) (ensure|be applied|fix|resolve)\b|\bafter applying\b|\bif you('d)? (prefer|want|like) to\b`)

// ownWords returns a text without what begins with the words of an assistant, if it is so long that it may be pasted.
func ownWords(text string) string {
	if len(text) <= maxTyped {
		return text
	}
	if at := answered().FindStringIndex(text); at != nil {
		return text[:strings.LastIndexByte(text[:at[0]], '\n')+1]
	}
	return text
}
