# Figure 4 of ../evidence/paper.md beside JAGS: processor seconds of 1000 sweeps, n = 10, of the model as the paper's code
# writes it, with the prior normal(0, 10) of the other samplers there. Debian has what it needs:
#
#   apt-get install --no-install-recommends jags r-cran-rjags
#   Rscript docs/jags/sweeps.R 9        # d = 2, 4 ... 2^9
#
# Prints d and seconds. d = 512 takes 40 s, twice d four times that.
suppressMessages(library(rjags))
program <- "model {
  for (i in 1:N) {
    y[i] ~ dbern(p[i])
    logit(p[i]) <- sum(betax[i,])
    for (j in 1:d) { betax[i,j] <- beta[j] * x[i,j] }
  }
  for (j in 1:d) { beta[j] ~ dnorm(0.0, 0.01) }
}"
set.seed(1)
cat("d,seconds\n")
for (k in 1:as.integer(commandArgs(trailingOnly = TRUE)[1])) {
  d <- 2^k
  x <- matrix(rnorm(10 * d), 10, d)
  x[, 1] <- 1
  y <- rbinom(10, 1, plogis(x %*% rnorm(d)))
  m <- jags.model(textConnection(program), data = list(N = 10, d = d, x = x, y = y), n.chains = 1, n.adapt = 0, quiet = TRUE)
  spent <- system.time(coda.samples(m, "beta", 1000, progress.bar = "none"))
  cat(sprintf("%d,%.3g\n", d, spent[["user.self"]] + spent[["sys.self"]]))
}
