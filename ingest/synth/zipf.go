package synth

import (
	"math"
	"math/bits"
)

// In this file each product is converted to float64 before it is added to something. The conversion
// forbids the compiler to fuse the two (Go spec, Floating-point operators), which it does on some
// machines only; and math.Pow, Log and Exp are avoided, as some machines have their own. So every
// machine computes the same numbers.

// zipf draws ranks 0..n-1 with weights (rank+1)^-s in constant time: Walker's alias method (Walker
// 1977; linear set-up as in Vose 1991).
type zipf struct {
	columns []column
}

// column is one of n equally likely columns: it stands for its own rank below cut/2^32, for another
// one above.
type column struct {
	cut, other uint32
}

func newZipf(n int, s float64) zipf {
	left := make([]float64, n) // of each rank, what is not yet put into a column; 1 = one full column
	sum := 0.0
	for i := n - 1; i >= 0; i-- { // smallest first, for accuracy
		left[i] = 1 / power(float64(i+1), s)
		sum += left[i]
	}
	scale := float64(n) / sum
	large := 0 // ranks below it hold a full column or more
	for i := range left {
		left[i] = float64(left[i] * scale)
		if left[i] >= 1 {
			large = i + 1
		}
	}
	z := zipf{make([]column, n)}
	for i := range z.columns {
		z.columns[i].other = uint32(i)
	}
	// The weights fall with the rank, so the ranks that give to others are the first ones, in order.
	giver := 0
	fill := func(i, from int) {
		z.columns[i] = column{cut: uint32(float64(left[i] * (1 << 32))), other: uint32(from)}
		left[from] -= 1 - left[i]
	}
	for i := large; i < n && giver < large; i++ {
		fill(i, giver)
		for giver < large && left[giver] < 1 {
			if giver+1 < large {
				fill(giver, giver+1)
			}
			giver++
		}
	}
	return z
}

// rank turns 64 random bits into a rank.
func (z zipf) rank(random uint64) int {
	hi, lo := bits.Mul64(random, uint64(len(z.columns)))
	c := z.columns[hi]
	if uint32(lo>>32) < c.cut {
		return int(hi)
	}
	return int(c.other)
}

// power is x^s for x > 0 and s >= 0, with s rounded to a multiple of 2^-28: x^(1/2), x^(1/4) and so on
// are square roots, which are rounded alike everywhere.
func power(x, s float64) float64 {
	whole := math.Floor(s)
	out := 1.0
	for range int(whole) {
		out *= x
	}
	const digits = 28
	fraction := uint32(math.Round((s - whole) * (1 << digits)))
	if fraction == 1<<digits {
		return out * x
	}
	for fraction != 0 {
		x = math.Sqrt(x)
		fraction <<= 1
		if fraction&(1<<digits) != 0 {
			out *= x
			fraction &^= 1 << digits
		}
	}
	return out
}

// unit turns 64 random bits into a number of [0, 1).
func unit(random uint64) float64 { return float64(random>>11) * 0x1p-53 }

// exponential turns 64 random bits into an exponentially distributed number of mean 1: -ln(u), with
// ln(m) = 2 artanh((m-1)/(m+1)) as a series, for m of [sqrt(1/2), sqrt(2)]: the error is below 1e-12.
func exponential(random uint64) float64 {
	m, e := math.Frexp((float64(random>>11) + 1) * 0x1p-53)
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	t := (m - 1) / (m + 1)
	tt := float64(t * t)
	series := 1.0 / 13
	for _, c := range [...]float64{1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1} {
		series = c + float64(series*tt)
	}
	ln := float64(2*float64(t*series)) + float64(float64(e)*math.Ln2)
	return max(0, -ln)
}
