package partition

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"slices"
)

// wide is an unsigned number of 128 bits.
type wide struct{ high, low uint64 }

func (a wide) cmp(b wide) int {
	return cmp.Or(cmp.Compare(a.high, b.high), cmp.Compare(a.low, b.low))
}

func (a wide) float() float64 { return float64(a.high)*(1<<64) + float64(a.low) }

func (a wide) minus(b wide) wide {
	low, borrow := bits.Sub64(a.low, b.low, 0)
	high, _ := bits.Sub64(a.high, b.high, borrow)
	return wide{high, low}
}

// HashRange is a run of hash values that one partition owns, both ends included.
type HashRange struct {
	first, last wide
	Partition   string
}

// hashRanges is a list of ranges, ascending, without overlap.
type hashRanges struct {
	ranges []HashRange
	owner  []int16 // the partition of each range
}

// newHashRanges makes a partition of each name, in the order of their first ranges. space is the number of
// hash values.
func newHashRanges(given []HashRange, space float64) (hashRanges, []Partition, error) {
	r := hashRanges{ranges: slices.Clone(given)}
	slices.SortStableFunc(r.ranges, func(a, b HashRange) int { return a.first.cmp(b.first) })
	var parts []Partition
	index := map[string]int16{}
	for i, one := range r.ranges {
		if i > 0 && one.first.cmp(r.ranges[i-1].last) <= 0 {
			return r, nil, fmt.Errorf("ranges of %s and %s overlap", r.ranges[i-1].Partition, one.Partition)
		}
		owner, known := index[one.Partition]
		if !known {
			if len(parts) == MaxPartitions {
				return r, nil, fmt.Errorf("more than %d partitions: no more can be told apart", MaxPartitions)
			}
			owner = int16(len(parts))
			index[one.Partition] = owner
			parts = append(parts, Partition{ID: one.Partition})
		}
		r.owner = append(r.owner, owner)
		parts[owner].Fair += (one.last.minus(one.first).float() + 1) / space
	}
	return r, parts, nil
}

func (r hashRanges) of(hash wide) int {
	low, high := 0, len(r.ranges)
	for low < high {
		if middle := (low + high) / 2; r.ranges[middle].last.cmp(hash) < 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low == len(r.ranges) || hash.cmp(r.ranges[low].first) < 0 {
		return -1
	}
	return int(r.owner[low])
}

func (r hashRanges) shape(w io.Writer) {
	var buf []byte
	for i, one := range r.ranges {
		buf = buf[:0]
		for _, word := range []uint64{one.first.high, one.first.low, one.last.high, one.last.low} {
			buf = binary.BigEndian.AppendUint64(buf, word)
		}
		w.Write(binary.BigEndian.AppendUint16(buf, uint16(r.owner[i])))
	}
}
