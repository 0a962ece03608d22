//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// sample is one run of a program.
type sample struct {
	// cpu is user and system time of the process and of those it waited for; wall from start to end.
	cpu, wall time.Duration
	// rss is the peak resident memory in bytes of the largest process.
	rss int64
	// foreign is the time that other processes used meanwhile, as finely as the system counts (tick).
	foreign time.Duration
}

// program is a command that is measured on one input.
type program struct {
	name string
	argv []string
	env  []string
	// top says that the first line it prints is the most frequent key, behind its count.
	top     bool
	samples []sample
}

func (p *program) command(ctx context.Context) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.CommandContext(ctx, p.argv[0], p.argv[1:]...)
	cmd.Env = append(append(os.Environ(), "LC_ALL=C"), p.env...)
	// A group of its own, so that an interrupt ends all of a pipeline.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	stderr := &bytes.Buffer{}
	cmd.Stderr = stderr
	return cmd, stderr
}

// measure runs the program once; what it prints goes to /dev/null. The figures are those that wait4
// gives: they take in the children that the process waited for, as a shell does for its pipeline.
func (p *program) measure(ctx context.Context) (sample, error) {
	cmd, stderr := p.command(ctx)
	busy := busyTime()
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return sample{}, failed(err, stderr)
	}
	used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return sample{}, fmt.Errorf("the system does not say what was used")
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return sample{
		cpu:     max(cpu, time.Microsecond),
		wall:    max(wall, time.Microsecond),
		rss:     used.Maxrss << 10,
		foreign: busyTime() - busy - cpu,
	}, nil
}

// output runs the program once and returns what it prints.
func (p *program) output(ctx context.Context) ([]byte, error) {
	cmd, stderr := p.command(ctx)
	out, err := cmd.Output()
	return out, failed(err, stderr)
}

func failed(err error, stderr *bytes.Buffer) error {
	text := strings.TrimSpace(stderr.String())
	if err == nil || text == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, text[:min(len(text), 500)])
}

// tick is the unit of /proc/stat (USER_HZ, proc(5)).
const tick = 10 * time.Millisecond

// busyTime is the time that all cores were busy since the machine began, from the first line of
// /proc/stat; 0 where it cannot be read.
func busyTime() time.Duration {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	var user, nice, system, idle, iowait, irq, softirq, steal int64
	if _, err := fmt.Sscanf(string(data), "cpu %d %d %d %d %d %d %d %d", &user, &nice, &system, &idle, &iowait, &irq, &softirq, &steal); err != nil {
		return 0
	}
	return time.Duration(user+nice+system+irq+softirq+steal) * tick
}
