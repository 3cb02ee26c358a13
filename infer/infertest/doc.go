// Package infertest checks that a sampler is right: a conformance suite for
// any infer.Setup, importable by the tests of every sampler.
//
//	Conformance  exact: equal streams give equal bits, saved and restored
//	             chains continue with the same bits, damaged states are refused,
//	             kernels of one setup do not disturb each other, every
//	             coordinate moves, Info holds the densities of the position
//	Invariance   statistical: theta ~ prior, y ~ model(theta), some steps on y
//	             from theta: the distribution of (theta, y) must not change
//	Ranks        statistical: simulation-based calibration from the sampler's
//	             own starts; detects coordinates that never move, which
//	             Invariance cannot
//
// A check reports through TB, so that it can be run on a sampler with a
// planted fault and must reject it (MustReject). Faults come as wrappers of any
// sampler (faults.go) and as flags of a plain reference sampler (reference_test.go).
//
// Statistical checks state false alarms and power. Their seed is fixed, or,
// with GLMBATCH_STAT=1, fresh and printed (GLMBATCH_SEED repeats one), with more
// replications.
//
// Read tb.go, then cases.go, then invariance.go,
// ranks.go, conformance.go and bits.go, which hashes chains. The models are in
// cases.go, grid.go, horseshoe.go and smooths.go,
// with draws of parameters and responses by definition; statistics.go has what is
// compared, their densities by the textbook among it, and how. Planted faults:
// faults.go and reference_test.go.
package infertest
