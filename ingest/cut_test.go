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

	"pgregory.net/rapid"

	"keyskew/ingest/request"
)

// kept collects blocks.
type kept struct {
	blocks []request.Block
	out    int
	most   int // the largest buffer
}

func (k *kept) get() ([]byte, bool) { k.out++; return nil, true }

func (k *kept) put(b request.Block) bool {
	if k.out--; k.out < 0 {
		panic("put without get")
	}
	k.most = max(k.most, cap(b.Data))
	b.Data = bytes.Clone(b.Data)
	k.blocks = append(k.blocks, b)
	return true
}

func continues(line []byte) bool { return bytes.HasPrefix(line, []byte("+")) }

// cutSlowly is what a cutter has to find, by the rules alone: where records begin, and which of them
// are overlong lines.
func cutSlowly(text []byte, most int) (starts []int64, long map[int64]bool) {
	long = map[int64]bool{}
	at, begun, fresh := 0, 0, true
	for line := range bytes.Lines(text) {
		end := at + len(line)
		over := len(trimEnd(line)) > most
		if over || fresh || !continues(line) || end-begun > most {
			starts = append(starts, int64(at))
			begun = at
		}
		fresh = over
		long[int64(at)] = over
		at = end
	}
	return starts, long
}

// checkBlocks compares blocks with what the rules say of the text.
func checkBlocks(t interface{ Fatalf(string, ...any) }, text []byte, most int, blocks []request.Block) {
	starts, long := cutSlowly(text, most)
	var at int64
	for i, b := range blocks {
		if b.Offset != at {
			t.Fatalf("block %d begins at %d, not at %d", i, b.Offset, at)
		}
		if !slices.Contains(starts, at) {
			t.Fatalf("block %d begins at %d, inside a record; records begin at %v", i, at, starts)
		}
		end := at + int64(len(b.Data)) + b.Dropped
		want := text[at:min(int(end), len(text))]
		if (b.Dropped > 0) != long[at] {
			t.Fatalf("block %d at %d dropped %d bytes; overlong line: %v", i, at, b.Dropped, long[at])
		}
		if b.Dropped > 0 {
			body := trimEnd(want)
			if len(body) != most+int(b.Dropped) {
				t.Fatalf("block %d: a line of %d bytes: %d kept, %d dropped", i, len(body), most, b.Dropped)
			}
			want = slices.Concat(body[:most], want[len(body):])
		}
		if !bytes.Equal(b.Data, want) {
			t.Fatalf("block %d at %d is %q, not %q", i, at, b.Data, want)
		}
		for _, s := range starts {
			if at < s && s < end && long[s] {
				t.Fatalf("block %d from %d to %d holds the overlong line at %d", i, at, end, s)
			}
		}
		at = end
	}
	if at != int64(len(text)) {
		t.Fatalf("the blocks end at %d of %d", at, len(text))
	}
	// Each forced cut and each overlong line ends a block, whatever its size.
	for i, s := range starts {
		if i > 0 && (long[starts[i-1]] || long[s] || continues(text[s:])) &&
			!slices.ContainsFunc(blocks, func(b request.Block) bool { return b.Offset == s }) {
			t.Fatalf("no block begins at %d", s)
		}
	}
}

func drawText(t *rapid.T, longest int) []byte {
	var b bytes.Buffer
	for range rapid.IntRange(0, 20).Draw(t, "lines") {
		b.WriteString(rapid.SampledFrom([]string{"", "", "+", "+", "bad", "\r"}).Draw(t, "begin"))
		b.WriteString(strings.Repeat(rapid.SampledFrom([]string{"a", "b", "+"}).Draw(t, "letter"),
			rapid.IntRange(0, longest).Draw(t, "length")))
		b.WriteString(rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n", "\r\r\n", "\n\n"}).Draw(t, "end"))
	}
	if rapid.Bool().Draw(t, "cut") && b.Len() > 0 {
		b.Truncate(b.Len() - 1)
	}
	return b.Bytes()
}

func TestCutKeepsRecordsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 30).Draw(t, "longest line")
		text := drawText(t, 40)
		var r io.Reader = bytes.NewReader(text)
		if rapid.Bool().Draw(t, "slowly") {
			r = iotest.OneByteReader(r)
		}
		if rapid.Bool().Draw(t, "early end") {
			r = iotest.DataErrReader(r)
		}
		var k kept
		c := &cutter{r: r, max: most, limit: rapid.IntRange(1, most).Draw(t, "block size"),
			continues: continues, stopped: func() bool { return false }}
		if c.run(&k); c.err != io.EOF || c.off != int64(len(text)) {
			t.Fatalf("ended at %d of %d: %v", c.off, len(text), c.err)
		}
		checkBlocks(t, text, most, k.blocks)
		for i, b := range k.blocks {
			if b.Last != (i == len(k.blocks)-1) {
				t.Fatalf("block %d of %d: Last is %v", i, len(k.blocks), b.Last)
			}
		}
		if k.most > 2*(most+3)+16 { // append rounds up
			t.Fatalf("a buffer grew to %d bytes, for lines of %d", k.most, most)
		}
	})
}

