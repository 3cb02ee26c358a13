# Holds five of the reference posteriors to integrals: Rscript quadrature.R DATA prints, for the intercept and the
# standard deviations of the models with one, the mean and sd by quadrature and how far the reference's mean is off, in
# its standard errors. Priors are written out here once more; no code is shared with references.R and the Stan programs.
library(jsonlite)
here <- dirname(normalizePath(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))))
base <- commandArgs(trailingOnly = TRUE)[1]

half_t <- function(x, scale) dt(x / scale, 3, log = TRUE)

# compare prints the moments of a grid's columns under unnormalised log weights.
compare <- function(name, grid, log_weight) {
  w <- exp(log_weight - max(log_weight))
  edge <- sapply(grid, function(x) sum(w[x == min(x) | x == max(x)])) / sum(w)
  p <- fromJSON(file.path(here, paste0(name, ".reference.json")))$parameters
  for (column in names(grid)) {
    x <- grid[[column]]
    m <- sum(w * x) / sum(w)
    s <- sqrt(sum(w * (x - m)^2) / sum(w))
    r <- p[[column]]
    cat(sprintf("%-14s %-24s mean %9.4f, reference %9.4f, z %5.2f; sd ratio %.3f; weight at the ends %.1e\n", name,
      column, m, r$mean, (r$mean - m) / r$mcse, r$sd / s, edge[[column]]))
  }
}

# dispersions returns points at equal distances of their logarithms.
dispersions <- function(from, to, points) exp(seq(log(from), log(to), length.out = points))

dyestuff <- function(name, m, tau, sigma, location, width, rate) {
  f <- read.csv(file.path(base, paste0(name, ".csv")))
  means <- tapply(f$Yield, f$Batch, mean)
  within <- sum((f$Yield - means[f$Batch])^2)
  g <- expand.grid("(Intercept)" = m, sd_Batch__Intercept = tau, sigma = sigma)
  spread <- sqrt(g[[2]]^2 + g[[3]]^2 / 5)
  l <- dnorm(g[[1]], location, width, log = TRUE) + half_t(g[[2]], width) - rate * g[[3]] + log(g[[2]]) + log(g[[3]]) -
    24 * log(g[[3]]) - within / (2 * g[[3]]^2)
  for (j in 1:6) l <- l + dnorm(means[[j]], g[[1]], spread, log = TRUE)
  compare(name, g, l)
}
dyestuff("Dyestuff", seq(1300, 1750, 5), dispersions(.05, 600, 120), dispersions(30, 110, 60), 1528, 158, .0159)
dyestuff("Dyestuff2", seq(-4, 16, .2), dispersions(.001, 40, 120), dispersions(2.2, 8, 60), 5.67, 9.29, .269)

# levels_out integrates the effects of a grouping out: log_likelihood has a row for each level, over the points eta.
# tau has equal steps of its logarithm.
levels_out <- function(name, group, eta, log_likelihood, m, tau, prior) {
  peak <- apply(log_likelihood, 1, max)
  likelihood <- exp(log_likelihood - peak)
  g <- expand.grid(m, tau)
  names(g) <- c("(Intercept)", sprintf("sd_%s__Intercept", group))
  l <- apply(g, 1, function(x) sum(log(likelihood %*% dnorm(eta, x[1], x[2])))) + prior(g[[1]], g[[2]]) + log(g[[2]])
  compare(name, g, l)
}

f <- read.csv(file.path(base, "surgical.csv"))
eta <- seq(-14, 4, .005)
levels_out("surgical", "hospital", eta,
  t(mapply(function(d, n) dbinom(d, n, plogis(eta), log = TRUE), f$deaths, f$operations)), seq(-4.2, -1, .04),
  dispersions(.015, 5, 120), function(m, s) dnorm(m, 0, 1000, log = TRUE) - 1.002 * log(s) - .001 / s^2)

f <- na.omit(read.csv(file.path(base, "tits.csv")))
eta <- seq(-12, 6, .01)
sums <- aggregate(count ~ site, f, function(y) c(sum(y), length(y)))$count
levels_out("tits", "site", eta, t(apply(sums, 1, function(s) s[1] * eta - s[2] * exp(eta))), seq(1.4, 3.2, .02),
  seq(1, 2.4, .02), function(m, s) dnorm(m, 0, 10, log = TRUE) - log(s)) # equal steps of the sd itself

f <- read.csv(file.path(base, "eight_schools.csv"))
g <- expand.grid("(Intercept)" = seq(-20, 28, .25), sd_school__Intercept = dispersions(1e-4, 400, 300))
l <- dnorm(g[[1]], 0, 5, log = TRUE) + dcauchy(g[[2]], 0, 5, log = TRUE) + log(g[[2]])
for (j in 1:8) l <- l + dnorm(f$effect[j], g[[1]], sqrt(g[[2]]^2 + f$se[j]^2), log = TRUE)
compare("eight_schools", g, l)
