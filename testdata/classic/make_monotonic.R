# Rscript make_monotonic.R writes monotonic.json: means and standard deviations of posteriors by brms 2.18 with rstan
# 2.21, 2 chains of 2000 draws after 2000, of models of wine.csv with the priors of pipelines/monotonic_test.go.
suppressMessages({library(brms); library(rstan); library(jsonlite)})
rstan_options(boost_lib = "/usr/include")
w <- read.csv("wine.csv")
fit <- function(f, family, prior) brm(f, w, family, prior = prior, chains = 2, iter = 4000, seed = 1, refresh = 0)
g <- c(prior(normal(0, 20), class = "b"), prior(normal(50, 50), class = "Intercept"),
       prior(student_t(3, 0, 20), class = "sigma"))
fits <- list(
  crossed = fit(response ~ mo(rating) * contact, gaussian(),
                c(g, prior(dirichlet(c(3, 2, 1, 1)), class = "simo", coef = "morating1"))),
  ordinal = fit(rating ~ mo(bottle) + contact, cumulative("logit"), prior(normal(0, 2), class = "b")))
out <- lapply(fits, function(f) {
  s <- posterior_summary(f)
  s <- s[grep("^b_|^bsp_|^simo_|^sigma", rownames(s)), 1:2]
  n <- sub("^Intercept", "(Intercept)", sub("^bs?p?_", "", rownames(s)))
  n <- sub("^mo(rating|bottle)(:contactyes)?$", "mo(\\1)\\2", n)
  n <- sub("^simo_mo(rating|bottle)(:contactyes)?1\\[", "simo_\\1\\2[", n)
  rownames(s) <- n
  lapply(split(s, n), function(v) round(v, 4))
})
writeLines(toJSON(out, digits = 4, pretty = TRUE), "monotonic.json")
