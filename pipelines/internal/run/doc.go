// Package run carries out a pipeline: it admits fits, takes each through its stages (plan, draw, assess), and commits
// what is judged to the ledger.
//
// A fit is isolated: what cannot be read, set up or sampled costs its own fits only. Nothing that decides bits depends
// on time, load or worker count.
//
// Read run.go and fit.go first; then admission.go (what is under way at once), ledger.go (the single writer),
// mark.go (runs that the ledger does not have yet), known.go (what the ledger is asked), skip.go (stored fits, and
// fits of other runs), base.go (posteriors to start from), dryrun.go. Package outcome has the result of a run, and
// waiting the fits that it could not commit.
package run
