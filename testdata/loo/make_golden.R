# Makes the golden numbers of infer/loo with the R package loo, once:
#   cd testdata/loo && Rscript make_golden.R
# Debian's r-cran-loo 2.5.1. Each case is a matrix of log likelihoods; its file
# has one row per observation, the draws of chain 1, then those of chain 2, ….
#
# Lengths per chain are products of 2, 3 and 5, or there is one chain: for other
# lengths loo 2.5.1 scales autocovariances within chains, but not the variance
# between chains, by a factor M/N of its transform's padding.
suppressMessages(library(loo))
options(digits = 17)
set.seed(20260101)

ar <- function(n, rho) as.numeric(stats::filter(rnorm(n) * sqrt(1 - rho^2), rho, method = "recursive"))

# gaussian responses y around a mean whose posterior is narrow: rows far away
# have heavy weights.
rows <- function(y, chains, draws, rho, sd, digits = NULL) {
  t(sapply(y, function(v) {
    mu <- unlist(lapply(seq_len(chains), function(c) sd * ar(draws, rho)))
    ll <- dnorm(v, mu, 1, log = TRUE)
    if (is.null(digits)) ll else round(ll, digits)
  }))
}

cases <- list(
  plain  = list(chains = 4, ll = rows(c(0, 0.5, -1, 2, 4), 4, 150, 0.3, 0.2)),
  heavy  = list(chains = 2, ll = rows(c(1, 5, -9, 20), 2, 300, 0.6, 0.5)),
  odd    = list(chains = 1, ll = rows(c(0, 3, -6), 1, 397, 0.5, 0.4)),
  three  = list(chains = 3, ll = rows(c(0.2, 2, 7), 3, 135, -0.4, 0.3)),
  ties   = list(chains = 2, ll = rows(c(0, 2, 5), 2, 160, 0.2, 0.3, digits = 1)),
  small  = list(chains = 2, ll = rows(c(0, 1), 2, 10, 0, 0.2)),
  tiny   = list(chains = 4, ll = rows(c(0, 2, 3), 4, 100, 0.9, 0.2) - 500)
)

out <- NULL
for (name in names(cases)) {
  case <- cases[[name]]
  ll <- t(case$ll)
  draws <- nrow(ll) / case$chains
  # relative_eff takes likelihoods; their scale does not matter, and keeps exp from 0
  shifted <- exp(sweep(ll, 2, apply(ll, 2, max)))
  r_eff <- relative_eff(shifted, chain_id = rep(seq_len(case$chains), each = draws))
  l <- suppressWarnings(loo(ll, r_eff = r_eff))
  scaled <- suppressWarnings(loo(log(shifted), r_eff = r_eff)) # mcse_elpd takes squares of likelihoods
  w <- suppressWarnings(waic(ll))
  writeLines(apply(t(ll), 1, function(v) paste(sprintf("%.17g", v), collapse = ",")), paste0(name, ".csv"))
  e <- function(x) x$estimates
  total <- c(e(l)["elpd_loo", ], e(l)["p_loo", ], e(w)["elpd_waic", ], e(w)["p_waic", ])
  out <- rbind(out, data.frame(row.names = NULL, case = name, chains = case$chains, row = seq_len(ncol(ll)),
    elpd = l$pointwise[, "elpd_loo"], p = l$pointwise[, "p_loo"], k = l$diagnostics$pareto_k,
    waic = w$pointwise[, "elpd_waic"], pwaic = w$pointwise[, "p_waic"], reff = r_eff,
    mcse = scaled$pointwise[, "mcse_elpd_loo"],
    sum_elpd = total[1], se_elpd = total[2], sum_p = total[3], se_p = total[4],
    sum_waic = total[5], se_waic = total[6]))
}
num <- sapply(out, is.numeric)
out[num] <- lapply(out[num], function(v) ifelse(is.infinite(v), "Inf", sprintf("%.17g", v)))
write.csv(out, "golden.csv", row.names = FALSE, quote = FALSE)

# Importance weights of the rows above, from the files: their squares, and the mean place of a draw under them, from 1.
weights_of <- function(name) {
  ll <- t(as.matrix(read.csv(paste0(name, ".csv"), header = FALSE)))
  r_eff <- out$reff[out$case == name]
  w <- weights(suppressWarnings(psis(-ll, r_eff = as.numeric(r_eff))), log = FALSE)
  data.frame(case = name, row = seq_len(ncol(ll)), squares = sprintf("%.17g", colSums(w^2)),
    place = sprintf("%.17g", colSums(w * seq_len(nrow(ll)))))
}
write.csv(do.call(rbind, lapply(names(cases), weights_of)), "smoothed.csv", row.names = FALSE, quote = FALSE)
