package rediscmd

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"
)

func plainByName(name string) *Plain {
	var buf [PlainName]byte
	copy(buf[:], name)
	return PlainCommand(FoldName(binary.LittleEndian.Uint64(buf[:8])), FoldName(binary.LittleEndian.Uint64(buf[8:])))
}

// What a plain command says is what Resolve says, for any arguments up to its limit.
func TestPlainIsWhatResolveSays(t *testing.T) {
	var plain []string
	for id, name := range Names() {
		if p := plainByName(name); len(name) <= PlainName && p != nil {
			if p.ID != uint16(id) {
				t.Errorf("%s is found as %s", name, names[p.ID])
			}
			plain = append(plain, name)
		}
	}
	if len(plain) < 150 {
		t.Fatalf("only %d plain commands", len(plain))
	}
	for _, name := range []string{"GET", "SET", "INCR", "HGET", "HSET", "EXPIRE", "LPUSH", "SADD", "ZADD", "HGETALL"} {
		if plainByName(name) == nil {
			t.Errorf("%s is not plain", name)
		}
	}
	for _, name := range []string{"MGET", "EVAL", "AUTH", "BLPOP", "OBJECT", "GETEX", "BITFIELD", "PING", "XREAD", "?", "", "nosuch"} {
		if plainByName(name) != nil {
			t.Errorf("%s is plain", name)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(plain).Draw(t, "name")
		p := plainByName(name)
		n := rapid.IntRange(2, min(p.MaxArgs, 9)).Draw(t, "args")
		argv := [][]byte{[]byte(name)}
		for len(argv) < n {
			argv = append(argv, []byte(rapid.SampledFrom([]string{"k", "1", "NX", "EX", "INCR", "GET", "STORE", "", "ABSTTL", "-5"}).Draw(t, "arg")))
		}
		call, touches := Resolve(argv, true, nil)
		if call.ID != p.ID || call.Script || call.Secret || len(touches) != 1 || touches[0] != (Touch{1, p.Op, p.Algebra}) {
			t.Fatalf("%q: Resolve says %+v %+v, plain says %+v", argv, call, touches, *p)
		}
	})
}
