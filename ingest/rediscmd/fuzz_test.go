package rediscmd

import (
	"bytes"
	"testing"

	"keyskew/ingest/request"
)

// FuzzResolve divides the input at its zero bytes into a vector.
func FuzzResolve(f *testing.F) {
	for _, c := range cases {
		f.Add(bytes.Join(words(c.line), []byte{0}), true)
	}
	f.Add([]byte("xread\x00bloc\u212a\x001\x00streams\x00s\x000"), true) // the Kelvin sign is no K
	f.Fuzz(func(t *testing.T, line []byte, unknownFirstArg bool) {
		argv := bytes.Split(line, []byte{0})
		call, touches := Resolve(argv, unknownFirstArg, nil)
		if int(call.ID) >= len(Names()) || call.Known != (call.ID != UnknownID) || call.TTLMillis == 0 || call.TTLMillis < -1 {
			t.Fatalf("%q: %+v", argv, call)
		}
		if !call.Known && len(touches) > 1 {
			t.Fatalf("%q: an unknown command with %d keys", argv, len(touches))
		}
		last := 0
		for _, touch := range touches {
			if touch.Arg <= last || touch.Arg >= len(argv) {
				t.Fatalf("%q: keys at %v of %d arguments", argv, positionsOf(touches), len(argv))
			}
			last = touch.Arg
			if touch.Op >= request.Ops {
				t.Fatalf("%q: op %d", argv, touch.Op)
			}
			if own := touch.Algebra &^ request.TogetherKeys; touch.Op == request.Write && own == 0 || touch.Op == request.Read && own != 0 {
				t.Fatalf("%q: a %v with algebra %v", argv, touch.Op, own.Tags())
			}
		}
		lower := bytes.Clone(line)
		for i, c := range lower {
			if 'A' <= c && c <= 'Z' {
				lower[i] = c + 'a' - 'A'
			}
		}
		again, same := Resolve(bytes.Split(lower, []byte{0}), unknownFirstArg, nil)
		if again.ID != call.ID || len(same) != len(touches) {
			t.Fatalf("%q: %+v, in lower case %+v", argv, call, again)
		}
	})
}
