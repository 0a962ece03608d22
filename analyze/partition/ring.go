package partition

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// ring is a circle of points; a hash belongs to the first point at or after it, and past the last one to the
// first.
type ring struct {
	points []point
	bits   int // the circle has 2^bits places
}

// point is a place on a ring and the index of the partition that owns what leads up to it, -1 for none.
type point struct {
	at    uint64
	owner int16
}

// newRing sorts points; of several at one place the one with the lowest owner counts.
func newRing(points []point, bits int) ring {
	slices.SortFunc(points, func(a, b point) int {
		if a.at != b.at {
			if a.at < b.at {
				return -1
			}
			return 1
		}
		return int(a.owner) - int(b.owner)
	})
	return ring{points, bits}
}

func (r ring) of(hash uint64) int {
	low, high := 0, len(r.points)
	for low < high {
		if middle := (low + high) / 2; r.points[middle].at < hash {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low == len(r.points) {
		low = 0
	}
	return int(r.points[low].owner)
}

// share fills in each partition's part of the circle.
func (r ring) share(parts []Partition) {
	space := float64(uint64(1)<<(r.bits-1)) * 2
	for i, p := range r.points {
		if p.owner < 0 {
			continue
		}
		arc := p.at - r.points[(i+len(r.points)-1)%len(r.points)].at // wraps for the first point at 64 bits
		if r.bits < 64 {
			arc &= 1<<r.bits - 1
		}
		part := &parts[p.owner]
		if len(r.points) == 1 {
			part.Fair = 1
			return
		}
		part.Fair += float64(arc) / space
	}
}

// shape writes the points.
func (r ring) shape(w io.Writer) {
	buf := make([]byte, 0, 10)
	for _, p := range r.points {
		buf = binary.BigEndian.AppendUint64(buf[:0], p.at)
		w.Write(binary.BigEndian.AppendUint16(buf, uint16(p.owner)))
	}
	fmt.Fprint(w, r.bits)
}
