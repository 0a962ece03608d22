package accesslog

import (
	"bytes"

	"keyskew/ingest/names"
	"keyskew/ingest/request"
)

// maxNames bounds the methods that are told apart, maxLabels the partitions and tenants, maxLabel the
// length of each in bytes.
const (
	maxNames  = 1024
	maxLabel  = 256
	maxLabels = 1 << 16
)

// noMethod names a request whose method the log does not say.
const noMethod = "?"

// methodNames numbers the methods of an input, in upper case: number 0 is noMethod, and behind it come
// those that are known.
func methodNames() *names.Labels {
	return names.NewLabels(maxNames, maxLabel, append([]string{noMethod}, request.MethodNames()...)...)
}

// command returns the number of a method's name, what it does, and to what effect.
func (d *decoder) command(b []byte) (uint16, request.Op, request.Algebra) {
	if len(b) == 0 {
		return 0, request.Other, 0
	}
	m := request.MethodNumber(b)
	if m < 0 {
		d.upper = append(d.upper[:0], b...)
		for i, c := range d.upper {
			if c-'a' < 26 {
				d.upper[i] = c - ('a' - 'A')
			}
		}
		return uint16(d.names.Of(bytes.TrimSpace(d.upper))), request.Other, 0
	}
	op, algebra := request.MethodOp(m)
	return uint16(m + 1), op, algebra
}
