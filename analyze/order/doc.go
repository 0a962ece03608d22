// Package order finds keys that arrive in the order of their names: ids that count up or hold the time. A
// store that keeps ranges of keys together writes all of them to one place.
//
// A sample of keys enters, each with when it was first seen and first written; verdicts on families of keys
// leave. A family is what keys have in common when the parts that vary are left out (user:{int}:cart). Its
// keys are taken in the order of their arrival, and the second half is held against the first: does it
// rise (Spearman's rho), and does it fall into one place between the keys of the first half (Measure)? On
// random orders both together were never met in 50,000 runs. Looking at the second half alone, and at
// places, does without the mistakes of one correlation over everything (as MongoDB's analyzeShardKey takes,
// 0.7 or more): random keys of which a later batch begins with another letter have 0.75, two sequences that
// take turns 0.5.
//
// Keys are compared by their bytes, and where they hold numbers of unlike length by these too: a store that
// splits ranges of strings suffers from the first order, one that splits ranges of integers from the second.
// Hashed placement suffers from neither.
package order
