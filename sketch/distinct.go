package sketch

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/axiomhq/hyperloglog"
)

// The precisions of Distinct: 2^precision registers of one byte.
const (
	minPrecision = 4
	maxPrecision = 18
)

// Distinct estimates how many distinct keys were added, by HyperLogLog (Flajolet, Fusy, Gandouet and
// Meunier 2007, AofA), as github.com/axiomhq/hyperloglog implements it (LogLog-Beta estimator, Qin, Kim and
// Tung 2016). Registers are dense from the first key on: the library's sparse form has bytes and
// estimates that depend on the order of merges, and compacts itself when asked for an estimate.
type Distinct struct {
	precision uint8
	registers *hyperloglog.Sketch // dense; nil while nothing was added
}

// NewDistinct returns an empty counter of 2^precision registers, precision 4 to 18. Its memory is taken
// when the first key is added.
func NewDistinct(precision uint8) (*Distinct, error) {
	if precision < minPrecision || precision > maxPrecision {
		return nil, fmt.Errorf("sketch: HyperLogLog precision %d: want %d to %d", precision, minPrecision, maxPrecision)
	}
	return &Distinct{precision: precision}, nil
}

// newRegisters cannot fail: precision was checked when the counter was made.
func newRegisters(precision uint8) *hyperloglog.Sketch {
	s, err := hyperloglog.NewSketch(precision, false)
	if err != nil {
		panic(err)
	}
	return s
}

// Add adds a key by its hash.
func (d *Distinct) Add(hash uint64) {
	if d.registers == nil {
		d.registers = newRegisters(d.precision)
	}
	d.registers.InsertHash(hash)
}

// DistinctError is the relative standard error of a counter of 2^precision registers: 1.04/sqrt(2^precision).
func DistinctError(precision uint8) float64 {
	return 1.04 / math.Sqrt(math.Ldexp(1, int(precision)))
}

// Estimate returns the number of distinct keys, with two standard errors as its interval (about 95%).
// An empty counter says exactly 0. It changes nothing.
func (d *Distinct) Estimate() Estimate {
	if d.registers == nil {
		return Exact(0)
	}
	// Only registers made up by hand reach 2^63; beyond 2^64 the library's result is not defined.
	v := float64(min(d.registers.Estimate(), 1<<63))
	margin := 2 * DistinctError(d.precision) * v
	return Estimate{Value: v, Lower: max(0, v-margin), Upper: v + margin}
}

// Merge adds the keys of other, which it leaves as it is. Unlike precisions are refused with ErrUnlike.
func (d *Distinct) Merge(other *Distinct) error {
	if d.precision != other.precision {
		return fmt.Errorf("%w: HyperLogLog precision %d and %d", ErrUnlike, d.precision, other.precision)
	}
	if other.registers == nil {
		return nil
	}
	if d.registers == nil {
		d.registers = other.registers.Clone()
		return nil
	}
	return d.registers.Merge(other.registers)
}

// Clone returns an independent copy.
func (d *Distinct) Clone() *Distinct {
	c := *d
	if d.registers != nil {
		c.registers = d.registers.Clone()
	}
	return &c
}

// Bytes is the memory held.
func (d *Distinct) Bytes() int {
	if d.registers == nil {
		return 0
	}
	return 1 << d.precision
}

// libraryHeader is what the library puts before dense registers: version 2, precision, no bias, dense,
// and the number of registers.
func libraryHeader(precision uint8) []byte {
	return binary.BigEndian.AppendUint32([]byte{2, precision, 0, 0}, 1<<precision)
}

// AppendBinary appends the counter to dst: the precision, then the registers, each run of empty ones as a 0 and its
// length as a varint. An empty counter is the precision alone.
func (d *Distinct) AppendBinary(dst []byte) []byte {
	return appendFrame(dst, tagDistinct, func(b []byte) []byte {
		b = append(b, d.precision)
		if d.registers == nil {
			return b
		}
		raw, err := d.registers.MarshalBinary()
		if err != nil {
			panic(err) // the library refuses only a precision that newRegisters could not have made
		}
		registers := raw[len(libraryHeader(d.precision)):]
		for i := 0; i < len(registers); {
			run := i
			for run < len(registers) && registers[run] == 0 {
				run++
			}
			if run > i {
				b = append(b, 0)
				b = binary.AppendUvarint(b, uint64(run-i))
				i = run
				continue
			}
			b = append(b, registers[i])
			i++
		}
		return b
	})
}

// DecodeDistinct reads a counter from the start of src and returns it with what follows it.
func DecodeDistinct(src []byte) (d *Distinct, rest []byte, err error) {
	r, rest, err := openFrame(src, tagDistinct)
	if err != nil {
		return nil, nil, err
	}
	precision := r.byte()
	if r.err != nil {
		return nil, nil, r.err
	}
	d, err = NewDistinct(precision)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if len(r.b) == 0 {
		return d, rest, nil
	}
	raw := readRegisters(r, precision)
	if err := r.done(); err != nil {
		return nil, nil, err
	}
	d.registers = newRegisters(precision)
	if err := d.registers.UnmarshalBinary(raw); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return d, rest, nil
}

// readRegisters returns the registers in the library's encoding.
func readRegisters(r *reader, precision uint8) []byte {
	raw := libraryHeader(precision)
	size := len(raw) + 1<<precision
	for gap, any := false, false; len(raw) < size && r.err == nil; {
		v := r.byte()
		if v > 0 {
			raw = append(raw, v)
			gap, any = false, true
			continue
		}
		run := r.uvarint()
		left := size - len(raw)
		// Registers that are all empty are those of an empty counter, which has a shorter form.
		if run == 0 || gap || run > uint64(left) || run == uint64(left) && !any {
			r.fail("run of %d empty registers", run)
			break
		}
		raw = append(raw, make([]byte, run)...)
		gap = true
	}
	return raw
}
