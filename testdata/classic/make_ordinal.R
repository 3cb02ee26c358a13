# Rscript make_ordinal.R writes ordinal.json: means and standard deviations of posteriors by brms 2.18 with rstan 2.21,
# 2 chains of 2000 draws after 2000, of models of wine.csv with the priors of pipelines/ordinal_test.go.
suppressMessages({library(brms); library(rstan); library(jsonlite)})
rstan_options(boost_lib = "/usr/include")
w <- read.csv("wine.csv")
b <- c(prior(normal(0, 4.97), class = "b", coef = "tempwarm"), prior(normal(0, 4.97), class = "b", coef = "contactyes"))
fit <- function(f, family, prior) brm(f, w, family, prior = prior, chains = 2, iter = 4000, seed = 1, refresh = 0)
fits <- list(
  judges = fit(rating ~ temp + contact + (1 | judge), cumulative("probit"), c(b, prior(student_t(3, 0, 2.5), class = "sd"))),
  disc = fit(bf(rating ~ temp + contact) + lf(disc ~ 0 + contact, cmc = FALSE), cumulative("logit"),
             c(b, set_prior("normal(0, 4.97)", class = "b", dpar = "disc"))),
  acat = fit(rating ~ temp + contact, acat("logit"), b),
  sratio = fit(rating ~ temp + contact, sratio("cloglog"), b),
  cratio = fit(rating ~ temp + contact, cratio("cloglog"), b))
out <- lapply(fits, function(f) {
  s <- posterior_summary(f)
  s <- s[grep("^b_|^sd_", rownames(s)), 1:2]
  rownames(s) <- sub("^Intercept", "(Intercept)", sub("^b_", "", rownames(s)))
  lapply(split(s, rownames(s)), function(v) round(v, 4))
})
writeLines(toJSON(out, digits = 4, pretty = TRUE), "ordinal.json")
