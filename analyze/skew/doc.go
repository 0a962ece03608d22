// Package skew says how unequal the popularity of keys is: whether the largest keys fall as Zipf's law
// does, with which exponent and how sure that is, which keys stand out of it, and what more shards could
// change.
//
// Counts by rank enter, with their bounds, how many requests and distinct keys there are in all, and the
// counts per block of time; a Result leaves. All functions are pure.
//
// Zipf's law gives the key of rank r the share r^-s. Only the largest keys are fitted, by maximum
// likelihood, with neither the number of requests nor that of keys: the counts of rare keys are noise,
// and a line fitted to all ranks of a log-log plot says s = 0.75 where the truth is 1, and 0.4 for keys that
// are all alike, with as many requests as keys (Regression, for comparison). With 1/s = alpha - 1 the law of the sizes,
// P(count = x) ~ x^-alpha, is that of Clauset, Shalizi and Newman (Tail).
package skew
