// Program record makes the sample captures of testdata: it starts a redis-server of its own, puts a
// seeded load on it and keeps what MONITOR printed. It needs redis-server on the PATH, and Linux, as its
// clients connect from several addresses of 127.0.0.0/8. The commands of the load follow from the seed;
// the times, ports and the number of polls are the machine's.
//
//	go run ./testdata/record           # testdata/redis-incident.*, 40 s
//	go run ./testdata/record -cluster  # testdata/cluster-*, 5 s
package main

import (
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

func main() {
	out := flag.String("out", "testdata", "folder to write to")
	seed := flag.Uint64("seed", 48, "seed of the load")
	cluster := flag.Bool("cluster", false, "record one node of a three-node cluster instead")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	record := recordIncident
	if *cluster {
		record = recordCluster
	}
	if err := record(ctx, *out, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

// capture is a compressed file that MONITOR is written to.
type capture struct {
	*gzip.Writer
	file *os.File
}

func create(path string) (*capture, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	return &capture{z, f}, err
}

func (c *capture) Close() error {
	if err := c.Writer.Close(); err != nil {
		return err
	}
	return c.file.Close()
}

// pollers is how many idle workers wait for jobs.
const pollers = 40

func recordIncident(ctx context.Context, out string, seed uint64) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dir, err := os.MkdirTemp("", "record")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	port, err := freePort()
	if err != nil {
		return err
	}
	s, err := startServer(ctx, dir, port)
	if err != nil {
		return err
	}
	defer s.stop()

	control, err := dial(s.addr, "127.0.0.1")
	if err != nil {
		return err
	}
	if _, err := control.ask("CONFIG", "RESETSTAT"); err != nil {
		return err
	}
	file, err := create(filepath.Join(out, "redis-incident.monitor.log.gz"))
	if err != nil {
		return err
	}
	done, err := monitor(s.addr, file)
	if err != nil {
		return err
	}
	if _, err := control.ask("SCRIPT", "LOAD", limiter); err != nil {
		return err
	}
	var from []string
	for host := range 6 {
		for range 4 {
			from = append(from, fmt.Sprintf("127.0.0.%d", 11+host))
		}
	}
	addrs := make([]string, len(from))
	for i := range addrs {
		addrs[i] = s.addr
	}
	events := schedule(seed, incidentLength, len(from), incident(seed))

	stopPolling := make(chan struct{})
	var polling sync.WaitGroup
	errs := make(chan error, pollers)
	for i := range pollers {
		polling.Go(func() {
			if err := poll(s.addr, fmt.Sprintf("127.0.0.%d", 31+i%2), fmt.Sprintf("worker-%d", i+1), stopPolling); err != nil {
				errs <- err
			}
		})
	}
	err = drive(ctx, events, from, addrs)
	close(stopPolling)
	polling.Wait()
	close(errs)
	if err == nil {
		err = <-errs
	}
	if err != nil {
		return err
	}
	if _, err := control.ask("ECHO", sentinel); err != nil {
		return err
	}
	if err := <-done; err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	stats, err := control.ask("INFO", "commandstats")
	if err != nil {
		return err
	}
	stats = strings.ReplaceAll(stats, "\r\n", "\n")
	if err := os.WriteFile(filepath.Join(out, "redis-incident.commandstats.txt"), []byte(stats), 0o644); err != nil {
		return err
	}
	version, err := control.ask("INFO", "server")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "redis-incident.md"), describe(seed, events, field(version, "redis_version")), 0o644)
}

// drive sends the events at their times, client i from address from[i] to addrs[i], and returns when
// the server has answered all of them.
func drive(ctx context.Context, events []event, from, addrs []string) error {
	clients := make([]*client, len(from))
	var reading sync.WaitGroup
	errs := make(chan error, len(from))
	for i := range clients {
		c, err := dial(addrs[i], from[i])
		if err != nil {
			return err
		}
		clients[i] = c
		if _, err := c.ask("HELLO", "2", "SETNAME", fmt.Sprintf("web-%d", i+1)); err != nil {
			return err
		}
		reading.Go(func() { errs <- c.drain() })
	}
	start := time.Now()
	for _, e := range events {
		if wait := time.Until(start.Add(e.at)); wait > 0 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(wait):
			}
		}
		if err := clients[e.client].send(e.commands...); err != nil {
			return err
		}
	}
	for _, c := range clients {
		if err := c.send([]string{"QUIT"}); err != nil {
			return err
		}
	}
	reading.Wait()
	for range clients {
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}

// poll is an idle worker: it waits a second at a time for a job.
func poll(addr, from, name string, stop <-chan struct{}) error {
	c, err := dial(addr, from)
	if err != nil {
		return err
	}
	defer c.conn.Close()
	if _, err := c.ask("CLIENT", "SETNAME", name); err != nil {
		return err
	}
	for {
		select {
		case <-stop:
			return nil
		default:
		}
		if _, err := c.ask("BLPOP", queueKey, "1"); err != nil {
			return err
		}
	}
}

// field is the value of one line of INFO.
func field(info, name string) string {
	_, rest, _ := strings.Cut(info, name+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	return value
}
