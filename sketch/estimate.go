package sketch

import "math/bits"

// Estimate is a number that may not be exact: Lower <= truth <= Upper. For a count with a statistical
// error (Distinct) the bounds are those of the interval its doc comment names.
type Estimate struct{ Value, Lower, Upper float64 }

// Exact returns an estimate whose bounds meet.
func Exact(v float64) Estimate { return Estimate{Value: v, Lower: v, Upper: v} }

// addSat adds without wrapping: math.MaxUint64 reads as "at least that".
func addSat(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	return sum | -carry
}

// splitmix is the finaliser of SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom
// number generators", OOPSLA). Count-Min derives its rows with it.
func splitmix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// murmurmix is the 64-bit finaliser of MurmurHash3 (Appleby 2011). The key sample uses it, so that what
// is sampled has nothing to do with places in a table or rows of Count-Min.
func murmurmix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}
