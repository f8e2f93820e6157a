package drivertest

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
)

// Rounds is how often a crash test kills something: few times, or $HIPPO_CRASH_ROUNDS.
func Rounds(few int) int {
	if n, err := strconv.Atoi(os.Getenv("HIPPO_CRASH_ROUNDS")); err == nil {
		return n
	}
	return few
}

// Killed starts the test binary again with a variable of the environment, "NAME=VALUE", which makes it record until it is killed, and
// print the ID of each memory that was acknowledged. It is killed some time after it has printed its line number from, the first of
// which is 0. Killed returns what was acknowledged. The child may print "begin" as well.
func Killed(t *testing.T, variable string, from int, after time.Duration) (ids []hippo.ID) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), variable)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for n, lines := 0, bufio.NewScanner(out); lines.Scan(); n++ {
		if n == from {
			time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		}
		if lines.Text() == "begin" {
			continue
		}
		id, err := hippo.ParseID(lines.Text())
		if err != nil {
			break // the last line was cut
		}
		ids = append(ids, id)
	}
	_ = cmd.Wait() // it was killed
	return ids
}
