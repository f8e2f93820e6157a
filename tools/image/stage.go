package main

import (
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// stage is the last stage of a Dockerfile, which is all of an image that begins with scratch.
type stage struct {
	copies []file
	config v1.Config
}

// file is what is copied into an image.
type file struct {
	from, to string // from: below /image of the stage program
	uid, gid int
}

// parseStage reads the last stage. It knows the instructions that our Dockerfile uses, and refuses others, since an image
// without them would not be the one described.
func parseStage(text string) (*stage, error) {
	s, begun := &stage{}, false
	for l := range strings.Lines(text) {
		name, rest, _ := strings.Cut(strings.TrimSpace(l), " ")
		if name == "FROM" {
			s, begun = &stage{}, strings.TrimSpace(rest) == "scratch"
			continue
		}
		if !begun || name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		if err := s.instruct(name, strings.TrimSpace(rest)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if !begun {
		return nil, fmt.Errorf("the last stage is not from scratch")
	}
	return s, nil
}

// instruct carries out one instruction.
func (s *stage) instruct(name, rest string) error {
	switch name {
	case "COPY":
		return s.copy(strings.Fields(rest))
	case "USER":
		s.config.User = rest
	case "ENV":
		s.config.Env = append(s.config.Env, strings.Fields(rest)...)
	case "VOLUME":
		s.config.Volumes = map[string]struct{}{rest: {}}
	case "EXPOSE":
		s.config.ExposedPorts = map[string]struct{}{rest + "/tcp": {}}
	case "ENTRYPOINT":
		return json.Unmarshal([]byte(rest), &s.config.Entrypoint)
	case "CMD":
		return json.Unmarshal([]byte(rest), &s.config.Cmd)
	default:
		return fmt.Errorf("is not known here")
	}
	return nil
}

// copy reads the arguments of COPY.
func (s *stage) copy(args []string) error {
	var f file
	for len(args) > 0 && strings.HasPrefix(args[0], "--") {
		option, value, _ := strings.Cut(args[0], "=")
		args = args[1:]
		switch {
		case option == "--from" && value == "program":
		case option == "--chown":
			uid, gid, _ := strings.Cut(value, ":")
			var err error
			if f.uid, err = strconv.Atoi(uid); err != nil {
				return err
			}
			if f.gid, err = strconv.Atoi(gid); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s=%s is not known here", option, value)
		}
	}
	if len(args) != 2 || !strings.HasPrefix(args[0], "/image/") || !path.IsAbs(args[1]) {
		return fmt.Errorf("must copy from /image/... to an absolute path, got %q", args)
	}
	f.from, f.to = strings.TrimPrefix(args[0], "/image/"), strings.TrimPrefix(path.Clean(args[1]), "/")
	s.copies = append(s.copies, f)
	return nil
}
