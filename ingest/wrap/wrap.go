// Package wrap takes off what collectors put around the lines of other programs' logs: lines come in
// with the marks of docker, Kubernetes, docker compose, kubectl, syslog or journald, and the lines that
// the program wrote leave.
//
// A wrapper is chosen once, by the first lines of an input, and then taken off line by line, with no
// memory of earlier lines. A line that lacks it is handed on as it is.
package wrap

import (
	"bytes"
	"strings"
)

// Peeler takes a wrapper off lines. It may reuse its storage: what it returns lives until the next
// call. A Peeler is for one goroutine.
type Peeler interface {
	// Peel returns the inside of a line (without its line end), or the line itself when it does not wear
	// the wrapper.
	Peel(line []byte) []byte
}

// Names of the wrappers.
const (
	Docker    = "docker json-file" // {"log":"...\n","stream":"stdout","time":"..."}
	Journald  = "journald json"    // journalctl -o json: {"MESSAGE":"...", ...}
	Message   = "json message"     // a collector's {"message":"..."} around a log line
	CRI       = "cri"              // 2016-10-06T00:17:09.669794202Z stdout F ...
	Syslog    = "syslog"           // Nov 30 12:00:00 host nginx[12]: ..., RFC 3164 and RFC 5424
	Compose   = "docker compose"   // web_1  | ...
	Kubectl   = "kubectl --prefix" // [pod/web-0/nginx] ...
	Timestamp = "timestamp"        // 2016-10-06T00:17:09Z ... (kubectl, docker: --timestamps)
)

const (
	// sampleLines is how many lines are looked at.
	sampleLines = 200
	// maxLayers is how many wrappers are taken off one line: kubectl --prefix --timestamps needs two,
	// syslog around docker another one.
	maxLayers = 3
	separator = " around "
)

// peel takes one wrapper off; ok says whether the line wore it. It may use and return scratch.
type peel func(line, scratch []byte) (inner, newScratch []byte, ok bool)

// wrappers in the order in which they are tried: where two fit equally well, the first is taken.
var wrappers = []struct {
	name string
	peel peel
}{
	{Docker, field("log", nil)},
	{Journald, field("MESSAGE", nil)},
	{Message, field("message", recordLike)},
	{CRI, plain(cri)},
	{Kubectl, plain(kubectl)},
	{Compose, plain(compose)},
	{Syslog, plain(syslog)},
	{Timestamp, plain(timestamp)},
}

// Detect looks at the first lines of an input. It returns the name of the wrapper that more than half
// of its lines wear ("a around b" for two layers) and a Peeler for it, or "" and one that does nothing.
func Detect(head []byte) (name string, p Peeler) {
	lines := sample(head)
	var names []string
	for range maxLayers {
		found, inner := outermost(lines)
		if found == "" {
			break
		}
		names, lines = append(names, found), inner
	}
	name = strings.Join(names, separator)
	return name, New(name)
}

// New returns a Peeler for a name that Detect returned; for any other name it does nothing.
func New(name string) Peeler {
	p := &peeler{}
	for part := range strings.SplitSeq(name, separator) {
		for _, w := range wrappers {
			if w.name == part {
				p.layers = append(p.layers, layer{peel: w.peel})
			}
		}
	}
	return p
}

type peeler struct{ layers []layer }

type layer struct {
	peel    peel
	scratch []byte
}

func (p *peeler) Peel(line []byte) []byte {
	for i := range p.layers {
		l := &p.layers[i]
		var inner []byte
		var ok bool
		if inner, l.scratch, ok = l.peel(line, l.scratch); ok {
			line = inner
		}
	}
	return line
}

// sample cuts the head into its first lines, without blank ones.
func sample(head []byte) [][]byte {
	var lines [][]byte
	for len(head) > 0 && len(lines) < sampleLines {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		head = rest
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if len(bytes.TrimSpace(line)) > 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

// outermost finds the wrapper of most lines and takes it off.
func outermost(lines [][]byte) (name string, inner [][]byte) {
	best := len(lines) / 2
	for _, w := range wrappers {
		peeled := make([][]byte, len(lines))
		count := 0
		for i, line := range lines {
			peeled[i] = line
			if in, _, ok := w.peel(line, nil); ok {
				peeled[i] = in
				count++
			}
		}
		if count > best {
			best, name, inner = count, w.name, peeled
		}
	}
	return name, inner
}

// plain makes a peel of a function that says how long the wrapper in front of a line is.
func plain(length func(line []byte) int) peel {
	return func(line, scratch []byte) ([]byte, []byte, bool) {
		n := length(line)
		if n <= 0 {
			return line, scratch, false
		}
		return line[n:], scratch, true
	}
}
