// Package run carries out a pipeline: it reads each data set, samples every fit
// on a bounded number of workers, grows chains until their target holds, and
// commits what is finished to the ledger.
//
// A fit is isolated: what cannot be read, set up or sampled costs its own fits
// only. Nothing that decides bits depends on time, load or worker count.
//
// Read schedule.go (how long a fit gets), then fingerprint.go (what a fit is),
// then run.go, units.go, fit.go, chain.go, measure.go, derive.go, commit.go and ledger.go;
// plan.go for dry runs, finished.go for what is committed later.
package run
