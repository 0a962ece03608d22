package jsonlines

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"keyskew/ingest/request"
)

// accessLines are what nginx writes with a usual log_format: 300 bytes a line, ten fields, of which
// eight are read.
func accessLines(n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"time":"2026-11-30T21:08:%02d+00:00","msec":"1796072888.%03d","remote_addr":"10.0.%d.%d",`+
			`"method":"GET","uri":"/products/%d/view?a=1&b=%d","status":200,"bytes":%d,"request_time":"0.0%02d",`+
			`"upstream_addr":"10.1.0.%d:8080","ua":"Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Firefox/142.0"}`+"\n",
			i%60, i%1000, i%4, i%200, i*7919%5000, i, i*31%9000, i%100, i%8)
	}
	return []byte(b.String())
}

// traceLines are a trace of 110 bytes a line.
func traceLines(n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"ts":%d.%06d,"key":"user:%d:profile","op":"get","size":%d,"client_ip":"10.0.0.%d:4%03d"}`+"\n",
			1796072888+i/1000, i%1000000, i*7919%5000, i%4096, i%200, i%1000)
	}
	return []byte(b.String())
}

func caddyLines(n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"level":"info","ts":1693840791.%07d,"logger":"http.log.access","msg":"handled request",`+
			`"request":{"remote_ip":"172.17.0.%d","remote_port":"44790","client_ip":"127.0.0.1","proto":"HTTP/1.1",`+
			`"method":"GET","host":"127.0.0.1:8080","uri":"/a/%d","headers":{"User-Agent":["curl/7.74.0"],`+
			`"Accept":["*/*"]}},"bytes_read":0,"user_id":"","duration":0.000002701,"size":%d,"status":200,`+
			`"resp_headers":{"Server":["Caddy"]}}`+"\n", i, i%100, i*7919%5000, i)
	}
	return []byte(b.String())
}

func inputs() map[string][]byte {
	var docker strings.Builder
	for line := range strings.Lines(string(accessLines(4096))) {
		text, err := json.Marshal(map[string]string{"log": line, "stream": "stdout", "time": "2026-11-30T21:08:00Z"})
		if err != nil {
			panic(err)
		}
		docker.Write(append(text, '\n'))
	}
	return map[string][]byte{
		"nginx": accessLines(4096), "trace": traceLines(8192), "caddy": caddyLines(4096),
		"docker": []byte(docker.String()),
	}
}

func BenchmarkDecode(b *testing.B) {
	for name, data := range inputs() {
		b.Run(name, func(b *testing.B) {
			_, detection := choose(data[:bytes.LastIndexByte(data[:60000], '\n')+1], request.Select{})
			d := detection.New()
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				var tally request.Tally
				d.Decode(request.Block{Data: data}, nowhere{}, &tally)
			}
		})
	}
}

func BenchmarkDetect(b *testing.B) {
	data := accessLines(220)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		choose(data, request.Select{})
	}
}

func BenchmarkLines(b *testing.B) {
	data := accessLines(4096)
	text := append(append([]byte("["), bytes.ReplaceAll(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"), []byte(",\n"))...), ']')
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := io.Copy(io.Discard, Lines(bytes.NewReader(text))); err != nil {
			b.Fatal(err)
		}
	}
}

// Ordinary lines are decoded into storage that is used again.
func TestNoAllocations(t *testing.T) {
	for name, data := range inputs() {
		_, detection := choose(data[:bytes.LastIndexByte(data[:60000], '\n')+1], request.Select{})
		d := detection.New()
		var tally request.Tally
		run := func() {
			tally = request.Tally{}
			d.Decode(request.Block{Data: data}, nowhere{}, &tally)
		}
		run()
		if n := testing.AllocsPerRun(5, run); n != 0 {
			t.Errorf("%s: %v allocations for a block", name, n)
		}
		if all, _ := tally.Skipped(); all != 0 || tally.Requests == 0 {
			t.Errorf("%s: %+v", name, tally)
		}
	}
}
