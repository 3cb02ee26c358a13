// Package draw carries out what plan has decided: it sets a sampler up, draws its chains side by side into the spool,
// and grows them until their target holds. It knows no ledger, so that a worker on another machine needs nothing else.
//
// Nothing that decides bits depends on time, load or worker count: where blocks end and when a check falls does not
// change a draw.
//
// Read draw.go first (Prepare, Open, Grow, Solve), then grow.go and chain.go; workers.go bounds
// what is done at once, and for how long.
package draw
