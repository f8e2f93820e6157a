package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// checkMetrics lets promtool read the metrics of a server.
func checkMetrics(ctx context.Context, w *workplace) (string, error) {
	if exec.CommandContext(ctx, "promtool").Err != nil {
		return "", fmt.Errorf("%w: there is no promtool; Debian has it in prometheus", errAbsent)
	}
	address, _, err := freeAddress()
	if err != nil {
		return "", err
	}
	server, err := w.start(ctx, w.environ(), w.hippo, "serve", "--http", address)
	if err != nil {
		return "", err
	}
	token := ""
	if err := eventually(ctx, func() error {
		b, err := os.ReadFile(w.path("data/hippo/token"))
		token = strings.TrimSpace(string(b))
		if err == nil {
			_, err = get(ctx, "http://"+address+"/api/v1/memories", token)
		}
		return err
	}); err != nil {
		return "", fmt.Errorf("%w\n%s", err, server.stop())
	}
	metrics, err := get(ctx, "http://"+address+"/metrics", token)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "promtool", "check", "metrics")
	cmd.Stdin = strings.NewReader(metrics)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		return "", fmt.Errorf("promtool check metrics: %v\n%s", err, out) //nolint:errorlint // there may be none
	}
	return fmt.Sprintf("promtool has nothing to say about %d metrics", strings.Count(metrics, "# TYPE ")), nil
}

// get returns the body of an answer of status 200.
func get(ctx context.Context, url, token string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return "", err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer a.Body.Close() //nolint:errcheck // it was only read
	b, err := io.ReadAll(a.Body)
	if err == nil && a.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s %s", url, a.Status, b)
	}
	return string(b), err
}

// checkUnit lets systemd read the unit, with the program where the unit starts it.
func checkUnit(ctx context.Context, w *workplace) (string, error) {
	if exec.CommandContext(ctx, "systemd-analyze").Err != nil {
		return "", fmt.Errorf("%w: there is no systemd-analyze; Debian has it in systemd", errAbsent)
	}
	text, err := os.ReadFile(filepath.Join("..", "deploy", "hippo.service"))
	if err != nil {
		return "", err
	}
	const installed = "ExecStart=/usr/local/bin/hippo "
	if !strings.Contains(string(text), installed) {
		return "", errors.New("the unit starts another program than " + installed)
	}
	unit := w.path("hippo.service")
	if err := os.WriteFile(unit, []byte(strings.ReplaceAll(string(text), installed, "ExecStart="+w.hippo+" ")), 0o644); err != nil { //nolint:gosec // systemd wants it so
		return "", err
	}
	if out, err := w.command(ctx, "systemd-analyze", "verify", unit); err != nil || out != "" {
		return "", fmt.Errorf("systemd-analyze verify: %v\n%s", err, out) //nolint:errorlint // there may be none
	}
	return "systemd-analyze verify has nothing to say about the unit", nil
}
