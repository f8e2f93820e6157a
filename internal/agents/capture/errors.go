package capture

import (
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/agents/transcript"
)

// run is the use of a shell.
type run struct {
	// at and until are the places of the turns of the call and of the result.
	at, until       int
	command, output string
	failed          bool
}

// maxRuns is how many runs after an error may be the one that worked.
const maxRuns = 8

// errors adds the errors of commands that were solved, and causes that the assistant found.
func (x *extractor) errors() {
	runs, edits := x.runs()
	solved := map[int][]run{} // by the run that worked
	for i := range runs {
		if !runs[i].failed {
			continue
		}
		for j := i + 1; j < min(len(runs), i+1+maxRuns); j++ {
			if !runs[j].failed && sameTask(runs[i].command, runs[j].command) {
				solved[j] = append(solved[j], runs[i])
				break
			}
		}
	}
	for j := range runs {
		if failures := solved[j]; len(failures) > 0 {
			x.solved(failures, &runs[j], edits)
		}
	}
	x.causes(runs)
}

// runs returns the uses of shells in order, and the places of turns that changed a file.
func (x *extractor) runs() (runs []run, edits []int) {
	open := map[string]int{} // the place of a run by the ID of its call
	for i, t := range x.turns {
		for _, c := range t.Calls {
			switch name := strings.ToLower(c.Name); {
			case strings.Contains(c.Input, "apply_patch"), strings.Contains(name, "edit"), strings.Contains(name, "write"), strings.Contains(name, "patch"), strings.Contains(name, "replace"):
				edits = append(edits, i)
			case isShell(name):
				open[c.ID] = len(runs)
				runs = append(runs, run{at: i, until: -1, command: c.Input})
			}
		}
		for _, r := range t.Results {
			if k, ok := open[r.CallID]; ok && runs[k].until < 0 && !r.Refused {
				runs[k].until, runs[k].output, runs[k].failed = i, r.Output, r.Error
			}
		}
	}
	return slices.DeleteFunc(runs, func(r run) bool { return r.until < 0 }), edits
}

func isShell(name string) bool {
	for _, part := range [...]string{"bash", "shell", "exec", "terminal", "command"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// looking has the programs whose failure says nothing.
//
//nolint:gochecknoglobals // compiled when it is first used
var looking = pattern(`^\s*(ls|cat|grep|rg|find|cd|head|tail|which|test|stat|echo|pwd|tree|diff|\[|git (status|diff|log|show))\b`)

// sameTask reports whether a later command does what an earlier one was to do.
func sameTask(failed, worked string) bool {
	if looking().MatchString(failed) {
		return false
	}
	a, b := commandWords(failed), commandWords(worked)
	common := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			common++
		}
	}
	return len(a) > 0 && 2*common >= len(a)
}

// commandWords returns the words of a command that say what it does: no assignments, options and
// operators; programs without their folder.
func commandWords(command string) []string {
	var out []string
	for w := range strings.FieldsSeq(command) {
		w = strings.Trim(w, `"'();`)
		if w == "" || w[0] == '-' || w == "&&" || w == "||" || w == "|" || w == "sudo" || w == "env" || strings.Contains(w, "=") && !strings.Contains(w, "/") {
			continue
		}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
		if len(out) == 24 {
			break
		}
	}
	return out
}

//nolint:gochecknoglobals // compiled when it is first used
var (
	// environmental errors come from the machine, the network, accounts or tools, and come again.
	environmental = pattern(`(?i)refused|EADDRINUSE|already in use|denied|unauthorized|forbidden|\b40[13]\b|not found|doesn't exist|does not exist|no such file|cannot find|could not|couldn't|unable to|must not be empty|not set|not enabled|protected branch|rejected|timed? ?out|out of memory|unsupported|certificate|\bssl\b|\block|workspace|ImportError|ModuleNotFound|no module named|can't decode|codec|preload|runtime|missing|EUSAGE|misconfigured|Improperly|already imported|no profiles|quota|no space|not running|unreachable|expired|not installed|unknown (option|flag|command)|incompatible|not a git|deprecated|version`)
	// ofCode errors are mistakes in the code that was just being written.
	ofCode = pattern(`error\[E\d|\bTS\d{4}|(?i)syntax ?error|undeclared|cannot find symbol|type mismatch|unexpected (any|token)|UndefinedFunctionError|undefined:|undefined reference|unused (variable|import)|not gofumpt|eslint|nil pointer|compilation error`)
	// ofTest errors are tests that failed.
	ofTest = pattern(`--- FAIL|AssertionError|(?i)\bwant\b.*\bgot\b|expected.*(got|received|actual)|\d+ failures?\b|\d+ failed|examples?, [1-9]`)
)

