package exchange

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/sync/folder"
	"github.com/hippo-memory/hippo/internal/sync/shelf"
)

// Carrier is what carries the files of a remote: the absolute path of a folder, or git: and the address of a repository.
type Carrier string

const gitKind = "git:"

// kindPattern is the beginning of an address of any kind. One letter is a drive of Windows.
var kindPattern = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]+):`)

// ParseCarrier reads a carrier as a user writes it.
func ParseCarrier(text string) (Carrier, error) {
	const field = "carrier"
	if url, ok := strings.CutPrefix(text, gitKind); ok {
		switch {
		case url == "" || strings.HasPrefix(url, "-"):
			return "", hippo.Fieldf(field, "must name a repository, such as git:git@HOST:NAME/memory.git, got %q", text)
		case strings.Contains(url, ":"):
			return Carrier(text), nil
		}
		path, err := config.Expand(field, url)
		return Carrier(gitKind + path), err
	}
	const kinds = "give the PATH of a folder that something carries between your machines (Dropbox, iCloud, OneDrive, Syncthing, a network drive, a stick), or git:URL of a repository that all of them reach"
	if kind := kindPattern.FindStringSubmatch(text); kind != nil {
		return "", fmt.Errorf("%w: %s: is not a kind of carrier that this program has: %s", hippo.ErrUnsupported, kind[1], kinds)
	}
	if user, path, ok := strings.Cut(text, ":"); ok && strings.Contains(user, "@") && path != "" {
		return "", hippo.Fieldf(field, "must be a path or git:URL, got %q: if it is a repository, write git:%s", text, text)
	}
	if strings.TrimSpace(text) == "" {
		return "", hippo.Fieldf(field, "is missing: %s", kinds)
	}
	path, err := config.Expand(field, text)
	return Carrier(path), err
}

// String returns the carrier without passwords.
func (c Carrier) String() string { return secret.RedactURL(string(c)) }

// open returns the folder of a carrier. dir is for a copy of a ref.
func (c Carrier) open(ctx context.Context, dir string) (shelf.Folder, error) {
	if url, ok := strings.CutPrefix(string(c), gitKind); ok {
		return folder.OpenGit(ctx, url, dir)
	}
	return folder.OpenDir(filepath.Clean(string(c)))
}
