// Package analyze counts requests in fixed memory and answers what is hot, where and when.
//
// Batches of requests enter, a Diagnosis leaves, in these steps:
//
//  1. A Collector hands out sinks. Each takes the batches of one chunk and counts them exactly, per
//     region (a fixed, aligned stretch of the input) and second.
//  2. Finished sinks are folded, in input order, into open seconds; a second that is complete is merged
//     once into the Summary: the table of keys, Count-Min, HyperLogLog, key sample, partition loads,
//     windows and blocks.
//  3. Summaries merge: Merge only adds, Compact truncates, bytes are canonical.
//  4. Diagnose computes the answer, after the last merge.
//
// What belongs to a region or a second depends on the record alone, never on how the input was cut into
// chunks or on how many workers there were: so the same input gives the same bytes.
package analyze
