// Package assess looks at draws: it measures them while a fit grows, and judges the fit when it has its length.
//
// Its types are the later stages of a fit, each holding the one before: Prepared (the sampler is set up), Drawn
// (the chains have their length), Judged (there are a verdict and all that a ledger keeps). Package draw makes the
// first two; Judge and Answer make the last. Draws are read from the spool in blocks of columns, so that memory
// does not grow with their number. The package does not import the ledger.
//
// Read stages.go first; then
//
//   - draws.go: what is spooled of a draw, and how it is read in the units of the data;
//   - check.go, measure.go, hamiltonian.go: measures of a window, and whether a fit may stop;
//   - gating.go: what gates look at;
//   - derive.go, curves.go, allocations.go: quantities, smooths and components of rows computed from each draw;
//   - incomplete.go: missing cells that were drawn, compared with observed ones;
//   - pooled.go: draws of several imputations, and Rubin's rules;
//   - labels.go: what the components of mixtures were called;
//   - pending.go: draws of a fit that is stored later;
//   - assess.go, kfold.go, condition.go, sensitivity.go: what a run may ask for besides;
//   - forecast.go, theorem.go: what was forecast of the chains, and what they do;
//   - record.go: the verdict and the ledger's record.
package assess
