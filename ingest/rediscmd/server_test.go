package rediscmd

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"keyskew/golden"

	"github.com/redis/go-redis/v9"
)

// startServer runs a real redis-server on a unix socket of its own until the test ends.
func startServer(t *testing.T) *redis.Client {
	t.Helper()
	program := golden.Program(t, "redis-server")
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	var output bytes.Buffer
	cmd := exec.Command(program, "--port", "0", "--unixsocket", socket, "--save", "", "--dir", dir)
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is killed below: its exit code says nothing
		close(exited)
	}()
	client := redis.NewClient(&redis.Options{Network: "unix", Addr: socket, MaxRetries: -1})
	t.Cleanup(func() {
		_ = client.Close()
		_ = cmd.Process.Kill()
		<-exited
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	retry := time.NewTicker(10 * time.Millisecond)
	defer retry.Stop()
	for {
		err := client.Ping(ctx).Err()
		if err == nil {
			return client
		}
		select {
		case <-retry.C:
		case <-exited:
			t.Fatalf("redis-server ended: %s", output.String())
		case <-ctx.Done():
			t.Fatalf("redis-server does not answer: %v", err)
		}
	}
}

// answer is what COMMAND GETKEYS says of one vector: its keys, or an error.
type answer struct {
	keys []string
	err  error
}

// getKeys asks the server about all vectors in one pipeline.
func getKeys(t *testing.T, client *redis.Client, vectors [][][]byte) []answer {
	t.Helper()
	cmds, err := client.Pipelined(t.Context(), func(p redis.Pipeliner) error {
		for _, argv := range vectors {
			args := []any{"COMMAND", "GETKEYS"}
			for _, a := range argv {
				args = append(args, a)
			}
			p.Do(t.Context(), args...)
		}
		return nil
	})
	var refused redis.Error
	if err != nil && !errors.As(err, &refused) {
		t.Fatal(err)
	}
	out := make([]answer, len(cmds))
	for i, c := range cmds {
		out[i].keys, out[i].err = c.(*redis.Cmd).StringSlice()
	}
	return out
}
