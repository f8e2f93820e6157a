// Command httpload measures a server of Hippo over HTTP: the latency of searches on one connection that is kept
// alive, beside the same over standard input and output, and the load of clients that search and record at a
// time, with what of it got lost. It can repeat the load beside clients that are slow or hostile.
//
//	go run ./httpload -corpus c.jsonl -memories 100000      (in lab/)
//	hippo import --store sqlite:c.db c.jsonl; hippo serve --http 127.0.0.1:8765 --store sqlite:c.db
//	go run ./httpload -url http://127.0.0.1:8765 -token TOKEN -pid PID -slow 1000 -stdio "hippo serve --store sqlite:c.db"
//
// The exit status is 1 if an answer was wrong or something is lost; times are for people to judge.
package main

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/hippo-memory/hippo/lab/corpus"
)

// options are the flags.
type options struct {
	base     *url.URL
	token    string
	api      api
	clients  int
	length   time.Duration
	searches float64
	slow     int
	latency  int
	stdio    []string
	pid      int
	words    []string
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "httpload:", err)
		os.Exit(1)
	}
}

func run() error {
	base := flag.String("url", "", "the server, as in http://127.0.0.1:8765")
	token := flag.String("token", os.Getenv("HIPPO_TOKEN"), "a token with the rights to read and write; default: $HIPPO_TOKEN")
	name := flag.String("api", "shodh", "the interface to use: shodh, rest or mcp")
	o := options{}
	flag.IntVar(&o.clients, "clients", 64, "clients at a time, each with a connection of its own")
	flag.DurationVar(&o.length, "for", time.Minute, "how long the load lasts; 0: none")
	flag.Float64Var(&o.searches, "searches", .8, "the share of searches; the rest are records")
	flag.IntVar(&o.slow, "slow", 0, "repeat the load beside this number of idle connections, a tenth as many that send a header byte by byte, and four that send 1 GB; 0: do not")
	flag.IntVar(&o.latency, "latency", 1000, "searches of one client, one after the other, before the load; 0: none")
	stdio := flag.String("stdio", "", "command of a server over stdio on a store of the same size, to compare the latency with")
	flag.IntVar(&o.pid, "pid", 0, "process ID of the server, for its memory (Linux)")
	file := flag.String("corpus", "", "write this file with memories to import, and end")
	memories := flag.Int("memories", 100_000, "number of memories in the file of -corpus")
	flag.Parse()
	var err error
	if o.words, err = corpus.Words(); err != nil {
		return err
	}
	if *file != "" {
		return corpus.New(uint64(*memories), o.words).Write(*file, *memories)
	}
	o.token, o.stdio = *token, strings.Fields(*stdio)
	if o.base, err = url.Parse(strings.TrimSuffix(*base, "/")); err != nil || o.base.Host == "" {
		return fmt.Errorf("-url must be that of the server, such as http://127.0.0.1:8765, got %q", *base)
	}
	var ok bool
	if o.api, ok = apis()[*name]; !ok {
		return fmt.Errorf("-api must be shodh, rest or mcp, got %q", *name)
	}
	fmt.Printf("%s over %s, %d processors here\n", *name, o.base, runtime.NumCPU())
	return o.measure()
}

func (o *options) measure() error {
	if o.latency > 0 {
		if err := o.latencies(); err != nil {
			return err
		}
	}
	if o.length <= 0 {
		return nil
	}
	alone, err := o.load("")
	if err != nil || o.slow == 0 {
		return err
	}
	stop, err := o.disturb()
	if err != nil {
		return err
	}
	beside, err := o.load(", beside slow clients")
	stop()
	if err == nil {
		row("99th percentile of searches beside slow clients, as a multiple", fmt.Sprintf("%.2fx", float64(beside)/float64(alone)), "at most 2x")
	}
	return err
}

// row prints one line of the table.
func row(what, value, limit string) { fmt.Printf("%-72s %16s   %s\n", what, value, limit) }

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }
