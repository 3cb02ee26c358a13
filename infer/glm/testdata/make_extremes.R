# Writes extremes.csv: log densities of one row and their first and negative
# second derivatives in eta, at the ends of what doubles hold, computed with
# 3000 bits. Each density is a sum of terms; the columns scale0 to scale2 are the
# sums of the terms' magnitudes, which rounding errors are relative to.
# Run in this folder: Rscript make_extremes.R  (R 4.2, Rmpfr 0.9)
library(Rmpfr)
B <- 3000
M <- function(x) mpfr(x, B)
two <- M(2)
logp <- list(
  logit = function(e) -log1p(exp(-e)), probit = function(e) pnorm(e, log.p = TRUE),
  cloglog = function(e) log(-expm1(-exp(e))), cauchit = function(e) log(M(1) / 2 + atan(e) / Const("pi", B)))
logq <- list(
  logit = function(e) -log1p(exp(e)), probit = function(e) pnorm(-e, log.p = TRUE),
  cloglog = function(e) -exp(e), cauchit = function(e) log(M(1) / 2 - atan(e) / Const("pi", B)))
mean_of <- list(identity = function(e) e, log = exp, inverse = function(e) 1 / e, sqrt = function(e) e^2,
  `1/mu^2` = function(e) 1 / sqrt(e))
l2pi <- log(2 * Const("pi", B))
terms <- function(family, link, y, m, a, nu) {
  mu <- mean_of[[link]]
  switch(family,
    gaussian = list(function(e) -(y - mu(e))^2 / (2 * a^2), function(e) -log(a) - l2pi / 2),
    student_t = list(function(e) -(nu + 1) / 2 * log1p(((y - e) / a)^2 / nu),
      function(e) lgamma((nu + 1) / 2) - lgamma(nu / 2) - log(nu * Const("pi", B)) / 2 - log(a)),
    binomial = c(if (y > 0) list(function(e) y * logp[[link]](e)), if (m > y) list(function(e) (m - y) * logq[[link]](e)),
      list(function(e) lgamma(m + 1), function(e) -lgamma(y + 1), function(e) -lgamma(m - y + 1))),
    poisson = c(if (y > 0) list(function(e) y * log(mu(e))), list(function(e) -mu(e), function(e) -lgamma(y + 1))),
    negative_binomial = c(if (y > 0) list(function(e) -y * log1p(a / mu(e))), list(function(e) -a * log1p(mu(e) / a),
      function(e) lgamma(y + a), function(e) -lgamma(a), function(e) -lgamma(y + 1))),
    gamma = list(function(e) a * log(a), function(e) -a * log(mu(e)), function(e) -lgamma(a), function(e) (a - 1) * log(y), function(e) -a * y / mu(e)),
    inverse_gaussian = list(function(e) log(a) / 2, function(e) -l2pi / 2, function(e) -1.5 * log(y), function(e) -a * y / (2 * mu(e)^2),
      function(e) a / mu(e), function(e) -a / (2 * y)),
    beta = { p <- function(e) 1 / (1 + exp(-e)); q <- function(e) 1 / (1 + exp(e))
      list(function(e) lgamma(a), function(e) -lgamma(a * p(e)), function(e) -lgamma(a * q(e)),
        function(e) (a * p(e) - 1) * log(y), function(e) (a * q(e) - 1) * log1p(-y)) })
}
rows <- NULL
number <- function(x) formatMpfr(x, digits = 20, scientific = TRUE)
add <- function(family, link, y, eta, m = 1, a = 1, nu = 1) {
  e <- M(eta); h <- M("1e-60") * abs(e)
  sums <- lapply(1:6, function(i) M(0))
  for (f in terms(family, link, M(y), M(m), M(a), M(nu))) {
    lo <- f(e - h); at <- f(e); hi <- f(e + h)
    v <- list(at, (hi - lo) / (2 * h), -((hi - at) - (at - lo)) / h^2)
    for (k in 1:3) { sums[[k]] <- sums[[k]] + v[[k]]; sums[[3 + k]] <- sums[[3 + k]] + abs(v[[k]]) }
  }
  rows <<- rbind(rows, c(family, link, sprintf("%.17g", c(y, m, eta, a, nu)), sapply(sums, number)))
}
far <- c(-700, -40, -1e-3, 0.5, 40, 700)
pos <- c(1e-150, 1e-6, 0.7, 700, 1e100)
for (e in far) {
  for (l in names(logp)) for (y in 0:1) add("binomial", l, y, e)
  for (l in names(logp)) if (abs(e) < 700) add("binomial", l, 3e8, e, 1e9)
  add("gaussian", "identity", 1e9, e, a = 0.5); add("gaussian", "log", 2, e, a = 0.5)
  for (y in c(0.25, 1e9)) add("student_t", "identity", y, e, a = 0.5, nu = 3)
  for (y in c(0, 3, 1e9)) { add("poisson", "log", y, e); add("negative_binomial", "log", y, e, a = 2) }
  for (y in c(1e-9, 1.5, 1e9)) { add("gamma", "log", y, e, a = 2); add("inverse_gaussian", "log", y, e, a = 2) }
  for (y in c(1e-150, 0.3, 1 - 2^-53)) add("beta", "logit", y, e, a = 5)
}
for (e in c(log(1e9), log(1e9) + 1e-4)) {
  add("poisson", "log", 1e9, e); add("negative_binomial", "log", 1e9, e, a = 2); add("negative_binomial", "log", 1e9, e, a = 1e6)
}
for (e in c(-1e-9, 1e-9)) for (l in names(logp)) add("binomial", l, 5e8, e, 1e9)
for (e in c(-1e15, 1e15)) for (y in 0:1) add("binomial", "cauchit", y, e)
for (e in pos) {
  for (l in c("sqrt", "identity")) for (y in c(0, 3, 1e9)) add("poisson", l, y, e)
  add("gaussian", "inverse", 2, e, a = 0.5)
  for (y in c(1e-9, 1.5, 1e9)) { add("gamma", "inverse", y, e, a = 2); add("inverse_gaussian", "1/mu^2", y, e, a = 2) }
}
add("poisson", "sqrt", 1e9, sqrt(1e9)); add("poisson", "identity", 1e9, 1e9)
colnames(rows) <- c("family", "link", "y", "trials", "eta", "dispersion", "nu", "value", "slope", "curvature", "scale0", "scale1", "scale2")
write.csv(rows, "extremes.csv", row.names = FALSE, quote = FALSE)
