package exchange

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/bucket"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/exchange/far"
	"github.com/hippo-memory/hippo/internal/sync/folder"
	"github.com/hippo-memory/hippo/internal/sync/shelf"
)

// Carrier is what carries the files of a remote: the absolute path of a folder, git: and the address of a repository, ssh: and a folder of
// another machine, the address of a server, or that of a bucket.
type Carrier string

// Access is how this machine gets at folders of others.
type Access struct {
	// Token returns the token for a server.
	Token func(server config.Store) (secret.Value, error)
	// Env is the environment, which has the keys of buckets.
	Env func(string) string
	// SSH is the command that connects to another machine; nil: [far.SSHCommand].
	SSH []string
}

const (
	gitKind = "git:"
	sshKind = "ssh:"
	field   = "carrier"
	kinds   = "give the PATH of a folder that something carries between your machines (Dropbox, iCloud, OneDrive, Syncthing, a network drive, a stick), git:URL of a repository, " +
		"ssh:HOST of a machine, https://HOST of hippo serve, or s3://BUCKET/PREFIX, which all of them reach"
)

// kindPattern is the beginning of an address of any kind. One letter is a drive of Windows.
var kindPattern = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]+):`)

// ParseCarrier reads a carrier as a user writes it.
func ParseCarrier(text string) (Carrier, error) {
	kind := ""
	if m := kindPattern.FindStringSubmatch(text); m != nil {
		kind = m[1]
	}
	switch kind {
	case "git":
		return parseGit(text)
	case "ssh":
		_, _, err := splitSSH(text)
		return Carrier(text), err
	case "https", "http":
		return parseServer(text)
	case "s3":
		_, err := bucket.Parse(field, text, os.Getenv, func() time.Time { return time.Time{} }) // nothing is signed
		return Carrier(text), err
	case "":
	default:
		return "", fmt.Errorf("%w: %s: is not a kind of carrier that this program has: %s", hippo.ErrUnsupported, kind, kinds)
	}
	if user, path, ok := strings.Cut(text, ":"); ok && strings.Contains(user, "@") && path != "" {
		return "", hippo.Fieldf(field, "must be a path, git:URL, ssh:HOST, https://HOST or s3://BUCKET, got %q: if it is a repository, write git:%[1]s; if it is a folder of that machine, ssh:%[1]s", text)
	}
	if strings.TrimSpace(text) == "" {
		return "", hippo.Fieldf(field, "is missing: %s", kinds)
	}
	path, err := config.Expand(field, text)
	return Carrier(path), err
}

func parseGit(text string) (Carrier, error) {
	url := strings.TrimPrefix(text, gitKind)
	switch {
	case url == "" || strings.HasPrefix(url, "-"):
		return "", hippo.Fieldf(field, "must name a repository, such as git:git@HOST:NAME/memory.git, got %q", text)
	case strings.Contains(url, ":"):
		return Carrier(text), nil
	}
	path, err := config.Expand(field, url)
	return Carrier(gitKind + path), err
}

// splitSSH returns the host, with the user, and the path of a carrier of ssh.
func splitSSH(text string) (host, path string, err error) {
	address := strings.TrimPrefix(text, sshKind)
	m := regexp.MustCompile(`^([^@:/\s-][^@:/\s]*@)?(?:\[([0-9A-Za-z:.%]+)\]|([^@:/\s\[\]-][^@:/\s\[\]]*))(?::([^\x00-\x1f]*))?$`).FindStringSubmatch(address)
	switch {
	case strings.HasPrefix(address, "//"):
		return "", "", hippo.Fieldf(field, "must be like ssh:USER@HOST:PATH, without slashes before the host, got %q: a port belongs in ~/.ssh/config", text)
	case m == nil:
		return "", "", hippo.Fieldf(field, "must be like ssh:USER@HOST:PATH, where USER and PATH can be left out, got %q", text)
	}
	return m[1] + cmp.Or(m[2], m[3]), m[4], nil
}

func parseServer(text string) (Carrier, error) {
	s, err := config.ParseServer(text)
	switch {
	case err != nil:
		return "", err
	case config.Plain(s):
		return "", hippo.Fieldf(field, "must be https: over %s anyone on the way reads the token", s)
	}
	return Carrier(s.String()), nil
}

// String returns the carrier without passwords.
func (c Carrier) String() string {
	if strings.HasPrefix(string(c), "s3:") { // which has parameters that are none
		return string(c)
	}
	return secret.RedactURL(string(c))
}

// open returns the folder of a carrier. Beside is the path of files of this machine that are about it, without a suffix. The caller
// closes what [io.Closer] is.
func (c Carrier) open(ctx context.Context, beside string, o *Options) (shelf.Folder, error) {
	text := string(c)
	switch kind, _, _ := strings.Cut(text, ":"); kind {
	case "git":
		return folder.OpenGit(ctx, strings.TrimPrefix(text, gitKind), beside+copySuffix)
	case "ssh":
		host, path, err := splitSSH(text)
		if err != nil {
			return nil, err
		}
		command := o.SSH
		if len(command) == 0 {
			command = far.SSHCommand()
		}
		return far.OpenSSH(ctx, far.SSH{Command: command, Host: host, Path: path}, beside+memoSuffix)
	case "https", "http":
		return c.openServer(beside, o)
	case "s3":
		b, err := bucket.Parse(field, text, o.Env, o.Now)
		return far.OpenBucket(b, beside+memoSuffix), err
	}
	return folder.OpenDir(filepath.Clean(text))
}

func (c Carrier) openServer(beside string, o *Options) (shelf.Folder, error) {
	s, err := config.ParseServer(string(c))
	if err != nil {
		return nil, err
	}
	token, err := o.Token(s)
	if err != nil {
		return nil, err
	}
	return far.OpenServer(s.String(), token, nil, beside+memoSuffix), nil
}

// shut ends the connection of a folder that has one.
func shut(f shelf.Folder) error {
	if c, ok := f.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
