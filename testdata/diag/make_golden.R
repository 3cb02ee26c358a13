# Makes the golden numbers of infer/diag with the R package posterior.
#
#   cd testdata/diag && Rscript make_golden.R      (Debian: r-cran-posterior)
#
# Writes draws/<case>.csv, one column a chain, exact (hexadecimal floats), and
# golden.csv (case, measure, value) with 17 significant digits. R's NA is "NA".
# beta.csv holds quantiles of the Beta distribution (p, a, b, value).

suppressMessages(library(posterior))
options(warn = -1) # posterior warns whenever it caps an ESS
set.seed(20260101, kind = "Mersenne-Twister", normal.kind = "Inversion")

chains <- function(m, n, draw) matrix(unlist(lapply(seq_len(m), function(c) as.double(draw(n)))), nrow = n)
ar <- function(rho) function(n) as.double(stats::filter(rnorm(n, sd = sqrt(1 - rho^2)), rho, "recursive", init = rnorm(1)))
sticky <- function(n) { # a Metropolis chain: many repeated draws
  x <- double(n)
  for (i in 2:n) {
    y <- x[i - 1] + 2.4 * rnorm(1)
    x[i] <- if (log(runif(1)) < (x[i - 1]^2 - y^2) / 2) y else x[i - 1]
  }
  x
}
with <- function(x, at, value) { x[at] <- value; x }

cases <- list(
  iid = chains(4, 1000, rnorm),
  ar_0.9 = chains(4, 500, ar(0.9)),
  ar_0.99 = chains(4, 600, ar(0.99)), # needs far more lags than are summed directly
  ar_minus_0.5 = chains(4, 250, ar(-0.5)),
  ar_minus_0.95 = chains(4, 100, ar(-0.95)), # ESS is capped
  random_walk = chains(2, 700, function(n) cumsum(rnorm(n))),
  trend = chains(3, 150, function(n) seq_len(n) / 50 + rnorm(n)),
  cauchy = chains(4, 250, rcauchy),
  lognormal_wide = chains(4, 100, function(n) exp(10 * rnorm(n))),
  horseshoe = chains(2, 200, function(n) rcauchy(n) * rnorm(n)^3),
  one_chain = chains(1, 400, rnorm),
  one_chain_odd = chains(1, 401, ar(0.7)),
  short_2x10 = chains(2, 10, rnorm),
  odd_3x101 = chains(3, 101, ar(0.3)),
  odd_4x7 = chains(4, 7, rnorm),
  many_chains = chains(32, 12, rnorm),
  shifted_chain = chains(4, 200, rnorm) + rep(c(0, 0, 0, 2), each = 200),
  scaled_chain = chains(4, 200, rnorm) * rep(c(1, 1, 1, 4), each = 200), # only the folded R-hat sees it
  poisson = chains(4, 200, function(n) rpois(n, 3)),
  rounded = chains(2, 151, function(n) round(rnorm(n), 1)),
  sticky = chains(4, 300, sticky),
  binary = chains(4, 100, function(n) rbinom(n, 1, 0.3)),
  rare = chains(4, 100, function(n) rbinom(n, 1, 0.03)),
  clipped = pmin(chains(4, 100, rnorm), 1), # 16 % of the draws are the largest
  two_values = matrix(rep(c(-1, 1, 1, -1), 100), 100), # folded draws are constant
  offset = 1e6 + chains(4, 100, rnorm),
  large = 1e30 * chains(2, 60, rnorm),
  constant = matrix(0.1, 50, 4),
  constant_within = matrix(rep(c(1, 2, 3.5, 7), each = 50), 50),
  one_constant = with(chains(4, 100, rnorm), 201:300, 0.25),
  signed_zeros = chains(2, 40, function(n) sample(c(-1, -0, 0, 1), n, TRUE)),
  antithetic = { x <- chains(2, 80, rnorm); cbind(x, -x) },
  alternating = chains(2, 50, function(n) (-1)^seq_len(n) + 0.01 * rnorm(n)),
  nan = with(chains(4, 50, rnorm), 77, NaN),
  inf = with(chains(4, 50, rnorm), 77, Inf),
  both_inf = with(with(chains(4, 50, rnorm), 77, Inf), 120:125, -Inf),
  mostly_inf = with(chains(2, 20, rnorm), 1:30, Inf)
)
for (n in 1:9) for (m in 1:3) cases[[sprintf("tiny_%dx%d", m, n)]] <- chains(m, n, rnorm)

number <- function(expr) {
  x <- tryCatch(unname(as.double(expr)), error = function(e) NA)
  if (is.na(x)) "NA" else sprintf("%.17g", x)
}

measure <- function(x) {
  out <- c(rhat = number(rhat(x)), ess_bulk = number(ess_bulk(x)), ess_tail = number(ess_tail(x)),
    ess_mean = number(ess_mean(x)), ess_sd = number(ess_sd(x)),
    mcse_mean = number(mcse_mean(x)), mcse_sd = number(mcse_sd(x)),
    mean = number(mean(x)), sd = number(stats::sd(x)))
  for (p in c(0, 0.05, 0.25, 0.5, 0.95, 1)) {
    out[paste0("ess_quantile_", p)] <- number(ess_quantile(x, p))
    out[paste0("mcse_quantile_", p)] <- number(mcse_quantile(x, p))
  }
  for (p in c(0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975))
    out[paste0("quantile_", p)] <- number(quantile(x, p, type = 7))
  out
}

unlink("draws", recursive = TRUE)
dir.create("draws")
golden <- c(
  paste0("# posterior ", packageVersion("posterior"), ", R ", getRversion(), ", made by make_golden.R"),
  "case,measure,value")
for (name in names(cases)) {
  x <- unname(cases[[name]])
  lines <- apply(x, 1, function(row) paste(sprintf("%a", row), collapse = ","))
  writeLines(lines, file.path("draws", paste0(name, ".csv")))
  value <- measure(x)
  golden <- c(golden, paste(name, names(value), value, sep = ","))
}
writeLines(golden, "golden.csv")

beta <- "p,a,b,value"
for (a in c(0.5, 1, 1.5, 3.5, 20, 396, 2001, 1e5)) for (b in c(0.5, 1, 1.5, 3.5, 20, 396, 2001))
  for (p in c(1e-7, 0.01, 0.1586553, 0.5, 0.8413447, 0.999))
    beta <- c(beta, paste(sprintf("%.17g", c(p, a, b, qbeta(p, a, b))), collapse = ","))
writeLines(beta, "beta.csv")
