//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// work does one of the jobs that the program starts itself for, in a process of its own: to be measured
// (inflate, unzstd), or to keep the measuring process small, because the peak memory of a child is
// counted from what its parent had. done is false when the name is none of a job.
func work(name string, args []string) (done bool, err error) {
	switch name {
	case "-inflate":
		return true, decode(args, func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) })
	case "-unzstd":
		return true, decode(args, func(r io.Reader) (io.Reader, error) {
			return zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		})
	case "-gzip":
		return true, convert(args, func(r *bufio.Reader, w *bufio.Writer) error {
			return pack(r, gzip.NewWriter(w))
		})
	case "-zstd":
		return true, convert(args, func(r *bufio.Reader, w *bufio.Writer) error {
			z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
			if err != nil {
				return err
			}
			return pack(r, z)
		})
	case "-accesslog":
		return true, convert(args, writeAccessLog)
	case "-csv":
		return true, convert(args, writeCSV)
	}
	return false, nil
}

// decode unpacks a file and throws the bytes away: what any reader of the file has to pay.
func decode(args []string, open func(io.Reader) (io.Reader, error)) error {
	if len(args) != 1 {
		return fmt.Errorf("want one file")
	}
	f, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := open(bufio.NewReaderSize(f, 64<<10))
	if err != nil {
		return err
	}
	// In blocks, as keyskew reads: the struct hides the decoders' WriteTo.
	n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{r}, make([]byte, 256<<10))
	if err == nil {
		fmt.Println(n)
	}
	return err
}

func pack(r io.Reader, w io.WriteCloser) error {
	if _, err := io.Copy(w, r); err != nil {
		return err
	}
	return w.Close()
}

// convert writes the file args[1] from the file args[0], whole or not at all.
func convert(args []string, write func(*bufio.Reader, *bufio.Writer) error) error {
	if len(args) != 2 {
		return fmt.Errorf("want two files")
	}
	in, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer in.Close()
	unfinished := args[1] + ".part"
	out, err := os.Create(unfinished)
	if err != nil {
		return err
	}
	defer out.Close()
	w := bufio.NewWriterSize(out, 1<<20)
	if err := write(bufio.NewReaderSize(in, 1<<20), w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return os.Rename(unfinished, args[1])
}
