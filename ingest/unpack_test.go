package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func gzipped(parts ...[]byte) []byte {
	var b bytes.Buffer
	for _, p := range parts {
		w := gzip.NewWriter(&b)
		w.Write(p)
		w.Close()
	}
	return b.Bytes()
}

func zstandard(data []byte, o ...zstd.EOption) []byte {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, o...)
	if err != nil {
		panic(err)
	}
	w.Write(data)
	w.Close()
	return b.Bytes()
}

// sample is a text that packs to a few hundred bytes a kilobyte.
func sample(lines int) []byte {
	var b bytes.Buffer
	x := uint32(1)
	for i := range lines {
		x = x*1664525 + 1013904223
		fmt.Fprintf(&b, "%d key:%d\n", i, x>>8)
		if x>>28 == 0 {
			fmt.Fprintf(&b, "+inner %d\n", x>>20)
		}
	}
	return b.Bytes()
}

func TestPackedInputsAreTheSame(t *testing.T) {
	text := sample(20_000)
	half := len(text)/2 + 3
	want := readFake(bytes.NewReader(text), Options{})
	skippable := append([]byte("\x50\x2a\x4d\x18\x03\x00\x00\x00abc"), zstandard(text)...)
	for _, c := range []struct {
		packing string
		data    []byte
	}{
		{"gzip", gzipped(text)},
		{"gzip", gzipped(text[:half], nil, text[half:])},
		{"zstd", zstandard(text)},
		{"zstd", slices.Concat(zstandard(text[:half]), zstandard(text[half:]))},
		{"zstd", skippable},
		{"zstd in gzip", gzipped(zstandard(text))},
		{"gzip in gzip", gzipped(gzipped(text))},
		{"gzip in zstd", zstandard(gzipped(text))},
	} {
		pipe := readFake(iotest.HalfReader(bytes.NewReader(c.data)), Options{BlockSize: 10_000})
		file := readInputs(Options{}, &recorder{}, writeFile(t, "x", c.data))
		for _, got := range []outcome{pipe, file} {
			if got.err != nil || got.stats.Err != nil || got.stats.Truncated {
				t.Errorf("%s: %v, %v", c.packing, got.err, got.stats.Err)
			}
			if !slices.Equal(got.rows, want.rows) || !sameTally(got.stats.Tally, want.stats.Tally) {
				t.Errorf("%s: %d rows, %+v", c.packing, len(got.rows), got.stats)
			}
			if got.stats.Packing != c.packing || got.stats.Bytes != int64(len(c.data)) ||
				got.stats.Unpacked != int64(len(text)) || got.stats.Confidence != want.stats.Confidence {
				t.Errorf("%s: %+v", c.packing, got.stats)
			}
		}
	}
}

func TestEmptyArchives(t *testing.T) {
	for _, data := range [][]byte{gzipped(nil), zstandard(nil, zstd.WithZeroFrames(true)), gzipped(gzipped(nil))} {
		got := readFake(bytes.NewReader(data), Options{})
		if got.err != nil || got.stats.Err != nil || got.stats.Format != "" || got.stats.Packing == "" {
			t.Errorf("%v, %+v", got.err, got.stats)
		}
	}
}

func TestThreeLayersAreRefused(t *testing.T) {
	data := gzipped(zstandard(gzipped([]byte("a\n"))))
	got := readFake(bytes.NewReader(data), Options{})
	if want := "pipe: there is gzip data inside zstd in gzip; unpack it first"; got.err == nil || got.err.Error() != want {
		t.Errorf("got %v, want %s", got.err, want)
	}
}

// Wherever an archive is cut: what could be unpacked is counted, the same way as that much plain text,
// and the place is named.
func TestCutArchives(t *testing.T) {
	text := sample(3000)
	for name, data := range map[string][]byte{
		"gzip":         gzipped(text[:len(text)/2], text[len(text)/2:]),
		"zstd":         zstandard(text),
		"zstd in gzip": gzipped(zstandard(text)),
	} {
		var cuts []int
		if name != "zstd in gzip" { // there the first bytes would not show yet what is in it
			cuts = []int{4, 5, 6, 9, 10, 11, 17, 18}
		}
		cuts = append(cuts, len(data)-1, len(data)-4, len(data)-8, len(data)-9)
		for i := 1; i < 50; i++ {
			cuts = append(cuts, 25+i*(len(data)-25)/50)
		}
		for _, cut := range cuts {
			got := readFake(bytes.NewReader(data[:cut]), Options{Format: "fake"})
			var at *ParseError
			if got.err != nil || !errors.As(got.stats.Err, &at) || !got.stats.Truncated {
				t.Errorf("%s cut at %d of %d: %v, %+v", name, cut, len(data), got.err, got.stats)
				continue
			}
			if at.Offset != got.stats.Unpacked || at.Offset > int64(len(text)) || !errors.Is(at, io.ErrUnexpectedEOF) {
				t.Errorf("%s cut at %d: %+v, %+v", name, cut, at, got.stats)
			}
			want := decodeWhole(text[:at.Offset])
			if !slices.Equal(got.rows, want.rows) || !sameTally(got.stats.Tally, want.stats.Tally) {
				t.Errorf("%s cut at %d: %d rows of %d bytes, want %d", name, cut, len(got.rows), at.Offset, len(want.rows))
			}
		}
	}
}

func TestDamagedArchives(t *testing.T) {
	text := sample(1000)
	flipped := gzipped(text)
	flipped[len(flipped)-6] ^= 1
	zflipped := zstandard(text)
	zflipped[len(zflipped)-1] ^= 1
	wide := zstandard(bytes.Repeat(text, 200), zstd.WithWindowSize(64<<20), zstd.WithEncoderLevel(zstd.SpeedFastest))
	for _, c := range []struct {
		name     string
		data     []byte
		unpacked int
		reason   string
	}{
		{"garbage after gzip", append(gzipped(text), "another line\n"...), len(text), "something other than gzip data follows"},
		{"garbage after zstd", append(zstandard(text), "another line\n"...), len(text), "something other than zstd data follows"},
		{"gzip checksum", flipped, len(text), "the checksum of the gzip data does not match"},
		{"zstd checksum", zflipped, -1, "the checksum of the zstd data does not match"},
		{"gzip flags", []byte("\x1f\x8b\x08\xe0\x00\x00\x00\x00\x00\x00\x00\x00"), 0, "the gzip header is damaged"},
		{"zstd window", wide, 0, "the zstd window is larger than 32 MiB; unpack it first"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := readFake(bytes.NewReader(c.data), Options{})
			var at *ParseError
			if got.err != nil || !errors.As(got.stats.Err, &at) || !strings.HasPrefix(at.Reason, c.reason) || got.stats.Truncated {
				t.Fatalf("%v, %+v", got.err, got.stats)
			}
			if at.Offset != got.stats.Unpacked || c.unpacked >= 0 && at.Offset != int64(c.unpacked) {
				t.Errorf("at %d, want %d; %+v", at.Offset, c.unpacked, got.stats)
			}
			if want := decodeWhole(text[:at.Offset]); !slices.Equal(got.rows, want.rows) {
				t.Errorf("%d rows, want %d", len(got.rows), len(want.rows))
			}
		})
	}
}
