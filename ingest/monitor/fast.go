package monitor

import (
	"encoding/binary"
	"math/bits"

	"keyskew/ingest/rediscmd"
	"keyskew/ingest/request"
)

// The fast path decodes the lines that make up nearly all of a capture where they lie:
//
//	1796072448.302647 [0 127.0.0.1:47940] "GET" "user:1"
//
// a plain command (rediscmd.Plain) of a client, redis-cli's framing, six digits of microseconds, no
// escape in command and key. It takes a line only as a whole, and leaves every other one, with nothing
// changed, to the slow path, which is also what it is tested against. Bytes are looked at eight at a
// time in a machine word (SWAR); the plain form is parse in line.go.

// clientCache is how many addresses are remembered with the hash of their host.
const clientCache = 1 << clientBits

const clientBits = 10

// cachedClient is an address of 8 to 16 bytes, whole in two words that may overlap.
type cachedClient struct {
	front, back uint64
	n           int
	hash        uint64
}

// fastState is what the fast path remembers from line to line: only to save work, never to decide.
type fastState struct {
	sec8    uint64 // the ten digits of the second of the last line
	sec2    uint16
	secNS   int64
	clients [clientCache]cachedClient
	classes []uint32 // of the plain commands, + 1; 0 where it was not asked for yet
}

const (
	ones   = 0x0101010101010101
	highs  = 0x8080808080808080
	quotes = '"' * ones
	slants = '\\' * ones
	spaces = ' ' * ones
)

// zeroBytes marks the zero bytes of a word with their high bits; the lowest mark is always right.
func zeroBytes(w uint64) uint64 { return (w - ones) &^ w & highs }

// specials marks the quotes, backslashes and control characters of a word; the lowest mark is right.
func specials(w uint64) uint64 {
	return zeroBytes(w^quotes) | zeroBytes(w^slants) | (w-spaces)&^w&highs
}

// special returns the position of the first quote, backslash or control character at or behind i, or
// len(b). MONITOR escapes control characters: a raw one is the line's end, or damage.
func special(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		if m := specials(w); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for ; i < len(b); i++ {
		if b[i] == '"' || b[i] == '\\' || b[i] < ' ' {
			return i
		}
	}
	return i
}

// sixDigits reads six decimal digits in the low bytes of a word.
func sixDigits(w uint64) (v int64, ok bool) {
	w &= 1<<48 - 1
	d := w - 0x303030303030
	if (d|(d+0x767676767676))&0x808080808080 != 0 || w < 0x303030303030 {
		return 0, false
	}
	// Two leading zeros make eight digits; pairs, fours and eights are then joined in three steps.
	d <<= 16
	d = (d * 10) + (d >> 8)
	return int64(((d&0x000000ff000000ff)*0x000f424000000064 + (d>>16&0x000000ff000000ff)*0x0000271000000001) >> 32), true
}

// shortest is the least that a line of the fast path takes up, with room for the words read at once.
const shortest = 48

