package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/lab/capacity/model"
)

func planned(t *testing.T, args ...string) string {
	t.Helper()
	var b bytes.Buffer
	if err := run(args, &b); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return b.String()
}

func TestRun_json(t *testing.T) {
	t.Parallel()
	var small, large, bucket, static struct {
		Input  model.Input
		Output model.Output
	}
	for _, c := range []struct {
		to   any
		args []string
	}{
		{&small, []string{"-tenants", "1000"}}, {&large, []string{"-tenants", "1e7"}}, {&bucket, []string{"-tenants", "1e7", "-bucket"}}, {&static, []string{"-tenants", "1e7", "-bucket", "-static"}},
	} {
		if err := json.Unmarshal([]byte(planned(t, append(c.args, "-json")...)), c.to); err != nil {
			t.Fatal(err)
		}
	}
	if n := small.Output.Nodes.Count; n != 2 || small.Output.Servers.Machines != 2 {
		t.Errorf("a thousand tenants need %v nodes and %v database servers, want one of each, a spare one and a standby", n, small.Output.Servers.Machines)
	}
	if small.Output.Servers.Count > large.Output.Servers.Count/10 || small.Output.Cost.Sum > large.Output.Cost.Sum/10 {
		t.Errorf("ten million tenants need %+v, a thousand %+v", large.Output, small.Output)
	}
	if bucket.Output.Servers.Log >= large.Output.Servers.Log || bucket.Output.Servers.Disk >= large.Output.Servers.Disk || bucket.Output.Cost.Bucket == 0 {
		t.Errorf("a bucket takes nothing from the database: %+v", bucket.Output)
	}
	if static.Output.Servers.Disk >= bucket.Output.Servers.Disk || !bucket.Input.Encoders || static.Input.Encoders {
		t.Errorf("vectors of encoders take no disk: %+v", static.Output)
	}
}

func TestRun_table(t *testing.T) {
	t.Parallel()
	out := planned(t, "-tenants", "1e6", "-price-core", "0", "-price-memory", "0", "-price-disk", "0")
	for _, want := range []string{"1,000,000 of 1,000 memories, both encoders", "of 16 cores, 64 GiB and 4,096 GiB of disk", "a month             0: "} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if out := planned(t, "-constants"); !strings.Contains(out, "| search: node | ms of a core | encoders |") {
		t.Errorf("the constants are\n%s", out)
	}
}

func TestRun_bad(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"-tenants 0", "-tenants NaN", "-memories Inf", "-searches -1", "-active 2", "-fetched .9 -built .2", "-node-memory 1", "-busy 0", "-checkpoint 0", "-unknown"} {
		if err := run(strings.Fields(args), &bytes.Buffer{}); err == nil {
			t.Errorf("%s was taken", args)
		}
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{0: "0", 7: "7", 1234: "1,234", 1234567.8: "1,234,568", 12.345: "12.3", .00123: "0.00123", 999.9: "1,000"} {
		if got := number(v); got != want {
			t.Errorf("%v is printed as %s, want %s", v, got, want)
		}
	}
	for v, want := range map[float64]string{.5: "512 MiB", 1.26: "1.3 GiB", 2048: "2,048 GiB", 20480: "20 TiB"} {
		if got := size(v); got != want {
			t.Errorf("%v GiB are printed as %s, want %s", v, got, want)
		}
	}
}

// README has what the program prints.
func TestREADME(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-tenants", "1e6", "-bucket"}, {"-constants"}} {
		if !bytes.Contains(text, []byte(planned(t, args...))) {
			t.Errorf("README.md does not have the output of %v", args)
		}
	}
}