// solved adds errors with the command that worked.
func (x *extractor) solved(failures []run, worked *run, edits []int) {
	var parts, ids, why []string
	score := 0.0
	for i := range failures {
		f := &failures[i]
		line := errorLine(f.output)
		s := x.scoredError(f, worked, edits, line)
		if s < MinScore || line == "" || len(parts) == 2 {
			continue
		}
		score = max(score, s)
		ids = append(ids, x.turns[f.at].ID, x.turns[f.until].ID)
		if why == nil {
			why = x.explanation(f.until, worked)
		}
		parts = append(parts, "`"+clip(oneLine(f.command), 120)+"` fails: "+strings.TrimRight(line, ".")+".")
	}
	if parts == nil {
		return
	}
	content := strings.Join(append(parts, why...), " ") + " What worked: `" + clip(oneLine(worked.command), 200) + "`"
	ids = append(ids, x.turns[worked.at].ID, x.turns[worked.until].ID)
	x.add(Candidate{
		Content: content, Type: TypeError, Score: score, Turns: slices.Compact(ids),
		Reason: "a command failed, and a later one for the same task worked",
	}, failures[0].until)
}

// scoredError returns how sure it is that an error and its fix are worth keeping.
func (x *extractor) scoredError(f, worked *run, edits []int, line string) float64 {
	score := 0.3
	environment := environmental().MatchString(line)
	if environment {
		score += 0.25
	}
	if ofCode().MatchString(f.output) {
		score -= 0.4
	}
	if ofTest().MatchString(line) {
		score -= 0.3
	}
	changed := oneLine(f.command) != oneLine(worked.command)
	if changed {
		score += 0.2
	} else if !environment {
		score -= 0.2
	}
	if slices.ContainsFunc(edits, func(at int) bool { return at > f.until && at < worked.until }) {
		score -= 0.2
	}
	return score
}

// errorWord finds the line of an output that says what went wrong.
//
//nolint:gochecknoglobals // compiled when it is first used
var errorWord = pattern(`(?i)error|fatal|exception|failed|denied|refused|not found|cannot|could ?n[o']t|unable|invalid|missing|panic|rejected|unreachable|timed out`)

// errorLine returns the line of an output that says best what went wrong.
func errorLine(output string) string {
	best, rank := "", -1
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		r := 0
		switch {
		case line == "" || strings.HasPrefix(line, "at ") || strings.HasPrefix(line, "Exit code"):
			continue
		case errorWord().MatchString(line) && environmental().MatchString(line):
			r = 3
		case environmental().MatchString(line):
			r = 2
		case errorWord().MatchString(line):
			r = 1
		}
		if r > rank {
			best, rank = line, r
		}
	}
	return clip(best, 200)
}

// plan matches sentences that say what the assistant does next, or that it is done.
//
//nolint:gochecknoglobals // compiled when it is first used
var plan = pattern(`(?i)^(i'll|i will|i'd|let me|let's|trying|fixing|switching|now |next|done|i need|i could|i can|all |then |installing|checking|running|starting|here |now we see|i'm|we could|ok|understood|noted|sorry|verstanden|d'accord|de acuerdo|listo)\b|(?i)^\d+ (tests?|of)\b|tests? (pass|run)`)

// explanation returns at most two sentences in which the assistant explains an error, between
// the turn of its result and the command that worked, and the cause if it is named afterwards.
func (x *extractor) explanation(from int, worked *run) []string {
	var out []string
	for i := from; i <= min(worked.until+1, len(x.turns)-1) && len(out) < 2; i++ {
		if x.turns[i].Role != transcript.RoleAssistant {
			continue
		}
		for _, s := range sentences(x.turns[i].Text) {
			if i > worked.at && !s.any(hasCause) && !environmental().MatchString(s.text) {
				continue
			}
			if s.any(isQuestion) || plan().MatchString(s.text) || len(s.text) > 240 || words(s.text) < 3 || len(out) == 2 {
				continue
			}
			out = append(out, cleaned(s.text))
		}
	}
	return out
}

// causes adds sentences of the assistant that name the cause of an error.
func (x *extractor) causes(runs []run) {
	for i, t := range x.turns {
		if t.Role != transcript.RoleAssistant || !slices.ContainsFunc(runs, func(r run) bool { return r.failed && r.until < i && i-r.until < 16 }) {
			continue
		}
		ss := sentences(t.Text)
		for j, s := range ss {
			if !s.any(hasCause) || s.any(isQuestion|isDoubt) || len(s.text) > maxSentence {
				continue
			}
			content := cleaned(s.text)
			if j > 0 && !ss[j-1].any(isQuestion) {
				content = cleaned(ss[j-1].text) + " " + content
			}
			x.add(Candidate{
				Content: content + lastError(runs, i), Type: TypeError, Score: 0.6,
				Turns: []string{t.ID}, Reason: "the assistant named the cause of an error",
			}, i)
		}
	}
}

// lastError names the last error before a turn.
func lastError(runs []run, at int) string {
	for _, r := range slices.Backward(runs) {
		if r.failed && r.until < at {
			return " (The error was: " + errorLine(r.output) + ")"
		}
	}
	return ""
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
