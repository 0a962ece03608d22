// Package sketch counts keys in bounded memory. Keys, their 64-bit hashes and weights enter; counts
// with bounds, distinct counts and a sample of keys leave. It knows no log format.
//
// Every structure here is merged by addition (or by maximum, or by the smallest value), so the parts of
// an input may be counted apart and put together in any order; what has to drop something to stay
// small does so in a step of its own. The textbook SpaceSaving is the exception, see there.
// Encodings are canonical: equal content gives equal bytes, and decoders refuse any other bytes.
//
// Hashes come from the caller. A key of any structure that is encoded must come with xxh3.Hash(key)
// (64 bits, no seed): hashes are not stored, DecodeHeavyHitters and DecodeKeySample compute them anew.
//
// No structure is safe for use by several goroutines at once.
//
// # The heavy hitters and why their bounds hold
//
// HeavyHitters keeps, per key x, a counter g(x) and what was deducted from it since it came in, cov(x),
// and one offset for the whole table. With f(x) the true weight of x, at any time
//
//	g(x) + cov(x) <= f(x) <= g(x) + offset    for a key in the table,
//	            0 <= f(x) <= offset           for any other key.
//
// Proof, by induction over the operations. The empty table: f = offset = 0. Add(x, n) of a key in the
// table raises f, g and both sides by n. Add of a new key, which had 0 <= f <= offset before, sets
// g = n and cov = 0: n <= f + n <= n + offset. Compact takes d off: an entry that stays has
// (g-d) + (cov+d) = g + cov and (g-d) + (offset+d) = g + offset, both sides as before. A pinned entry
// loses e = min(g, d): the lower side is as before and the upper one, g - e + offset + d, no smaller. A dropped
// entry had g <= d, so f <= g + offset <= d + offset, the new offset. Merge adds the inequalities of
// both tables, with g = cov = 0 for the table that does not hold the key. Saturation keeps both sides,
// read as bounds on min(f, 2^64-1), since it never moves a sum across that value.
//
// So cov(x) = offset means that x never missed a count: it is exact.
//
// The offset is small. Compact(k) takes d off at least k+1 counters that are >= d, and only Add raises
// the sum of the counters, to at most N, the total weight. Hence if all compactions kept at least k
// entries, in all parts of a merge, (k+1) offset <= N, and every key with f > N/(k+1) is in the table.
// Pins do not weaken this: the k+1 largest lose d, pinned or not.
//
// This is the summary of Misra and Gries (1982, "Finding repeated elements", Science of Computer
// Programming 2(2), 143-152) with its decrements taken in batches; its merge and the reduction by the (k+1)-th largest
// counter are those of Agarwal, Cormode, Huang, Phillips, Wei and Yi (2012, "Mergeable summaries",
// PODS). They also show that Space-Saving (Metwally, Agrawal and El Abbadi 2005, "Efficient computation
// of frequent and top-k elements in data streams", ICDT) with k+1 counters is the Misra-Gries summary
// with k counters shifted by one number: a Misra-Gries decrement by 1 and a Space-Saving takeover of
// the smallest counter are one step, the smallest counter is the offset, and Space-Saving's count is
// g + offset. The shifted form is kept here because it is the one that merges by plain addition. Cov
// is ours: it remembers what a key lost while it was in the table, which tells an exact count from one that
// may lack its beginning.
package sketch
