package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// checkCompose reads the compose file with the library of docker compose, which checks it against the schema.
func checkCompose(ctx context.Context, _ *workplace) (string, error) {
	name := filepath.Join("..", "deploy", "compose.yaml")
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	folder, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return "", err
	}
	p, err := loader.LoadWithContext(ctx, types.ConfigDetails{WorkingDir: folder, ConfigFiles: []types.ConfigFile{{Filename: name, Content: text}}},
		func(o *loader.Options) { o.SetProjectName("hippo", true) })
	if err != nil {
		return "", err
	}
	s := p.Services["hippo"]
	if s.Build == nil || len(s.Ports) != 1 || s.Ports[0].HostIP != "127.0.0.1" || !s.ReadOnly || len(s.CapDrop) == 0 {
		return "", fmt.Errorf("the service is %+v", s)
	}
	dockerfile := filepath.Join(s.Build.Context, s.Build.Dockerfile)
	if _, err := os.Stat(dockerfile); err != nil {
		return "", errors.Join(errors.New("the service builds what is not there"), err)
	}
	return "the library of docker compose takes the compose file", nil
}
