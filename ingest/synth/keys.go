package synth

import (
	"math/bits"
	"strconv"
)

// address returns the address of client i in the network 10.<net>.0.0/16.
func address(net, i int) string {
	return "10." + strconv.Itoa(net) + "." + strconv.Itoa(i>>8) + "." + strconv.Itoa(i&255)
}

// sizeOf makes a size of a number: 128 to 4223 bytes.
func sizeOf(x uint64) uint64 {
	return 128 + x*0x9e3779b97f4a7c15>>52 // multiplicative hashing with 2^64 divided by the golden ratio
}

// key draws a background key as key i of the command, and counts it.
func (g *generator) key(i int, write bool) {
	rank := g.keys.rank(g.rng.Uint64())
	g.background[rank].add(write)
	id := g.id(rank)
	g.cmd.size = sizeOf(id)
	g.names[i] = g.appendKey(g.names[i][:0], id)
	g.cmd.keys[i] = g.names[i]
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

// appendKey appends a background key. All formats spell it alike.
func (g *generator) appendKey(b []byte, id uint64) []byte {
	if g.c.Tenants > 0 {
		b = append(b, 't')
		b = strconv.AppendInt(b, int64(g.tenant(id))+1, 10)
		b = append(b, ':')
	}
	b = append(b, "key:"...)
	return strconv.AppendUint(b, id, 10)
}

// tag draws a key of the hash tag, and counts it.
func (g *generator) tag(write bool) {
	i, _ := bits.Mul64(g.rng.Uint64(), uint64(len(g.tagged)))
	g.tagged[i].add(write)
	g.cmd.size = sizeOf(i)
	g.names[0] = append(g.names[0][:0], g.tagSpelled...)
	g.names[0] = strconv.AppendUint(g.names[0], i, 10)
	g.cmd.keys[0] = g.names[0]
}

// order makes a new time-ordered key.
func (g *generator) order(ms int64) {
	if ms != g.ms {
		g.ms, g.seq = ms, 0
	}
	g.truth.TimeOrdered++
	g.cmd.size = sizeOf(uint64(g.seq))
	b := append(g.names[0][:0], "order:"...)
	b = strconv.AppendInt(b, ms, 10)
	b = append(b, '-')
	b = strconv.AppendInt(b, g.seq, 10)
	g.names[0], g.cmd.keys[0] = b, b
	g.seq++
}