// fast decodes the line at data[at:] and returns where the next one begins; 0 when it is not for the fast
// path.
func (d *decoder) fast(data []byte, at int, offset int64) int {
	b := data[at:]
	if len(b) < shortest {
		return 0
	}
	// 1796072448.302647 [
	if sec8, sec2 := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint16(b[8:]); sec8 != d.sec8 || sec2 != d.sec2 {
		secs, n := number(b[:stampDigits+1], stampDigits)
		if n != stampDigits {
			return 0
		}
		d.sec8, d.sec2, d.secNS = sec8, sec2, secs*1_000_000_000
	}
	w := binary.LittleEndian.Uint64(b[11:])
	if b[10] != '.' || w>>48 != '['<<8|' ' {
		return 0
	}
	micros, ok := sixDigits(w)
	if !ok {
		return 0
	}
	// 0 127.0.0.1:47940] "
	i := 19
	for b[i]-'0' <= 9 {
		if i++; i == 28 {
			return 0
		}
	}
	if i == 19 || b[i] != ' ' {
		return 0
	}
	origin := i + 1
	q := special(b, origin)
	if q+24 > len(b) || b[q] != '"' || b[q-1] != ' ' || b[q-2] != ']' || q-2 <= origin+3 {
		return 0 // no room for "lua", "?:0" or the module's empty origin either
	}
	client := d.client(b[origin : q-2])

	// GET"
	lo, hi := binary.LittleEndian.Uint64(b[q+1:]), binary.LittleEndian.Uint64(b[q+9:])
	n := 0 // the length of the name
	if m := zeroBytes(lo ^ quotes); m != 0 {
		n = bits.TrailingZeros64(m) / 8
		lo, hi = lo&(1<<(8*n)-1), 0
	} else if m := zeroBytes(hi ^ quotes); m != 0 {
		n = bits.TrailingZeros64(m) / 8
		hi &= 1<<(8*n) - 1
		n += 8
	} else {
		return 0
	}
	c := rediscmd.PlainCommand(rediscmd.FoldName(lo), rediscmd.FoldName(hi))
	k := q + n + 4 // where the key begins
	if c == nil || n == 0 || k >= len(b) || b[k-2] != ' ' || b[k-1] != '"' {
		return 0
	}
	end := special(b, k)
	if end >= len(b) || b[end] != '"' || end-k > request.MaxKey {
		return 0
	}
	key := b[k:end]

	// The other arguments, up to the line end, for their lengths.
	size, args := uint64(len(key)), 2
	for end++; ; args++ {
		if end+1 >= len(b) {
			return 0
		}
		if b[end] != ' ' || b[end+1] != '"' {
			break
		}
		begin := end + 2
		for end = special(b, begin); end < len(b) && b[end] == '\\'; end = special(b, begin) {
			taken := escapeAt(b[end:])
			if taken == 0 {
				return 0
			}
			size += uint64(end-begin) + 1
			begin = end + taken
		}
		if end >= len(b) || b[end] != '"' {
			return 0
		}
		size += uint64(end - begin)
		end++
	}
	if args > c.MaxArgs {
		return 0
	}
	if b[end] == '\r' {
		end++
	}
	if b[end] != '\n' {
		return 0
	}

	if d.script.running {
		d.endScript()
	}
	ns := d.secNS + micros*1000
	d.tally.Lines++
	d.tally.Requests++
	d.tally.Saw(ns)
	class := d.classes[c.ID]
	if class == 0 {
		class = d.plainClass(c)
	}
	d.batch.AppendTouch(key, class-1, ns, offset+int64(at), size, client)
	if d.batch.Len() == batchRows {
		d.flush()
	}
	return at + end + 1
}

// plainClass returns the number of the class of a plain command, + 1.
func (d *decoder) plainClass(c *rediscmd.Plain) uint32 {
	class := request.Class{Command: c.ID, Keys: 1, Flags: request.BeginsCommand, Op: c.Op, Algebra: c.Algebra}
	if d.options.Replica && c.Op == request.Write {
		class.Algebra |= request.Replicated
	}
	d.classes[c.ID] = d.batch.Number(class) + 1
	return d.classes[c.ID]
}

// escapeAt returns how many bytes the escape at the front of b takes, 0 if it is none that MONITOR writes.
func escapeAt(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '\\', '"', 'n', 'r', 't', 'a', 'b':
		return 2
	case 'x':
		if len(b) >= 4 && isHex(b[2]) && isHex(b[3]) {
			return 4
		}
	}
	return 0
}

func isHex(c byte) bool { return c-'0' <= 9 || c|0x20-'a' <= 5 }

// client returns the hash of an origin's host.
func (d *decoder) client(origin []byte) uint64 {
	n := len(origin)
	if n < 8 || n > 16 {
		return request.Hash(hostOf(origin))
	}
	front, back := binary.LittleEndian.Uint64(origin), binary.LittleEndian.Uint64(origin[n-8:])
	c := &d.clients[(front^bits.RotateLeft64(back, 29))*0x9e3779b97f4a7c15>>(64-clientBits)]
	if c.front != front || c.back != back || c.n != n {
		*c = cachedClient{front, back, n, request.Hash(hostOf(origin))}
	}
	return c.hash
}
