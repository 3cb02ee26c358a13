# Fits with prior weights: what R's glm(weights =) and MASS::glm.nb make of them.
# Run in this folder: Rscript make_weights.R (R with MASS and jsonlite).
# It writes weights.json in the form of the reference fits, read by
# infer/glm/weights_test.go. "precision" names the column of weights of a family
# with a dispersion, "frequency" that of one without (or of rows that repeat).

library(MASS)
library(jsonlite)
invisible(Sys.setlocale("LC_COLLATE", "C"))

fit <- function(file, formula, family, link, kind, weights, fitted) {
  d <- read.csv(paste0(file, ".csv"), stringsAsFactors = TRUE)
  f <- as.formula(formula)
  d$.w <- d[[weights]]
  control <- glm.control(epsilon = 1e-15, maxit = 200)
  m <- if (family == "negative_binomial") glm.nb(f, data = d, weights = .w, control = control)
       else glm(f, family = fitted, data = d, weights = .w, control = control)
  s <- coef(summary(m, dispersion = if (family == "negative_binomial") 1 else NULL))
  phi <- summary(m)$dispersion
  dispersion <- switch(family,
    gaussian = list(kind = "sigma", estimate = sqrt(phi)),
    gamma = , inverse_gaussian = list(kind = "shape", pearson_dispersion = phi),
    negative_binomial = list(kind = "theta", estimate = m$theta), list(kind = ""))
  response <- as.character(f[[2]])
  out <- list(file = paste0(file, ".csv"), family = family, link = link, formula = formula,
    response = if (length(response) == 1) response else response[2],
    coefficients = lapply(rownames(s), function(n) list(name = n, estimate = s[n, 1], std_error = s[n, 2])),
    dispersion = dispersion, n_used = length(m$y), log_likelihood = as.numeric(logLik(m)))
  out[[kind]] <- weights
  out
}

p <- "precision"; q <- "frequency"
fits <- list(
  fit("mtcars", "mpg ~ wt + hp", "gaussian", "identity", p, "qsec", gaussian()),
  fit("mtcars", "mpg ~ wt + hp", "gaussian", "log", p, "qsec", gaussian("log")),
  fit("mtcars", "mpg ~ wt + hp", "gaussian", "inverse", p, "drat", gaussian("inverse")),
  fit("clotting", "lot1 ~ log(u)", "gamma", "inverse", p, "u", Gamma()),
  fit("clotting", "lot1 ~ log(u)", "gamma", "log", p, "u", Gamma("log")),
  fit("clotting", "lot2 ~ log(u)", "inverse_gaussian", "log", p, "u", inverse.gaussian("log")),
  fit("mtcars", "mpg ~ wt + hp", "inverse_gaussian", "1/mu^2", p, "drat", inverse.gaussian()),
  fit("mtcars", "mpg ~ wt + hp", "gaussian", "identity", q, "carb", gaussian()),
  fit("epil", "y ~ lbase * trt + lage + V4", "poisson", "log", q, "period", poisson()),
  fit("epil", "y ~ base + trt", "poisson", "sqrt", q, "period", poisson("sqrt")),
  fit("epil", "y ~ lbase * trt + lage + V4", "negative_binomial", "log", q, "period", NULL),
  fit("mtcars", "am ~ wt", "bernoulli", "logit", q, "carb", binomial()),
  fit("mtcars", "am ~ wt", "bernoulli", "probit", q, "carb", binomial("probit")),
  fit("mtcars", "am ~ wt", "bernoulli", "cloglog", q, "carb", binomial("cloglog")))

write_json(fits, "weights.json", auto_unbox = TRUE, digits = NA, pretty = TRUE)
