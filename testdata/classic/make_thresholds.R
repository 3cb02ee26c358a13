# Rscript make_thresholds.R writes thresholds.json: means and standard deviations of posteriors by brms 2.18 with rstan
# 2.21, 2 chains of 2000 draws after 2000, of models of wine.csv with the priors of pipelines/thresholds_test.go.
suppressMessages({library(brms); library(rstan); library(jsonlite)})
rstan_options(boost_lib = "/usr/include")
w <- read.csv("wine.csv")
b <- prior(normal(0, 3), class = "b")
fit <- function(f, family) brm(f, w, family, prior = b, chains = 2, iter = 4000, seed = 1, refresh = 0)
fits <- list(
  sratio = fit(rating ~ temp + cs(contact), sratio("cloglog")),
  acat = fit(rating ~ contact + cs(temp), acat("logit")),
  equal = fit(rating ~ temp + contact, cumulative("logit", threshold = "equidistant")))
out <- lapply(fits, function(f) {
  s <- posterior_summary(f)
  s <- s[grep("^b_|^bcs_|^delta", rownames(s)), 1:2]
  n <- sub("^Intercept", "(Intercept)", sub("^b(cs)?_", "", rownames(s)))
  rownames(s) <- n
  lapply(split(s, n), function(v) round(v, 4))
})
writeLines(toJSON(out, digits = 4, pretty = TRUE), "thresholds.json")
