//go:build linux

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"time"
)

// request is what the other kinds of inputs are made of: one line of a MONITOR capture that keyskew
// generate wrote.
type request struct {
	number                int
	seconds, micros       []byte
	ip, command, key, arg []byte
}

// each calls f for every command of a capture.
func each(r *bufio.Reader, f func(*request) error) error {
	var q request
	for {
		line, err := r.ReadSlice('\n')
		if err == io.EOF && len(line) == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		if string(line) == "OK\n" {
			continue
		}
		head, rest, ok := bytes.Cut(line, []byte(`] "`))
		args := bytes.Split(rest, []byte{'"'})
		stamp, origin, spaced := bytes.Cut(head, []byte(" [0 "))
		if !ok || !spaced || len(args) < 4 {
			return fmt.Errorf("line %d is none that keyskew generate writes: %q", q.number+1, line)
		}
		q.number++
		q.seconds, q.micros, _ = bytes.Cut(stamp, []byte{'.'})
		q.ip, _, _ = bytes.Cut(origin, []byte{':'})
		q.command, q.key, q.arg = args[0], args[2], nil
		if len(args) > 4 {
			q.arg = args[4]
		}
		if err := f(&q); err != nil {
			return err
		}
	}
}

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number
// generators", OOPSLA): a number that looks random and is the same in every run.
func mix(n int) uint64 {
	z := uint64(n) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

var agents = []string{
	"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Safari/537.36",
	"okhttp/4.12.0",
}

// writeAccessLog writes a combined access log of the same keys at the same times, about 195 bytes a line.
func writeAccessLog(r *bufio.Reader, w *bufio.Writer) error {
	var second, stamp []byte
	var line []byte
	return each(r, func(q *request) error {
		if !bytes.Equal(q.seconds, second) {
			second = append(second[:0], q.seconds...)
			at, err := strconv.ParseInt(string(second), 10, 64)
			if err != nil {
				return err
			}
			stamp = time.Unix(at, 0).UTC().AppendFormat(stamp[:0], "02/Jan/2006:15:04:05 -0700")
		}
		n := mix(q.number)
		line = append(append(line[:0], q.ip...), " - - ["...)
		line = append(append(line, stamp...), `] "GET /api/v1/documents/`...)
		line = append(append(line, q.key...), ` HTTP/1.1" 200 `...)
		line = strconv.AppendUint(line, 200+n%50_000, 10)
		line = append(line, ` "https://www.example.com/in/`...)
		line = strconv.AppendUint(line, n>>32%10_000, 10)
		line = append(append(line, `" "`...), agents[n>>60%uint64(len(agents))]...)
		_, err := w.Write(append(line, "\"\n"...))
		return err
	})
}

// writeCSV writes the same requests as a table with a header.
func writeCSV(r *bufio.Reader, w *bufio.Writer) error {
	if _, err := w.WriteString("time,client,op,key,size\n"); err != nil {
		return err
	}
	var line []byte
	return each(r, func(q *request) error {
		line = append(append(line[:0], q.seconds...), '.')
		line = append(append(line, q.micros...), ',')
		line = append(append(line, q.ip...), ',')
		line = append(append(line, q.command...), ',')
		line = append(append(line, q.key...), ',')
		line = strconv.AppendInt(line, int64(len(q.arg)), 10)
		_, err := w.Write(append(line, '\n'))
		return err
	})
}
