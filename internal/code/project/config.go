package project

import (
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// maxConfig is how much of a file of settings is read.
const maxConfig = 1 << 20

// remote is a remote of a repository.
type remote struct{ name, url string }

// settings are what the settings of git say about remotes.
type settings struct {
	remotes []remote
	// instead are prefixes of URLs, by what is written instead of each.
	instead map[string]string
}

// read adds the settings in a file, which may not exist.
func (s *settings) read(file string) {
	text, err := readTail(file, maxConfig)
	if err != nil {
		return
	}
	section, sub := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if inner, ok := strings.CutPrefix(line, "["); ok {
			inner, line, _ = strings.Cut(inner, "]")
			section, sub, _ = strings.Cut(inner, " ")
			section, sub = strings.ToLower(section), strings.ReplaceAll(strings.Trim(sub, `" `), `\"`, `"`)
			line = strings.TrimSpace(line)
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		s.add(section, sub, strings.ToLower(strings.TrimSpace(key)), unquoted(value))
	}
}

// unquoted returns the value of a setting without quotes, escapes and what follows it.
func unquoted(value string) string {
	var b strings.Builder
	quoted, end := false, 0 // end: of what counts, white space at the end does not
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case c == '"':
			quoted = !quoted
			continue
		case c == '\\' && i+1 < len(value):
			i++
			b.WriteByte(escaped(value[i]))
			end = b.Len()
			continue
		case !quoted && (c == '#' || c == ';'):
			return b.String()[:end]
		case !quoted && (c == ' ' || c == '\t') && b.Len() == 0:
			continue
		}
		b.WriteByte(c)
		if quoted || c != ' ' && c != '\t' {
			end = b.Len()
		}
	}
	return b.String()[:end]
}

// escaped returns what a letter behind a backslash stands for.
func escaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	}
	return c
}

func (s *settings) add(section, sub, key, value string) {
	switch {
	case section == "remote" && key == "url" && value != "":
		for _, r := range s.remotes {
			if r.name == sub {
				return // git fetches from the first one
			}
		}
		s.remotes = append(s.remotes, remote{sub, value})
	case section == "url" && key == "insteadof" && value != "":
		if s.instead == nil {
			s.instead = make(map[string]string)
		}
		s.instead[value] = sub
	}
}

// expand returns a URL with what stands for its longest prefix.
func (s *settings) expand(address string) string {
	longest := ""
	for prefix := range s.instead {
		if strings.HasPrefix(address, prefix) && len(prefix) > len(longest) {
			longest = prefix
		}
	}
	if longest == "" {
		return address
	}
	return s.instead[longest] + address[len(longest):]
}

// remotesOf returns the remotes of a repository, with their URLs as git expands them. It reads the files of the repository and
// of the user, without running git.
func remotesOf(r Repository) []remote {
	var s settings
	if home, err := os.UserHomeDir(); err == nil {
		config := os.Getenv("XDG_CONFIG_HOME")
		if config == "" {
			config = filepath.Join(home, ".config")
		}
		s.read(filepath.Join(config, "git", "config"))
		s.read(filepath.Join(home, ".gitconfig"))
	}
	s.remotes = nil
	s.read(filepath.Join(r.Common, "config"))
	for i := range s.remotes {
		s.remotes[i].url = s.expand(s.remotes[i].url)
	}
	return s.remotes
}

// pick returns the URL of origin, or of the first remote; empty if there is none.
func pick(remotes []remote) string {
	for _, r := range remotes {
		if r.name == "origin" {
			return r.url
		}
	}
	if len(remotes) == 0 {
		return ""
	}
	return remotes[0].url
}

// Normalise reduces the URL of a remote to host and path, so that all ways to
// reach one repository are the same: no scheme, user, password, port, or ".git", and in small letters. Host names that SSH is configured
// to use others for are replaced by them. A path on this machine is kept as it is.
func Normalise(address string) string {
	local := strings.TrimPrefix(address, "file://")
	if isPath(local) {
		return local
	}
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		rest = strings.Replace(address, ":", "/", 1) // git@host:owner/name
	}
	host, name, _ := strings.Cut(rest, "/")
	if at := strings.LastIndex(host, "@"); at >= 0 {
		host = host[at+1:]
	}
	if colon := strings.LastIndex(host, ":"); colon > strings.LastIndex(host, "]") {
		host = host[:colon]
	}
	if !strings.HasPrefix(address, "http") {
		host = hostOf(host)
	}
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	name = strings.TrimSuffix(strings.Trim(name, "/"), ".git")
	return strings.ToLower(strings.Trim(knownHost(strings.ToLower(host))+"/"+strings.Trim(name, "/"), "/"))
}

// knownHost returns the host whose repositories an other name of it serves, on another port.
func knownHost(host string) string {
	switch host {
	case "ssh.github.com", "www.github.com":
		return "github.com"
	case "altssh.gitlab.com", "www.gitlab.com":
		return "gitlab.com"
	case "altssh.bitbucket.org":
		return "bitbucket.org"
	}
	return host
}

// hostOf returns the host that SSH connects to by a name: HostName of the settings of the user, or the name itself.
func hostOf(name string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return name
	}
	text, err := readTail(filepath.Join(home, ".ssh", "config"), maxConfig)
	if err != nil {
		return name
	}
	words := regexp.MustCompile(`[\s="]+`)
	applies := true
	for line := range strings.Lines(text) {
		fields := words.Split(strings.TrimSpace(line), -1)
		switch key := strings.ToLower(fields[0]); {
		case len(fields) < 2 || strings.HasPrefix(key, "#"):
		case key == "host":
			applies = matchesHost(fields[1:], name)
		case key == "match":
			applies = false
		case key == "hostname" && applies:
			return strings.ReplaceAll(fields[1], "%h", name)
		}
	}
	return name
}

// matchesHost reports whether a name fits the patterns of a line Host.
func matchesHost(patterns []string, name string) bool {
	fits := false
	for _, p := range patterns {
		not := strings.HasPrefix(p, "!")
		if ok, err := path.Match(strings.TrimPrefix(p, "!"), name); err == nil && ok {
			if not {
				return false
			}
			fits = true
		}
	}
	return fits
}
