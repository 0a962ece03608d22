package accesslog

import (
	"fmt"
	"strings"
	"testing"

	"keyskew/ingest/request"
)

// nothing is a sink that drops.
type nothing struct{}

func (nothing) Add(*request.Batch) {}

func BenchmarkDecode(b *testing.B) {
	for _, c := range samples {
		b.Run(c.id, func(b *testing.B) {
			data := []byte(strings.Repeat(c.text, 1+200_000/len(c.text)))
			d := detection(b, c.id, head(data), c.sel)
			decoder := d.New()
			var tally request.Tally
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			lines := strings.Count(string(data), "\n")
			for b.Loop() {
				tally = request.Tally{}
				decoder.Decode(request.Block{Data: data}, nothing{}, &tally)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*lines), "ns/line")
		})
	}
}

func BenchmarkDetect(b *testing.B) {
	data := head([]byte(strings.Repeat(samples[0].text, 1000)))
	b.ReportAllocs()
	for b.Loop() {
		best(data, request.Select{})
	}
}

// BenchmarkCombined is the plain case: whole requests, 195 bytes a line, a new time every 20 lines.
func BenchmarkCombined(b *testing.B) {
	var text strings.Builder
	const lines = 2000
	for i := range lines {
		fmt.Fprintf(&text, `198.51.100.%d - - [17/May/2015:10:%02d:%02d +0000] "GET /articles/2015/%03d/index.html?page=%d HTTP/1.1" 200 %d `+
			`"http://www.example.com/articles/" "Mozilla/5.0 (X11; Linux x86_64; rv:24.0) Gecko/20140205"`+"\n",
			i%200, i/1200, i/20%60, i*i%397, i%7, 1000+i)
	}
	data := []byte(text.String())
	d := detection(b, "combined", head(data), request.Select{})
	decoder := d.New()
	var tally request.Tally
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		tally = request.Tally{}
		decoder.Decode(request.Block{Data: data}, nothing{}, &tally)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*lines), "ns/line")
}
