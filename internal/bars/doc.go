// Command bars prints the seconds of one core that "method: auto" needs for a posterior, next to those of the plain
// scalar sampler of the paper and of NUTS, and whether the ratios reach their bars. "make bench" runs it.
//
// It is a user of package pipelines: every figure comes from the ledger of a
// run of one fit with one chain, a new random stream each time, the samplers in
// turn. Its limits: what another process does to the caches is in the figures,
// and an effective sample size far from 100 is a guess of its own time to 100,
// which is marked.
//
// Besides it measures whole nights with all that surrounds their sampling: small fits, fits that wait for their
// commit, many stored draws, tall data.
//
// Grouped data have three rivals in R, if it has them: rstanarm, and programs of this project by rstan and by JAGS.
//
// Read cases.go (data and bars), then measure.go and peers.go, then table.go, then nightkinds.go, night.go and
// pending.go, then main.go.
package main
