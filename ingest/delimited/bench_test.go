package delimited

import (
	"fmt"
	"strings"
	"testing"

	"keyskew/ingest/request"
)

type nowhere struct{ rows int }

func (n *nowhere) Add(b *request.Batch) { n.rows += b.Len() }

// load writes rows of six columns and 60 bytes: time, key, operation, size, client, shard.
func load(lines int) string {
	var b strings.Builder
	ops := []string{"GET", "GET", "GET", "SET", "GET", "DEL"}
	for i := range lines {
		fmt.Fprintf(&b, "17960724%02d.%03d,user:profile:%08d,%s,%d,10.0.%d.%d,shard-%02d\n",
			i/1000%100, i%1000, i*7919%50000, ops[i%len(ops)], i%4000, i%4, 100+i%100, i%16)
	}
	return b.String()
}

const loadHeader = "time,key,op,size,client_ip,shard\n"

func BenchmarkDecode(b *testing.B) {
	const lines = 8192
	plainText := load(lines)
	var twitter strings.Builder
	for i := range lines {
		fmt.Fprintf(&twitter, "%d,nz:u:eeW511W3dcH3de3d15ec,%d,24,%d,%d,get,0\n", i/100, 22+i%3, i%1000, i%50)
	}
	for _, c := range []struct{ name, id, text string }{
		{"csv", "csv", loadHeader + plainText},
		{"quoted", "csv", loadHeader + strings.NewReplacer(",user", `,"user`, ",GET", `","GET"`, ",SET", `","SET"`, ",DEL", `","DEL"`).Replace(plainText)},
		{"spaces", "csv", strings.ReplaceAll(loadHeader+plainText, ",", " ")},
		{"two columns", "csv", strings.ReplaceAll(loadHeader+plainText, "time,key,op,size,client_ip,shard", "a,key,b,c,d,e")},
		{"twitter", "twitter", twitter.String()},
		{"keylist", "keylist", strings.Repeat("user:profile:00012345\nuser:profile:00012346\n", lines/2)},
	} {
		b.Run(c.name, func(b *testing.B) {
			f, d := choose([]byte(c.text), request.Select{})
			if f.ID != c.id {
				b.Fatalf("detected %q, %+v", f.ID, d)
			}
			decoder, sink, data := d.New(), &nowhere{}, []byte(c.text)
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				var tally request.Tally
				decoder.Decode(request.Block{Data: data}, sink, &tally)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/lines, "ns/row")
		})
	}
}
