package synth

import (
	"math/bits"
	"strconv"
)

const hexDigits = "0123456789abcdef"

// quoted is an argument as Redis prints it in MONITOR: in double quotes, with the escapes of
// sdscatrepr (redis/src/sds.c).
func quoted(arg string) string {
	b := []byte{'"'}
	for _, c := range []byte(arg) {
		switch c {
		case '\\', '"':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		case '\a':
			b = append(b, `\a`...)
		case '\b':
			b = append(b, `\b`...)
		default:
			if c >= ' ' && c <= '~' {
				b = append(b, c)
			} else {
				b = append(b, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
			}
		}
	}
	return string(append(b, '"'))
}

// addresses returns n client addresses of 10.<net>.0.0/16, as they stand in a line.
func addresses(net, n int) []string {
	out := make([]string, n)
	for i := range out {
		b := append([]byte(nil), " [0 10."...)
		b = strconv.AppendInt(b, int64(net), 10)
		b = append(b, '.')
		b = strconv.AppendInt(b, int64(i>>8), 10)
		b = append(b, '.')
		b = strconv.AppendInt(b, int64(i&255), 10)
		b = append(b, ':')
		b = strconv.AppendInt(b, int64(32768+i*7919%28232), 10) // a port of Linux' range
		out[i] = string(append(b, ']'))
	}
	return out
}

// appendTime appends seconds and six digits of microseconds since 1970.
func (g *generator) appendTime(micros int64) {
	if second := micros / 1_000_000; second != g.second {
		g.second = second
		g.prefix = append(strconv.AppendInt(g.prefix[:0], second, 10), '.')
	}
	g.buf = append(g.buf, g.prefix...)
	us := uint32(micros % 1_000_000)
	g.buf = append(g.buf,
		byte('0'+us/100_000), byte('0'+us/10_000%10), byte('0'+us/1000%10),
		byte('0'+us/100%10), byte('0'+us/10%10), byte('0'+us%10))
}

// verb appends the command of a write or a read, and counts it.
func (g *generator) verb(write bool) {
	if write {
		g.truth.Writes++
		g.buf = append(g.buf, ` "SET" `...)
	} else {
		g.truth.Reads++
		g.buf = append(g.buf, ` "GET" `...)
	}
}

// value appends the value that a write sets: 16 random hex digits.
func (g *generator) value(write bool) {
	if !write {
		return
	}
	g.buf = append(g.buf, ` "`...)
	v := g.rng.Uint64()
	for range 16 {
		g.buf = append(g.buf, hexDigits[v>>60])
		v <<= 4
	}
	g.buf = append(g.buf, '"')
}

// key draws a background key, counts it and appends it.
func (g *generator) key(write bool) {
	rank := g.keys.rank(g.rng.Uint64())
	g.background[rank].add(write)
	g.buf = append(g.buf, '"')
	g.buf = g.appendKey(g.buf, rank)
	g.buf = append(g.buf, '"')
}

// id is the number in the name of a background key: a permutation, so that names do not tell ranks.
func (g *generator) id(rank int) uint64 {
	return (g.idStep*uint64(rank) + g.idFirst) % uint64(g.c.Keys)
}

// tenant is the tenant that owns a background key, from 0.
func (g *generator) tenant(id uint64) int {
	// Finalizer of SplitMix64 (Steele, Lea, Flood 2014).
	x := id ^ g.tenantSalt
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return g.tenants.rank(x ^ x>>31)
}

// appendKey appends the name of a background key.
func (g *generator) appendKey(b []byte, rank int) []byte {
	id := g.id(rank)
	if g.c.Tenants > 0 {
		b = append(b, 't')
		b = strconv.AppendInt(b, int64(g.tenant(id))+1, 10)
		b = append(b, ':')
	}
	b = append(b, "key:"...)
	return strconv.AppendUint(b, id, 10)
}

// tag draws a key of the hash tag, counts it and appends it.
func (g *generator) tag(write bool) {
	i, _ := bits.Mul64(g.rng.Uint64(), uint64(len(g.tagged)))
	g.tagged[i].add(write)
	g.buf = appendTagged(g.buf, g.tagPrefix, int(i))
	g.buf = append(g.buf, '"')
}

func appendTagged(b []byte, prefix string, i int) []byte {
	return strconv.AppendInt(append(b, prefix...), int64(i), 10)
}

// order appends a new time-ordered key.
func (g *generator) order(ms int64) {
	if ms != g.ms {
		g.ms, g.seq = ms, 0
	}
	g.truth.TimeOrdered++
	g.buf = append(g.buf, `"order:`...)
	g.buf = strconv.AppendInt(g.buf, ms, 10)
	g.buf = append(g.buf, '-')
	g.buf = strconv.AppendInt(g.buf, g.seq, 10)
	g.buf = append(g.buf, '"')
	g.seq++
}
