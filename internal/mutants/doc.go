// Command mutants plants faults in the code, one at a time, and prints which of
// them the tests find. "make mutants" runs it; see docs/design/mutants.md.
//
// The faults are in faults.txt, each with the tests that must find it. A fault is given to the go command as an
// overlay: no file of the tree is touched, and what a fault does not reach comes from the build cache. The tests of
// each fault run without it first, and must pass.
//
// With -pinned it plants the faults of pinned.txt together in one build, switches them on one at a time, and runs tests
// of pinned draws alone.
//
// Read list.go (the list), plant.go (one fault), pinned.go (faults of draws), then main.go (flags, the rate).
package main
