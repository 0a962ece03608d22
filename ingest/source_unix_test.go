//go:build unix

package ingest

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
)

func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestNamedPipe(t *testing.T) {
	path := fifo(t)
	go func() {
		if err := os.WriteFile(path, []byte("a\nb\n"), 0o600); err != nil {
			t.Error(err)
		}
	}()
	got := readInputs(Options{}, &recorder{}, Input{Path: path})
	if want := []string{"0@0 a +0", "0@2 b +0"}; got.err != nil || !slices.Equal(got.rows, want) {
		t.Errorf("%v, %q", got.err, got.rows)
	}
}

// Opening a named pipe waits for its writer; a stop must not.
func TestStopWhileANamedPipeHasNoWriter(t *testing.T) {
	before := runtime.NumGoroutine()
	path := fifo(t)
	ctx, cancel := context.WithCancel(context.Background())
	go cancel()
	_, stopped, err := read(ctx, []Input{{Path: path}}, Options{}, &recorder{}, fake())
	if !stopped || err != nil {
		t.Errorf("%v, %v", stopped, err)
	}
	w, err := os.OpenFile(path, os.O_RDWR, 0) // lets the pump go
	if err != nil {
		t.Fatal(err)
	}
	goroutinesAre(t, before)
	w.Close()
}

func TestNamedPipeWithoutPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	path := fifo(t)
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	got := readInputs(Options{}, &recorder{}, Input{Name: "fifo", Path: path})
	if got.err == nil || got.err.Error() != "fifo: permission denied" {
		t.Errorf("%v", got.err)
	}
}
