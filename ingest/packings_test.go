package ingest

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"hash/crc32"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"keyskew/golden"
)

// piped is what a program makes of data.
func piped(t testing.TB, data []byte, program string, args ...string) []byte {
	t.Helper()
	c := exec.Command(golden.Program(t, program), args...)
	c.Stdin = bytes.NewReader(data)
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func lz4ed(data []byte, o ...lz4.Option) []byte {
	var b bytes.Buffer
	w := lz4.NewWriter(&b)
	if err := w.Apply(o...); err != nil {
		panic(err)
	}
	w.Write(data)
	w.Close()
	return b.Bytes()
}

func snappied(data []byte, o ...s2.WriterOption) []byte {
	var b bytes.Buffer
	w := s2.NewWriter(&b, append(o, s2.WriterConcurrency(1))...)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

// member is a file of a zip archive.
type member struct {
	name   string
	data   []byte
	method uint16
	// inFront has sum and sizes in front of the file, not behind it.
	inFront bool
}

func zipped(members ...member) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zipZstd, zstd.ZipCompressor())
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: m.method}
		var f io.Writer
		var err error
		data := m.data
		if m.inFront {
			h.CRC32, h.UncompressedSize64 = crc32.ChecksumIEEE(data), uint64(len(data))
			data = pressed(data, m.method)
			h.CompressedSize64 = uint64(len(data))
			f, err = w.CreateRaw(h)
		} else {
			f, err = w.CreateHeader(h)
		}
		if err != nil {
			panic(err)
		}
		f.Write(data)
	}
	w.Close()
	return b.Bytes()
}

func pressed(data []byte, method uint16) []byte {
	switch method {
	case zipDeflate:
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, flate.DefaultCompression)
		w.Write(data)
		w.Close()
		return b.Bytes()
	case zipZstd:
		return zstandard(data)
	}
	return data
}

