package cmd

import (
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// drained waits until the process has taken all that was sent out of the pipe.
func (p *process) drained() {
	p.t.Helper()
	pipe, ok := p.in.(interface{ Fd() uintptr })
	if !ok {
		p.t.Fatalf("%T is no pipe", p.in)
	}
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		var left int32
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, pipe.Fd(), syscall.TIOCINQ, uintptr(unsafe.Pointer(&left))); errno != 0 {
			p.t.Fatal(os.NewSyscallError("ioctl", errno))
		}
		if left == 0 {
			return
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("it leaves %d bytes in the pipe", left)
		}
	}
}

// The same on a quiet server, whose few lines do not even fill the first block.
func TestInterruptOnAQuietPipe(t *testing.T) {
	p := start(t, "--format", "json", "-q")
	first := many(100)
	p.send(first)
	p.drained()
	p.send(many(1)) // once this is taken, the lines before it are with the reader
	p.drained()
	p.signal(os.Interrupt)
	if err := p.wait(); err != nil {
		t.Fatalf("%v: %s", err, p.err.String())
	}
	r := parsed(t, p.out.String())
	same(t, "stopped", r.Stopped, true)
	if n := r.Inputs[0].Requests; n != 100 && n != 101 {
		t.Errorf("%d of 100 or 101 requests are reported", n)
	}
	same(t, "stderr with -q", p.err.String(), "")
}

// Before anything was read there is still a report.
func TestInterruptBeforeTheFirstLine(t *testing.T) {
	p := start(t, "--format", "json")
	p.send("OK\n")
	p.drained() // so it is running
	p.signal(os.Interrupt)
	if err := p.wait(); err != nil {
		t.Fatalf("%v: %s", err, p.err.String())
	}
	r := parsed(t, p.out.String())
	same(t, "stopped", r.Stopped, true)
	same(t, "requests", r.Totals.Requests, 0)
	same(t, "severity", r.Verdict.Severity, "insufficient")
}
