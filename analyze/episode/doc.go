// Package episode says when a key was hot: from its requests per window to the stretches in which it was,
// with two thresholds, so that a rate near one of them does not flap.
//
//   - A window makes a key hot when it has certainly reached the upper threshold: by the lower bound of its
//     count, and where the window is a sample (of the traffic, or of the key's share) by more than chance.
//   - An episode ends with the third window in a row that lies certainly below the lower threshold, half of
//     the upper one. It runs from the first window that made it hot to the last at the lower threshold.
//   - A window with too few requests to tell is widened by those that follow. A window that cannot tell
//     because the key is below what it lists neither begins nor ends an episode, and is counted. Where there
//     is no window, nothing was requested: a gap, neither hot nor below.
//
// Intervals of Poisson counts are Garwood's (F. Garwood: Fiducial limits for the Poisson distribution.
// Biometrika 28, 1936, 437-442); the rule for sampled windows is the test that they come from.
package episode
