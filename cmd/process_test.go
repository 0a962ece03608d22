//go:build unix

package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"keyskew/golden"
)

// patience bounds every wait of these tests. Nothing depends on it unless something is broken.
const patience = 30 * time.Second

// process is a running keyskew that reads from a pipe.
type process struct {
	t        *testing.T
	cmd      *exec.Cmd
	in       io.WriteCloser
	out, err bytes.Buffer
	done     chan error
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(program(t), args...), done: make(chan error, 1)}
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.err
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.in = in
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.cmd.Process.Kill() })
	go func() { p.done <- p.cmd.Wait() }()
	return p
}

// send writes lines to its stdin and returns when the pipe has taken them.
func (p *process) send(text string) {
	p.t.Helper()
	failed := make(chan error, 1)
	go func() {
		_, err := io.WriteString(p.in, text)
		failed <- err
	}()
	select {
	case err := <-failed:
		if err != nil {
			p.t.Fatal(err)
		}
	case err := <-p.done:
		p.t.Fatalf("it ended while it was written to: %v, %s", err, p.err.String())
	case <-time.After(patience):
		p.t.Fatal("it does not read")
	}
}

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// wait returns how it ended; its stdin stays open.
func (p *process) wait() error {
	p.t.Helper()
	select {
	case err := <-p.done:
		return err
	case <-time.After(patience):
		p.t.Fatal("it does not end")
		return nil
	}
}

// many is n lines of a capture, far more than a pipe and the buffers behind it hold.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d.%06d [0 127.0.0.1:5000] \"GET\" \"key:%d\"\n", 1_700_000_000+i/1000, i%1000*1000, i%10)
	}
	return b.String()
}

// The first Ctrl-C ends reading, though the writer is silent and the pipe stays open; what was read is
// reported.
func TestInterruptKeepsWhatWasRead(t *testing.T) {
	const lines, line = 100_000, 52
	p := start(t, "--format", "json")
	p.send(many(lines))
	p.signal(os.Interrupt)
	if err := p.wait(); err != nil {
		t.Fatalf("%v: %s", err, p.err.String())
	}
	r := parsed(t, p.out.String())
	same(t, "stopped", r.Stopped, true)
	validate(t, r)
	in := r.Inputs[0]
	same(t, "requests + skipped", in.Requests+in.Skipped.Total, in.Lines)
	same(t, "bad lines", in.Skipped.Bad, 0)
	// A pipe of 64 KiB and what is on the way from it may be lost, no more.
	if in.Requests > lines || in.Requests < lines-(512<<10)/line {
		t.Errorf("%d of %d requests are reported", in.Requests, lines)
	}
	if !strings.Contains(p.err.String(), "stopped early") {
		t.Errorf("stderr: %s", p.err.String())
	}
}

func TestInterruptSaysSoInText(t *testing.T) {
	p := start(t)
	p.send(many(100_000))
	p.signal(os.Interrupt)
	if err := p.wait(); err != nil {
		t.Fatalf("%v: %s", err, p.err.String())
	}
	if !strings.Contains(p.out.String(), "stopped") {
		t.Errorf("the report does not say that it was stopped:\n%s", p.out.String())
	}
}

// SIGTERM ends it as it ends any program, without a report and without half a file.
func TestTerminate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.txt")
	p := start(t, "-o", file)
	p.send(many(20_000))
	p.signal(syscall.SIGTERM)
	err := p.wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("it ended with %v", err)
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("it ended with %v", exit)
	}
	same(t, "stdout", p.out.String(), "")
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a report: %v", err)
	}
}

// A reader that goes away (keyskew FILE | head -1) is no failure.
func TestClosedPipe(t *testing.T) {
	for _, args := range [][]string{
		{incident},
		{"--format", "json", incident},
		{"report", "golden/incident/report.json"},
		{"list", "findings"},
		{"explain", "KS101"},
		{"generate"},
		{"--help"},
		{"version"},
	} {
		t.Run(args[0], func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			cmd := exec.Command(program(t), args...)
			cmd.Dir = golden.Root()
			var errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = w, &errs
			err = cmd.Run()
			w.Close()
			if err != nil || errs.Len() > 0 {
				t.Errorf("keyskew %q: %v, stderr: %s", args, err, errs.String())
			}
		})
	}
}

// Full disks are.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full")
	}
	defer full.Close()
	for _, args := range [][]string{{incident}, {"--format", "json", incident}, {"generate", "--requests", "10"}, {"version"}, {"list", "findings"}, {"explain", "KS101"}} {
		cmd := exec.Command(program(t), args...)
		cmd.Dir = golden.Root()
		var errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &errs
		var exit *exec.ExitError
		if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != exitError || errs.Len() == 0 {
			t.Errorf("keyskew %q: %v, stderr: %s", args, err, errs.String())
		}
	}
}

// The line that a report names is run by a shell: it gives the same report again.
func TestReproduceLine(t *testing.T) {
	sh := golden.Program(t, "sh")
	dir := t.TempDir()
	t.Chdir(dir)
	names := []string{"plain.log", "it's a name.log", "$HOME `x` \"y\" \\.log", "näh.log", "a;b&c|d>e.log", "*.log"}
	for i, name := range names {
		if err := os.WriteFile(name, []byte(many(100+i)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile("the nodes.txt", []byte(read(t, filepath.Join(golden.Root(), "testdata", "cluster-nodes.txt"))), 0o600); err != nil {
		t.Fatal(err)
	}
	var all [][]string
	for _, name := range names {
		all = append(all, []string{name})
	}
	all = append(all,
		names,
		[]string{"--shards", "8", "--capacity", "2.5k", "--top=3", "--servers", "4", "plain.log"},
		[]string{"--topology", "the nodes.txt", "--window", "250ms", "--memory", "100MiB", "--ttl", "500ms", "plain.log"},
		[]string{"--memory", "100000000", "--target-utilisation", "0.55", "--low-load-p99=2ms", "--store", "redis", "plain.log"},
		[]string{"analyze", "--unknown-commands=skip", "--role", "replica", "--input-format", "monitor", "--strict", "--key-budget", "20000", "plain.log"},
		[]string{"--workers", "1", "--block-size", "64KiB", "--width", "80", "--color", "never", "-q", "plain.log"},
		[]string{"plain.log", "--shards", "2"},
	)
	bin := filepath.Dir(program(t))
	for _, args := range all {
		want := analyzed(t, nil, args...)
		cmd := exec.Command(sh, "-c", want.Command+" --format json")
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v: %s", want.Command, err, out)
			continue
		}
		sameText(t, want.Command, string(out), asJSON(t, want))
	}
	// From a pipe the line reads a pipe.
	want := analyzed(t, strings.NewReader(many(100)), "--shards", "3")
	cmd := exec.Command(sh, "-c", want.Command+" --format json <plain.log")
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", want.Command, err, out)
	}
	sameText(t, want.Command, string(out), asJSON(t, want))
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
