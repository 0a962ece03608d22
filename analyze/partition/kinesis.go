package partition

import (
	"crypto/md5"
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
)

var kinesis = Partitioner{
	ID:         "kinesis",
	Title:      "Kinesis data stream",
	Text:       "MD5(partition key), a number of 128 bits, lies in the range of one open shard. A number of shards divides the 128 bits evenly, as a new stream does; after splits and merges give the output of list-shards. Records sent with an explicit hash key lie elsewhere.",
	Source:     "Amazon Kinesis Data Streams API reference, PutRecord and HashKeyRange",
	Encodings:  []Encoding{encUTF8},
	Shards:     "shard",
	Topologies: []string{"kinesis-shards"},
	build: func(o Options) (plan, error) {
		given, title := evenHashes(o.Shards), "Kinesis, "+count(o.Shards, "even shard")
		if o.Map != nil {
			given = o.Map.Hashes
			title = "Kinesis, " + count(len(given), "open shard")
		}
		r, parts, err := newHashRanges(given, math.Pow(2, 128))
		if err != nil {
			return plan{}, err
		}
		return plan{
			title: title, parts: parts, shape: r.shape,
			place: func(key []byte) int {
				sum := md5.Sum(key)
				return r.of(wide{binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:])})
			},
		}, nil
	},
}

// evenHashes divides 128 bits into n ranges of equal size; the last takes what is left.
func evenHashes(n int) []HashRange {
	ranges := make([]HashRange, n)
	if n == 0 {
		return nil
	}
	// size is 2^128 / n, rounded down: 2^128 - 1 has one more only where n divides 2^128.
	high, rest := math.MaxUint64/uint64(n), math.MaxUint64%uint64(n)
	low, rest := bits.Div64(rest, math.MaxUint64, uint64(n))
	size := wide{high, low}
	if rest == uint64(n)-1 {
		size.low++
		if size.low == 0 {
			size.high++
		}
	}
	var first wide
	for i := range ranges {
		lowSum, carry := bits.Add64(first.low, size.low, 0)
		next := wide{first.high + size.high + carry, lowSum}
		last := next.minus(wide{0, 1})
		if i == n-1 {
			last = wide{math.MaxUint64, math.MaxUint64}
		}
		ranges[i] = HashRange{first: first, last: last, Partition: strconv.Itoa(i)}
		first = next
	}
	return ranges
}
