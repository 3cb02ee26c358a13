# What JAGS makes of the mixtures of docs/mixtures.md: run it with Rscript in this folder; it writes jags.csv.
# Components are numbered by increasing mean in each draw. R 4.2.2, JAGS 4.3.1, rjags 4-13.
suppressMessages(library(rjags))

run <- function(name, model, data, K, inits, n) {
  m <- jags.model(textConnection(model), data, inits = inits, n.chains = length(inits), n.adapt = 2000, quiet = TRUE)
  update(m, 5000, progress.bar = "none")
  s <- coda.samples(m, c("theta", "mu", "sigma"), n, thin = 5, progress.bar = "none")
  draws <- as.matrix(s)
  get <- function(v) draws[, paste0(v, "[", 1:K, "]"), drop = FALSE]
  mu <- get("mu")
  o <- t(apply(mu, 1, order))
  sorted <- function(v) { x <- get(v); t(sapply(seq_len(nrow(x)), function(i) x[i, o[i, ]])) }
  out <- NULL
  for (v in c("theta", "mu", "sigma")) {
    x <- sorted(v)
    for (k in 1:K) {
      chains <- mcmc.list(lapply(split(x[, k], rep(seq_along(inits), each = nrow(x) / length(inits))), mcmc))
      out <- rbind(out, data.frame(model = name, parameter = paste0(v, k), mean = mean(x[, k]), sd = sd(x[, k]),
                                   mcse = sd(x[, k]) / sqrt(min(effectiveSize(chains), nrow(x)))))
    }
  }
  out
}

normal <- "model {
  for (i in 1:N) { z[i] ~ dcat(theta[]); y[i] ~ dnorm(mu[z[i]], tau[z[i]]) }
  theta ~ ddirch(alpha[])
  for (k in 1:K) { mu[k] ~ dnorm(m, 1 / (s * s)); sigma[k] <- 1 / v[k]; v[k] ~ dgamma(a, b); tau[k] <- v[k] * v[k] }
}"

conjugate <- "model {
  for (i in 1:N) { z[i] ~ dcat(theta[]); y[i] ~ dnorm(mu[z[i]], tau[z[i]]) }
  theta ~ ddirch(alpha[])
  for (k in 1:K) { mu[k] ~ dnorm(m, rows * tau[k]); sigma[k] <- 1 / sqrt(tau[k]); tau[k] ~ dgamma(a, b) }
}"

set.seed(1)
faithful <- read.csv("../../pipelines/examples/faithful.csv")
galaxies <- read.csv("../../pipelines/examples/galaxies.csv")
chain <- function(seed, mu, ...) list(mu = mu, ..., .RNG.name = "base::Wichmann-Hill", .RNG.seed = seed)
v <- c(0.2, 0.2)
old <- run("faithful", normal, list(y = faithful$waiting, N = 272, K = 2, alpha = c(1, 1), m = 70, s = 30, a = 2, b = 7),
           2, list(chain(1, c(55, 80), v = v), chain(2, c(80, 55), v = v), chain(3, c(60, 75), v = v),
                   chain(4, c(50, 90), v = v)), 25000)
tau <- c(0.2, 0.2, 0.2)
gal <- run("galaxies", conjugate, list(y = galaxies$velocity, N = 82, K = 3, alpha = c(1, 1, 1), m = 20, rows = 0.05,
                                       a = 10, b = 30),
           3, list(chain(1, c(10, 20, 33), tau = tau), chain(2, c(20, 10, 33), tau = tau),
                   chain(3, c(33, 20, 10), tau = tau), chain(4, c(15, 20, 25), tau = tau)), 25000)
out <- rbind(old, gal)
out[, -(1:2)] <- signif(out[, -(1:2)], 6)
write.csv(out, "jags.csv", row.names = FALSE, quote = FALSE)
print(out)
