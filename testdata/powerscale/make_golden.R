# Makes the golden numbers of infer/powerscale by the paper's definitions (Kallioinen et al. 2024, sections 2.2 and
# 2.3), once:
#   cd testdata/powerscale && Rscript make_golden.R
# A normal mean whose prior disagrees with the data, one that is hardly known, and a skewed quantity. The last two
# columns have weights that are Pareto-smoothed, as the R package priorsense takes them (loo 2.5.1's psis, r_eff = 1).
suppressMessages(library(loo))
options(digits = 17)
set.seed(20260102)
S <- 1000
y <- c(9.5, 10.2, 11.1, 10.7, 9.9)
mu <- rnorm(S, (0 / 2.5^2 + sum(y)) / (1 / 2.5^2 + 5), sqrt(1 / (1 / 2.5^2 + 5)))
weak <- rnorm(S, 1, 2)
rate <- rgamma(S, 2, 1)
log_prior <- dnorm(mu, 0, 2.5, log = TRUE) + dnorm(weak, 1, 2, log = TRUE) + dgamma(rate, 1, 0.5, log = TRUE)
log_lik <- sapply(mu, function(m) sum(dnorm(y, m, 1, log = TRUE))) + dgamma(rate, 2, 0.5, log = TRUE)
values <- cbind(mu, weak, rate, tied = round(mu, 1))

one <- function(x, w) { # distance of x with equal weights and with w
  o <- order(x)
  x <- x[o]
  p <- seq_along(x) / length(x)
  q <- cumsum(w[o] / sum(w))
  d <- diff(x)
  k <- -length(x)
  p <- p[k]
  q <- q[k]
  js <- function(a, b) sum(d * ifelse(a > 0, a * log2(2 * a / (a + b)), 0))
  sqrt((js(p, q) + js(q, p)) / sum(d * (p + q)))
}
both <- function(x, w) max(one(x, w), one(-x, w))
sense <- function(x, l, smooth) {
  w <- function(a) {
    r <- (a - 1) * l
    if (smooth) exp(as.numeric(weights(suppressWarnings(psis(r, r_eff = 1)), normalize = TRUE))) else exp(r - max(r))
  }
  (both(x, w(0.99)) + both(x, w(1.01))) / (2 * log2(1.01))
}
out <- data.frame(variable = colnames(values),
  prior = apply(values, 2, sense, log_prior, FALSE), likelihood = apply(values, 2, sense, log_lik, FALSE),
  prior_smoothed = apply(values, 2, sense, log_prior, TRUE), likelihood_smoothed = apply(values, 2, sense, log_lik, TRUE))
text <- function(d) { n <- sapply(d, is.numeric); d[n] <- lapply(d[n], sprintf, fmt = "%.17g"); d }
write.csv(text(out), "golden.csv", row.names = FALSE, quote = FALSE)
write.csv(text(as.data.frame(cbind(log_prior, log_lik, values))), "draws.csv", row.names = FALSE, quote = FALSE)
