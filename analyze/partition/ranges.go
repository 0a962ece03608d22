package partition

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

var ranges = Partitioner{
	ID:         "ranges",
	Title:      "ranges of keys",
	Text:       "Stores that keep keys in order: HBase regions, Bigtable tablets, CockroachDB, TiDB and YugabyteDB ranges, ranged shard keys of MongoDB. A key-ranges file says which partition holds the keys from where to where, in the order of their bytes; a key in no range is not placed.",
	Source:     "HBase reference guide, \"Regions\"; CockroachDB, SHOW RANGES",
	Encodings:  []Encoding{encUTF8, encInt32, encInt64, encUUID, encHex, encBase64},
	Topologies: []string{"key-ranges"},
	build: func(o Options) (plan, error) {
		sorted := slices.Clone(o.Map.Ranges)
		slices.SortStableFunc(sorted, func(a, b KeyRange) int { return bytes.Compare(a.Start, b.Start) })
		var parts []Partition
		index, owner := map[string]int16{}, make([]int16, len(sorted))
		for i, r := range sorted {
			if i > 0 && (len(sorted[i-1].End) == 0 || bytes.Compare(r.Start, sorted[i-1].End) < 0) {
				return plan{}, fmt.Errorf("ranges of %s and %s overlap at the key %q", sorted[i-1].Partition, r.Partition, r.Start)
			}
			at, known := index[r.Partition]
			if !known {
				if len(parts) == MaxPartitions {
					return plan{}, fmt.Errorf("more than %d partitions: no more can be told apart", MaxPartitions)
				}
				at = int16(len(parts))
				index[r.Partition] = at
				parts = append(parts, Partition{ID: r.Partition, Node: r.Node})
			}
			owner[i] = at
		}
		for i := range parts {
			parts[i].Fair = 1 / float64(len(parts))
		}
		return plan{
			title: fmt.Sprintf("ranges of keys, %s in %s", count(len(sorted), "range"), count(len(parts), "partition")),
			parts: parts,
			place: func(key []byte) int {
				low, high := 0, len(sorted) // the first range that starts after the key
				for low < high {
					if middle := (low + high) / 2; bytes.Compare(sorted[middle].Start, key) <= 0 {
						low = middle + 1
					} else {
						high = middle
					}
				}
				if low == 0 || len(sorted[low-1].End) > 0 && bytes.Compare(key, sorted[low-1].End) >= 0 {
					return -1
				}
				return int(owner[low-1])
			},
			shape: func(w io.Writer) {
				for i, r := range sorted {
					w.Write(binary.BigEndian.AppendUint16(nil, uint16(owner[i])))
					fmt.Fprintf(w, "%q %q\n", r.Start, r.End)
				}
			},
		}, nil
	},
}
