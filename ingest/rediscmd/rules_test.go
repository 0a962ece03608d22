package rediscmd

import (
	"fmt"
	"strings"
	"testing"

	"keyskew/ingest/request"
)

// describe writes what Resolve says as text: "key op tag+tag, key op", then what the line is.
func describe(argv [][]byte) string {
	call, touches := Resolve(argv, true, nil)
	var keys []string
	for _, touch := range touches {
		s := string(argv[touch.Arg]) + " " + touch.Op.String()
		var tags []string
		for _, tag := range touch.Algebra.Tags() {
			name := tag.Name
			if tag.Bit == request.TogetherKeys {
				name = "together"
			}
			tags = append(tags, name)
		}
		if len(tags) > 0 {
			s += " " + strings.Join(tags, "+")
		}
		keys = append(keys, s)
	}
	out := strings.Join(keys, ", ")
	for _, is := range []struct {
		set  bool
		name string
	}{
		{!call.Known, "unknown"}, {call.Script, "script"}, {call.Secret, "secret"}, {call.Keyspace, "keyspace"},
	} {
		if is.set {
			out += " [" + is.name + "]"
		}
	}
	if call.TTLMillis >= 0 {
		out += fmt.Sprintf(" [ttl %d]", call.TTLMillis)
	}
	return strings.TrimSpace(out)
}

func TestResolve(t *testing.T) {
	for _, c := range cases {
		if got := describe(words(c.line)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.line, got, c.want)
		}
	}
}

func TestUnknownWithoutKey(t *testing.T) {
	call, touches := Resolve(words("nosuch k"), false, nil)
	if call != (Call{TTLMillis: -1}) || len(touches) != 0 {
		t.Errorf("got %+v, %v", call, touches)
	}
}

func TestEmptyVector(t *testing.T) {
	for _, argv := range [][][]byte{nil, {}, {nil}, {{}}} {
		call, touches := Resolve(argv, true, nil)
		if call != (Call{TTLMillis: -1}) || len(touches) != 0 {
			t.Errorf("%v: got %+v, %v", argv, call, touches)
		}
	}
}

func TestLongNames(t *testing.T) {
	long := strings.Repeat("x", maxName+1)
	for _, line := range []string{long, "object " + long, "get" + long} {
		call, touches := Resolve(words(line+" k"), false, nil)
		if known := strings.HasPrefix(line, "object"); call.Known != known || len(touches) != 0 {
			t.Errorf("%s: got %+v, %v", line, call, touches)
		}
	}
}

func TestDestinationIsReused(t *testing.T) {
	dst := make([]Touch, 3, 8)
	_, touches := Resolve(words("mget a b"), false, dst)
	if len(touches) != 2 || &touches[0] != &dst[0] {
		t.Errorf("got %v, not in the storage that was lent", touches)
	}
}

func TestResolveDoesNotAllocate(t *testing.T) {
	dst := make([]Touch, 0, 8)
	for _, line := range []string{
		"get k", "SET k v EX 10 NX", "hset h f v", "mget a b c", "object encoding k", "zadd z incr 1 m",
		"xreadgroup group g c block 0 streams s >", "eval s 2 a b", "migrate h 1 k 0 1 auth pw", "nosuch k",
	} {
		argv := words(line)
		if n := testing.AllocsPerRun(20, func() { _, dst = Resolve(argv, true, dst) }); n != 0 {
			t.Errorf("%s: %v allocations", line, n)
		}
	}
}

func BenchmarkResolve(b *testing.B) {
	for _, line := range []string{
		"GET user:1000", "set user:1000 v", "SET lock v NX PX 30000", "hset h f v", "mget a b c d e f g h",
		"object encoding k", "zunionstore d 2 a b", "xreadgroup group g c block 0 streams s >", "nosuch k",
	} {
		b.Run(strings.ReplaceAll(line, " ", "_"), func(b *testing.B) {
			argv := words(line)
			var dst []Touch
			b.ReportAllocs()
			for b.Loop() {
				_, dst = Resolve(argv, true, dst)
			}
		})
	}
}
