package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
)

func newEditCommand(s *shell) *cobra.Command {
	var allowSecret bool
	c := &cobra.Command{
		Use:   "edit ID",
		Short: "Change the text of a memory in $VISUAL or $EDITOR",
		Long: `Edit the text of a memory in the editor of VISUAL or EDITOR. An unchanged text changes nothing. If anything fails, the edited text
is kept in a file that the error names.`,
		Args: oneArgument("an id"),
		RunE: s.onIDs(func(c *cobra.Command, m *client.Client, ids []hippo.ID) error {
			return editMemory(c.Context(), s, allowingSecrets(m, allowSecret), ids[0])
		}),
	}
	addAllowSecret(c.Flags(), &allowSecret)
	return c
}

// keptError is an edit that failed. The text that was edited is in a file.
type keptError struct {
	err  error
	path string
}

func (e *keptError) Error() string { return fmt.Sprintf("%v; the text is in %s", e.err, e.path) }
func (e *keptError) Unwrap() error { return e.err }

// keep returns the error of an edit that failed. The draft stays if it has a text that the store
// does not have.
func keep(err error, path, stored string) error {
	text, reading := readDraft(path)
	if reading == nil && text != "" && text != stored {
		return &keptError{err, path}
	}
	_ = os.Remove(path) // the editor may have removed it
	return fmt.Errorf("%w; nothing was changed", err)
}

// editMemory lets the user edit the content of a memory, and stores what differs.
func editMemory(ctx context.Context, s *shell, m *client.Client, id hippo.ID) error {
	old, err := memoriesOf(ctx, m, id)
	if err != nil {
		return err
	}
	path, err := writeDraft(old[0])
	if err != nil {
		return err
	}
	text, err := runEditor(ctx, s, path)
	if err != nil {
		return keep(err, path, old[0].Content)
	}
	if text == old[0].Content {
		fmt.Fprintln(s.errw, "nothing was changed")
		return os.Remove(path)
	}
	now, err := memoriesOf(ctx, m, id)
	if err == nil && now[0].Content != old[0].Content {
		err = fmt.Errorf("%w: the memory was changed meanwhile", hippo.ErrConflict)
	}
	if err != nil {
		return keep(err, path, old[0].Content)
	}
	changed, err := m.Modify(ctx, api.Modify{ID: id, Change: api.Change{Content: &text}})
	if err != nil {
		return keep(err, path, old[0].Content)
	}
	return errors.Join(printModified(s, changed), os.Remove(path))
}

// writeDraft writes the content of a memory to a new file that only the user can read.
func writeDraft(m *hippo.Memory) (path string, err error) {
	f, err := os.CreateTemp("", "hippo-"+m.ID.Short()+"-*.md")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(m.Content + "\n")
	return f.Name(), errors.Join(err, f.Close())
}

// runEditor opens a file in the user's editor, and returns what the file holds then.
func runEditor(ctx context.Context, s *shell, path string) (string, error) {
	c := editorCommand(ctx, path)
	c.Stdin, c.Stdout, c.Stderr = s.in, s.out, s.errw
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("the editor %q failed: %w; VISUAL or EDITOR name another one", c.Args[len(c.Args)-2], err)
	}
	return readDraft(path)
}

// readDraft returns the text of a draft.
func readDraft(path string) (string, error) {
	b, err := os.ReadFile(path)
	return strings.TrimRight(string(b), "\r\n"), err
}

// editorCommand returns the command that opens a file. What VISUAL and EDITOR hold may have
// arguments; as for Git, the shell reads it.
func editorCommand(ctx context.Context, path string) *exec.Cmd {
	editor := cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"))
	if runtime.GOOS == "windows" {
		words := strings.Fields(cmp.Or(editor, "notepad"))
		return exec.CommandContext(ctx, words[0], append(words[1:], path)...)
	}
	editor = cmp.Or(editor, "vi")
	return exec.CommandContext(ctx, "sh", "-c", editor+` "$@"`, editor, path)
}
