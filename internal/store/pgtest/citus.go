package pgtest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
)

// useCitus is the environment variable that asks for clusters.
const useCitus = "HIPPO_TEST_CITUS"

// clusterSize is the number of workers that a cluster starts with.
const clusterSize = 3

// Cluster is a Citus cluster that a test started. Its servers listen on loopback, as they connect to each other.
type Cluster struct {
	Coordinator *Server
	Workers     []*Server
	durable     bool
}

// StartCluster starts a cluster for a test alone, which writes to the disk as a real one does, and stops it at the end. The test is
// skipped unless HIPPO_TEST_CITUS is set.
func StartCluster(t testing.TB) *Cluster {
	t.Helper()
	if os.Getenv(useCitus) == "" {
		t.Skip(useCitus + " is not set: make citus sets it")
	}
	c, err := launchCluster(true)
	if c != nil {
		t.Cleanup(c.stop)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sharedCluster returns the cluster of the tests of a package.
func sharedCluster(t testing.TB) *Cluster {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.cluster == nil && shared.err == nil {
		shared.cluster, shared.err = launchCluster(false)
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.cluster
}

func launchCluster(durable bool) (*Cluster, error) {
	c := &Cluster{durable: durable}
	var err error
	if c.Coordinator, err = c.node(); err != nil {
		return nil, err
	}
	for range clusterSize {
		w, err := c.node()
		if err != nil {
			return c, err
		}
		c.Workers = append(c.Workers, w)
	}
	return c, nil
}

// node starts a server of the cluster.
func (c *Cluster) node() (*Server, error) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	_, number, err := net.SplitHostPort(l.Addr().String())
	port, parseErr := strconv.Atoi(number)
	if err := errors.Join(err, parseErr, l.Close()); err != nil {
		return nil, err
	}
	return launch(c.durable, port, "listen_addresses=127.0.0.1", "shared_preload_libraries=citus", "wal_level=logical", "max_prepared_transactions=200",
		"max_worker_processes=64", "citus.node_conninfo=sslmode=disable")
}

func (c *Cluster) stop() {
	for _, s := range append([]*Server{c.Coordinator}, c.Workers...) {
		if s != nil {
			s.Stop()
		}
	}
}

// Database creates an empty database on the servers of the cluster, which is dropped at the end of a test, and returns its name.
func (c *Cluster) Database(t testing.TB) (name string) {
	t.Helper()
	name = "hippo_" + strings.ToLower(rand.Text())
	c.create(t, c.Coordinator, name)
	Exec(t, c.Coordinator.URL(name), fmt.Sprintf("SELECT citus_set_coordinator_host('127.0.0.1', %d)", c.Coordinator.port))
	for _, w := range c.Workers {
		c.join(t, w, name)
	}
	return name
}

// Add starts one more worker of a database.
func (c *Cluster) Add(t testing.TB, name string) {
	t.Helper()
	w, err := c.node()
	if err != nil {
		t.Fatal(err)
	}
	c.Workers = append(c.Workers, w)
	c.join(t, w, name)
}

// join makes a worker one of a database.
func (c *Cluster) join(t testing.TB, w *Server, name string) {
	t.Helper()
	c.create(t, w, name)
	Exec(t, c.Coordinator.URL(name), fmt.Sprintf("SELECT citus_add_node('127.0.0.1', %d)", w.port))
}

// create creates a database on one server.
func (c *Cluster) create(t testing.TB, s *Server, name string) {
	t.Helper()
	Exec(t, s.URL("postgres"), "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING 'UTF8'")
	Exec(t, s.URL(name), "CREATE EXTENSION citus")
	if !c.durable { // else the servers end with the test
		t.Cleanup(func() {
			if err := Cleanup(s.URL("postgres"), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
				t.Error(err)
			}
		})
	}
}
