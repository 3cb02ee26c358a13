# Rscript make_responses.R writes pair.csv and responses.json: means and standard deviations of posteriors by
# brms 2.18 with rstan 2.21, 2 chains of 2000 draws after 1000, of the models of pipelines/responses_test.go. pair is
# simulated.
suppressMessages({library(brms); library(rstan); library(jsonlite)})
rstan_options(boost_lib = "/usr/include")
set.seed(1)
n <- 200
g <- sample(1:20, n, TRUE)
u <- matrix(rnorm(40), 20) %*% chol(matrix(c(1, .6, .6, 1), 2))
x <- rnorm(n)
z <- rnorm(n)
a <- 1 + .5 * x + .8 * u[g, 1] + rnorm(n)
b <- rpois(n, exp(.3 + .2 * z + .5 * u[g, 2]))
write.csv(data.frame(a, b, x, z, g = paste0("g", g)), "pair.csv", row.names = FALSE, quote = FALSE)
out <- list()
fit <- function(name, formula, data, prior, iter = 3000, warmup = 1000, rescor = FALSE) {
  f <- brm(formula + set_rescor(rescor), data, prior = prior, chains = 2, iter = iter, warmup = warmup,
           seed = 1, refresh = 0)
  m <- as.matrix(f)
  time <- sum(rstan::get_elapsed_time(f$fit))
  s <- posterior_summary(f)
  keep <- grep("^b_|^sd_|^cor_|^sigma_|^rescor", rownames(s))
  cat(name, "seconds", time, "least ess", min(rstan::summary(f$fit)$summary[keep, "n_eff"]), "\n")
  s <- s[keep, 1:2]
  rownames(s) <- sub("^b_", "", sub("^(b_.*)Intercept$", "\\1(Intercept)", rownames(s)))
  out[[name]] <<- lapply(split(s, rownames(s)), function(v) round(v, 4))
  writeLines(toJSON(out, digits = 4, pretty = TRUE), "responses.json")
}
common <- function(r, scale) c(
  set_prior(sprintf("normal(0, %g)", scale), class = "b", resp = r),
  set_prior(sprintf("normal(0, %g)", 10 * scale), class = "Intercept", resp = r),
  set_prior(sprintf("student_t(3, 0, %g)", scale), class = "sd", resp = r))
d <- read.csv("pair.csv")
fit("pair", bf(a ~ x + (1 | p | g), family = gaussian()) + bf(b ~ z + (1 | p | g), family = poisson()), d,
    c(common("a", 3), common("b", 3), set_prior("student_t(3, 0, 3)", class = "sigma", resp = "a"),
      prior(lkj(1), class = "cor")))
# both has gaussian responses with correlated residuals, in data that are simulated too.
set.seed(2)
n <- 150
g <- sample(1:15, n, TRUE)
u <- matrix(rnorm(30), 15) %*% chol(matrix(c(1, .5, .5, 1), 2))
e <- matrix(rnorm(2 * n), n) %*% chol(matrix(c(1, -.6, -.6, 1), 2))
x <- rnorm(n)
z <- rnorm(n)
write.csv(data.frame(a = round(1 + .5 * x + .7 * u[g, 1] + .8 * e[, 1], 4), b = round(.4 * z + .5 * u[g, 2] + 1.2 * e[, 2], 4),
                     x = round(x, 4), z = round(z, 4), g = paste0("g", g)), "residuals.csv", row.names = FALSE, quote = FALSE)
d <- read.csv("residuals.csv")
fit("residuals", bf(a ~ x + (1 | p | g)) + bf(b ~ z + (1 | p | g)), d,
    c(common("a", 3), common("b", 3), set_prior("student_t(3, 0, 3)", class = "sigma", resp = "a"),
      set_prior("student_t(3, 0, 3)", class = "sigma", resp = "b"), prior(lkj(1), class = "cor"),
      prior(lkj(2), class = "rescor")), rescor = TRUE)