func TestCutAfterStopLeavesOutPartOfALine(t *testing.T) {
	stop := errors.New("stop")
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t, 40)
		most := rapid.IntRange(1, 30).Draw(t, "longest line")
		r := io.MultiReader(bytes.NewReader(text), iotest.ErrReader(stop))
		var k kept
		c := &cutter{r: r, max: most, limit: most, continues: continues, stopped: func() bool { return true }}
		if c.run(&k); c.err != stop {
			t.Fatalf("ended with %v", c.err)
		}
		whole := text[:bytes.LastIndexByte(text, '\n')+1]
		if c.off != int64(len(whole)) {
			t.Fatalf("counted %d bytes of %d in whole lines", c.off, len(whole))
		}
		checkBlocks(t, whole, most, k.blocks)
	})
}

// What Continues is shown of a line must not depend on how much of it has been read.
func TestContinuesSeesAFixedPart(t *testing.T) {
	for _, n := range []int{lookAhead - 2, lookAhead - 1, lookAhead, lookAhead + 1, 3 * lookAhead} {
		for _, end := range []string{"\n", "\r\n"} {
			long := strings.Repeat("a", n) + end
			text := []byte("first\n" + long + "+\n" + long + long)
			seen := map[string]bool{}
			for limit := 1; limit < 5*lookAhead; limit += 501 {
				var k kept
				c := &cutter{r: bytes.NewReader(text), max: request.MaxLine, limit: limit,
					stopped: func() bool { return false },
					continues: func(line []byte) bool {
						seen[string(line)] = true
						return continues(line)
					}}
				if c.run(&k); c.err != io.EOF {
					t.Fatal(c.err)
				}
				checkBlocks(t, text, request.MaxLine, k.blocks)
			}
			if len(seen) != 2 { // the long line and "+"
				t.Errorf("a line of %d bytes and %q was seen in %d shapes", n, end, len(seen)-1)
			}
		}
	}
}

func TestLinesAroundMaxLine(t *testing.T) {
	for _, extra := range []int{-1, 0, 1, 2, 3, request.MaxLine} {
		for _, end := range []string{"\n", "\r\n", ""} {
			text := []byte("a\n+b\n" + strings.Repeat("x", request.MaxLine+extra) + end)
			if end != "" {
				text = append(text, "+c\nd\n"...)
			}
			for _, limit := range []int{1000, 1 << 20, request.MaxLine} {
				t.Run(fmt.Sprintf("%+d%q/%d", extra, end, limit), func(t *testing.T) {
					var k kept
					c := &cutter{r: bytes.NewReader(text), max: request.MaxLine, limit: limit,
						continues: continues, stopped: func() bool { return false }}
					if c.run(&k); c.err != io.EOF {
						t.Fatal(c.err)
					}
					checkBlocks(t, text, request.MaxLine, k.blocks)
				})
			}
		}
	}
}

// endless is a line that never ends, for n bytes.
type endless struct{ n int64 }

func (e *endless) Read(b []byte) (int, error) {
	if e.n == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(b)), e.n)
	for i := range b[:n] {
		b[i] = 'x'
	}
	e.n -= n
	return int(n), nil
}

func TestAHugeLineTakesFixedMemory(t *testing.T) {
	const size = 256 << 20
	var k kept
	c := &cutter{r: &endless{size}, max: request.MaxLine, limit: 1 << 20, continues: continues,
		stopped: func() bool { return false }}
	if c.run(&k); c.err != io.EOF {
		t.Fatal(c.err)
	}
	if len(k.blocks) != 1 || k.blocks[0].Dropped != size-request.MaxLine || !k.blocks[0].Last {
		t.Errorf("got %d blocks, dropped %d", len(k.blocks), k.blocks[0].Dropped)
	}
	if k.most > request.MaxLine+3 {
		t.Errorf("a buffer of %d bytes", k.most)
	}
}