func TestMorePackings(t *testing.T) {
	text := sample(20_000)
	half := len(text)/2 + 3
	want := readFake(bytes.NewReader(text), Options{})
	xz := func(data []byte, args ...string) []byte { return piped(t, data, "xz", append(args, "-c")...) }
	bz := func(data []byte) []byte { return piped(t, data, "bzip2", "-c") }
	for _, c := range []struct {
		name, packing string
		data          func() []byte
	}{
		{"xz", "xz", func() []byte { return xz(text) }},
		{"xz -9", "xz", func() []byte { return xz(text, "-9", "--check=sha256") }},
		{"xz, two streams", "xz", func() []byte { return slices.Concat(xz(text[:half]), make([]byte, 8), xz(text[half:])) }},
		{"bzip2", "bzip2", func() []byte { return bz(text) }},
		{"bzip2, two streams", "bzip2", func() []byte { return slices.Concat(bz(text[:half]), bz(text[half:])) }},
		{"lz4", "lz4", func() []byte { return lz4ed(text) }},
		{"lz4, two frames", "lz4", func() []byte { return slices.Concat(lz4ed(text[:half]), lz4ed(text[half:])) }},
		{"lz4, no sum", "lz4", func() []byte { return lz4ed(text, lz4.ChecksumOption(false)) }},
		{"lz4 by its program", "lz4", func() []byte { return piped(t, text, "lz4", "-c", "-9") }},
		{"lz4, dependent blocks", "lz4", func() []byte { return piped(t, text, "lz4", "-c", "-BD", "-B4") }},
		{"lz4, old", "lz4", func() []byte { return piped(t, text, "lz4", "-c", "-l") }},
		{"snappy", "snappy", func() []byte { return snappied(text, s2.WriterSnappyCompat()) }},
		{"snappy, two streams", "snappy", func() []byte {
			return slices.Concat(snappied(text[:half], s2.WriterSnappyCompat()), snappied(text[half:], s2.WriterSnappyCompat()))
		}},
		{"s2", "snappy", func() []byte { return snappied(text) }},
		{"zip", "zip", func() []byte { return zipped(member{"a.log", text, zipDeflate, false}) }},
		{"zip, sizes in front", "zip", func() []byte { return zipped(member{"a.log", text, zipDeflate, true}) }},
		{"zip, stored", "zip", func() []byte { return zipped(member{"a.log", text, zipStored, true}) }},
		{"zip, zstd", "zip", func() []byte { return zipped(member{"a.log", text, zipZstd, true}) }},
		{"zip with folders", "zip", func() []byte {
			return zipped(member{"logs/", nil, zipStored, true}, member{"logs/a.log", text, zipDeflate, false}, member{"empty/", nil, zipStored, true})
		}},
		{"zip by its program", "zip", func() []byte { return piped(t, text, "zip", "-q", "-", "-") }},
		{"lz4 in gzip", "lz4 in gzip", func() []byte { return gzipped(lz4ed(text)) }},
		{"gzip in zip", "gzip in zip", func() []byte { return zipped(member{"a.gz", gzipped(text), zipStored, true}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := c.data()
			pipe := readFake(iotest.HalfReader(bytes.NewReader(data)), Options{BlockSize: 10_000})
			file := readInputs(Options{}, &recorder{}, writeFile(t, "x", data))
			for _, got := range []outcome{pipe, file} {
				if got.err != nil || got.stats.Err != nil || got.stats.Truncated {
					t.Errorf("%v, %v", got.err, got.stats.Err)
				}
				if !slices.Equal(got.rows, want.rows) || !sameTally(got.stats.Tally, want.stats.Tally) {
					t.Errorf("%d rows, %+v", len(got.rows), got.stats)
				}
				if got.stats.Packing != c.packing || got.stats.Bytes != int64(len(data)) || got.stats.Unpacked != int64(len(text)) {
					t.Errorf("%d bytes: %+v", len(data), got.stats)
				}
			}
		})
	}
}

// Wherever it is cut, what could be unpacked is counted as that much plain text, and the end is named.
func TestMoreCutArchives(t *testing.T) {
	text := sample(12_000)
	for name, pack := range map[string]func() []byte{
		"xz":         func() []byte { return piped(t, text, "xz", "-c") },
		"bzip2":      func() []byte { return piped(t, text, "bzip2", "-1", "-c") },
		"lz4":        func() []byte { return lz4ed(text, lz4.BlockSizeOption(lz4.Block64Kb)) },
		"snappy":     func() []byte { return snappied(text, s2.WriterSnappyCompat()) },
		"zip":        func() []byte { return zipped(member{"a.log", text, zipDeflate, false}) },
		"zip stored": func() []byte { return zipped(member{"a.log", text, zipStored, true}) },
	} {
		t.Run(name, func(t *testing.T) {
			data := pack()
			cuts := []int{len(data) - 1, len(data) - 4, len(data) - 8, len(data) - 9}
			for i := 1; i < 30; i++ {
				cuts = append(cuts, 45+i*(len(data)-45)/30)
			}
			for _, cut := range cuts {
				got := readFake(bytes.NewReader(data[:cut]), Options{Format: "fake"})
				var at *ParseError
				if strings.HasPrefix(name, "zip") && got.stats.Unpacked == int64(len(text)) {
					continue // only the list of files is cut
				}
				if got.err != nil || !errors.As(got.stats.Err, &at) || !got.stats.Truncated || at.Offset != got.stats.Unpacked {
					t.Fatalf("cut at %d of %d: %v, %+v", cut, len(data), got.err, got.stats)
				}
				want := decodeWhole(text[:at.Offset])
				if !slices.Equal(got.rows, want.rows) || !sameTally(got.stats.Tally, want.stats.Tally) {
					t.Errorf("cut at %d: %d rows of %d bytes, want %d", cut, len(got.rows), at.Offset, len(want.rows))
				}
			}
		})
	}
}

func TestMoreDamagedArchives(t *testing.T) {
	text := sample(1000)
	flipped := func(data []byte, at int) []byte {
		if at < 0 {
			at += len(data)
		}
		data = bytes.Clone(data)
		data[at] ^= 1
		return data
	}
	for _, c := range []struct {
		name, reason string
		data         func() []byte
	}{
		{"garbage after xz", "something other than xz data follows", func() []byte { return append(piped(t, text, "xz", "-c"), "another line that follows\n"...) }},
		{"garbage after bzip2", "something other than bzip2 data follows", func() []byte { return append(piped(t, text, "bzip2", "-c"), "another line\n"...) }},
		{"garbage after lz4", "something other than lz4 data follows", func() []byte { return append(lz4ed(text), "another line\n"...) }},
		{"garbage after zip", "something other than zip data follows", func() []byte {
			return append(zipped(member{"a", text, zipDeflate, true})[:30+1+len(pressed(text, zipDeflate))], "another line\n"...)
		}},
		{"xz dictionary", "the xz dictionary is larger than 64 MiB; unpack it first", func() []byte {
			return piped(t, text, "xz", "--lzma2=preset=0,dict=96MiB", "-c")
		}},
		{"lz4 sum", "the checksum of the lz4 data does not match", func() []byte { return flipped(lz4ed(text), -1) }},
		{"bzip2 sum", "the checksum of the bzip2 data does not match", func() []byte { return flipped(piped(t, text, "bzip2", "-c"), 10) }},
		{"snappy sum", "the checksum of the snappy data does not match", func() []byte { return flipped(snappied(text, s2.WriterSnappyCompat()), 15) }},
		{"zip sum", "the checksum of the zip data does not match", func() []byte { return flipped(zipped(member{"a", text, zipStored, true}), 15) }},
		{"two files", `the zip archive holds another file, "b.log"; only the first is counted`, func() []byte {
			return zipped(member{"a.log", text, zipDeflate, false}, member{"b.log", text, zipDeflate, false})
		}},
		{"encrypted", "the file in the zip archive is encrypted", func() []byte { return flipped(zipped(member{"a", text, zipStored, true}), 6) }},
		{"no length", "the zip archive does not say in front how long its file is", func() []byte { return zipped(member{"a", text, zipStored, false}) }},
		{"a strange method", "the zip archive is packed by a method that is not read here (9)", func() []byte { return flipped(zipped(member{"a", text, zipDeflate, true}), 8) }},
		{"only a folder", "the zip archive holds no file", func() []byte { return zipped(member{"a/", nil, zipStored, true}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := readFake(bytes.NewReader(c.data()), Options{Format: "fake"})
			var at *ParseError
			if got.err != nil || !errors.As(got.stats.Err, &at) || !strings.HasPrefix(at.Reason, c.reason) || got.stats.Truncated {
				t.Fatalf("%v, %+v", got.err, got.stats)
			}
			if want := decodeWhole(text[:min(int(at.Offset), len(text))]); at.Offset <= int64(len(text)) && !slices.Equal(got.rows, want.rows) {
				t.Errorf("%d rows, want %d", len(got.rows), len(want.rows))
			}
		})
	}
}

// A zip archive on disk says what is in it before anything is counted.
func TestZipFileWithSeveralFilesIsRefused(t *testing.T) {
	text := sample(10)
	data := zipped(member{"d/", nil, zipStored, true}, member{"d/a.log", text, zipDeflate, false}, member{"d/\x1bb", text, zipDeflate, false})
	got := readInputs(Options{}, &recorder{}, writeFile(t, "x", data))
	want := `x: the zip archive holds 2 files: "d/a.log", "d/\x1bb"; name one (unzip -p FILE NAME | keyskew)`
	if got.err == nil || got.err.Error() != want || len(got.rows) > 0 {
		t.Errorf("%v, %q", got.err, got.rows)
	}
}
