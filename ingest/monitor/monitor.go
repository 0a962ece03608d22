// Package monitor decodes the output of MONITOR, of Redis 2.4 and later, Valkey, KeyDB and Dragonfly:
// lines come in, in any of the framings that people capture them in, batches of requests leave.
//
// One line is one command; a newline inside an argument is an escape, so lines are never joined. Calls
// made by a script have lines of their own behind the script's: the keys are taken from those, and the
// script counts as one command. Where no such lines follow, the keys that the script declares count.
// Calls made inside a module are dropped, for the module's own command has a line, before them up to
// Redis 6.2.3 and behind them since. A damaged argument costs its line only if the command or one of
// its keys is in it.
//
// Which arguments are keys, and what is done to them, is package rediscmd's to say. Passwords (AUTH,
// HELLO, MIGRATE, CONFIG SET, ACL SETUSER; old servers print them) are neither kept nor repeated: of any
// line nothing leaves but its keys, its command's name, its time and its origin's hash.
package monitor

import (
	"bytes"

	"keyskew/ingest/rediscmd"
	"keyskew/ingest/request"
)

// batchRows is how many rows a batch holds when it is handed on.
const batchRows = 256

const (
	noteOrphans = "script calls without their EVAL line"
	noteOdd     = "escape of an unknown kind, kept as it stands"
	noteDamaged = "an argument does not end where it should: the keys before it were counted"
	noteLong    = "line longer than 4 MiB: keys in its tail are not counted"
)

// Options are what the user may say about a capture.
type Options struct {
	// SkipUnknown counts an unknown command without a key. Otherwise its first argument is taken as its
	// key: servers with renamed commands and modules have such.
	SkipUnknown bool
	// Replica says that the capture is of a replica: the writes in it are its primary's, rewritten, so
	// what they do to their values is unknown.
	Replica bool
}

// New returns a decoder for the lines of one input. It is for one goroutine.
func New(o Options) request.Decoder {
	return &decoder{
		options:   o,
		batch:     request.NewBatch(batchRows, request.TimeColumn|request.ClientColumn),
		names:     newNames(),
		fastState: fastState{classes: make([]uint32, len(rediscmd.Names()))},
	}
}

// decoder holds storage only: no block changes what the next one means.
type decoder struct {
	options Options
	scratch
	names   *names
	touches []rediscmd.Touch
	longKey []byte
	batch   *request.Batch
	script  script
	fastState
	slow bool // leaves every line to the slow path; for tests

	// Of the block at hand.
	sink  request.Sink
	tally *request.Tally
}

// script is what the calls of a running script inherit from its own line.
type script struct {
	running bool
	client  uint64
	// together is set when the script declares several keys.
	together request.Algebra
	// row is the script's own row, held back until the first of its calls that touches a key.
	row  request.Row
	held bool
}

// Decode counts every line of the block in t and hands its requests to sink.
func (d *decoder) Decode(b request.Block, sink request.Sink, t *request.Tally) {
	d.sink, d.tally = sink, t
	d.script = script{}
	for at := 0; at < len(b.Data); {
		if !d.slow && b.Dropped == 0 {
			if next := d.fast(b.Data, at, b.Offset); next > 0 {
				at = next
				continue
			}
		}
		rest := b.Data[at:]
		n := bytes.IndexByte(rest, '\n') + 1
		ended := n > 0
		if !ended {
			n = len(rest)
		}
		d.line(trimEnd(rest[:n]), place{
			offset:  b.Offset + int64(at),
			rest:    rest[n:],
			dropped: uint64(max(b.Dropped, 0)),
			last:    b.Last && !ended,
		})
		at += n
	}
	d.endScript()
	d.flush()
	d.sink, d.tally = nil, nil
}

// place is where a line stands.
type place struct {
	offset  int64
	rest    []byte // of the block, behind the line
	dropped uint64 // bytes left out at the line's end
	last    bool   // the input ends without a line end
}

func (d *decoder) line(line []byte, at place) {
	d.tally.Lines++
	p := d.parse(line)
	if p.reason == reasonForeign || p.Kind == Client {
		d.endScript()
	}
	if p.Kind == Module {
		d.tally.Skip(reasonModule, true)
		return
	}
	broken := -1 // the argument that is not whole
	switch {
	case p.reason == "":
	case p.reason == reasonDamaged:
		broken = len(p.Argv) - 1
	case p.reason == reasonOpen && at.dropped > 0:
		broken = len(p.Argv) - 1
	default:
		d.skip(line, p, at)
		return
	}
	if bytes.EqualFold(p.Argv[0], []byte("RREPLAY")) {
		d.tally.Skip(reasonReplication, true)
		return
	}
	odd := d.odd
	if !d.call(p, broken, at) {
		d.tally.Skip(reasonDamaged, false)
		return
	}
	d.tally.Requests++
	d.tally.Saw(p.Time)
	if odd {
		d.tally.Note(noteOdd, 1)
	}
	if at.dropped > 0 {
		d.tally.Note(noteLong, 1)
	}
}

// skip counts a line that holds no request.
func (d *decoder) skip(line []byte, p parsed, at place) {
	trimmed := bytes.TrimLeft(line, "+\" \t")
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		d.tally.Skip(reasonBlank, true)
	case p.reason == reasonForeign && session(line):
		d.tally.Skip(reasonSession, true)
	case at.last && (p.reason != reasonForeign || trimmed != nil && trimmed[0]-'0' <= 9):
		d.tally.Skip(reasonCut, false)
	default:
		d.tally.Skip(p.reason, false)
	}
}

// scriptCalls says whether the next lines of the block hold a script's call.
func scriptCalls(rest []byte) bool {
	for len(rest) > 0 {
		n := bytes.IndexByte(rest, '\n') + 1
		if n == 0 {
			n = len(rest)
		}
		switch kind, ok := kindOf(trimEnd(rest[:n])); {
		case ok && kind == Lua:
			return true
		case !ok || kind == Client:
			return false
		}
		rest = rest[n:]
	}
	return false
}
