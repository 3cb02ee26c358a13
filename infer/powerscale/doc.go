// Package powerscale measures how much a posterior changes when its prior, or its likelihood, is raised to a power
// near 1: a prior whose power moves a marginal posterior much rules it, or disagrees with the data.
//
// It sees the log prior and log likelihood of each draw and the draws of one quantity at a time; the posterior under
// the changed power is that of the same draws with importance weights, and the distance of two posteriors that of their
// weighted distribution functions. No new draws are needed.
//
// Source: Kallioinen, Paananen, Bürkner and Vehtari (2024), Detecting and diagnosing prior and likelihood sensitivity
// with power-scaling, doi:10.1007/s11222-023-10366-5; the distance: Nguyen and Vreeken (2015), Non-parametric
// Jensen-Shannon divergence, doi:10.1007/978-3-319-23525-7_11. Powers are those of their R package priorsense, 0.99 and
// 1.01. Its weights are Pareto-smoothed, which so small a change does not need: these are not.
//
// Read powerscale.go.
package powerscale
