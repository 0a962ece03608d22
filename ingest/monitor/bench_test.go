package monitor

import (
	"fmt"
	"strings"
	"testing"

	"keyskew/ingest/request"
)

type nowhere struct{ rows int }

func (n *nowhere) Add(b *request.Batch) { n.rows += b.Len() }

// block is what a server prints under a mixed load: 71 bytes a line, one value in eight escaped.
func block(lines int) []byte {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "17960724%02d.%06d [0 10.0.%d.%d:%d] ", i/1000%100, i*997%1000000, i%4, i%200, 40000+i%1000)
		switch i % 8 {
		case 0:
			fmt.Fprintf(&b, `"SET" "user:%d" "a\x00\"value\""`, i%500)
		case 1, 2:
			fmt.Fprintf(&b, `"HGET" "session:%d" "field"`, i%700)
		case 3:
			fmt.Fprintf(&b, `"INCR" "counter:%d"`, i%10)
		default:
			fmt.Fprintf(&b, `"GET" "user:profile:%d"`, i%900)
		}
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

func BenchmarkDecode(b *testing.B) {
	plain := block(8192)
	framed := func(f func(string) string) []byte {
		var out strings.Builder
		for line := range strings.Lines(string(plain)) {
			out.WriteString(f(strings.TrimSuffix(line, "\n")) + "\n")
		}
		return []byte(out.String())
	}
	for _, c := range []struct {
		name string
		data []byte
	}{{"plain", plain}, {"csv", framed(frames["csv"])}, {"docker", framed(frames["docker"])}} {
		b.Run(c.name, func(b *testing.B) {
			d, sink := New(Options{}), &nowhere{}
			b.SetBytes(int64(len(c.data)))
			b.ReportAllocs()
			for b.Loop() {
				var tally request.Tally
				d.Decode(request.Block{Data: c.data}, sink, &tally)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/8192, "ns/line")
		})
	}
}

// Ordinary lines are decoded into storage that is used again.
func TestNoAllocations(t *testing.T) {
	script := at + `"eval" "s" "1" "k"` + "\n1796072448.302700 [0 lua] \"get\" \"k\"\n"
	data := []byte(string(block(4096)) + strings.Repeat(script, 100) + repr([]byte(at+`"MGET" "a" "b"`)) + "\n" +
		at + `"unheard.of" "k"` + "\n" + at + `"GET" "` + strings.Repeat("l", 5000) + `"` + "\n")
	d, sink := New(Options{}), &nowhere{}
	tally := &request.Tally{}
	decode := func() { d.Decode(request.Block{Data: data}, sink, tally) }
	decode()
	if n := testing.AllocsPerRun(5, decode); n != 0 {
		t.Errorf("%v allocations for a block", n)
	}
}
