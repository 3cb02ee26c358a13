# Rscript densities.R writes densities.json: log densities of base R 4.2.2, brms 2.18 and statmod 1.5, with what they are
# of. eta are linear predictors, disp the dispersions, y the response, m its trials. Families of classes have thresholds
# as their last predictors; there brms takes differences of probabilities, which lose digits far out.
suppressMessages(library(brms))
links <- list(identity = function(e) e, log = exp, inverse = function(e) 1 / e, sqrt = function(e) e^2,
              "1/mu^2" = function(e) 1 / sqrt(e), logit = plogis, probit = pnorm, cloglog = function(e) -expm1(-exp(e)),
              cauchit = pcauchy)
rows <- list()
add <- function(family, link, y, eta, disp, log_density, m = 1, counts = NULL)
  rows[[length(rows) + 1]] <<- list(family = family, link = link, y = y, m = m, eta = eta, disp = disp, log = log_density,
                                    counts = counts)
# grid adds the rows of one predictor at all of some responses, linear predictors and dispersions.
grid <- function(family, link, ys, etas, disps, f, m = 1)
  for (y in ys) for (eta in etas) for (disp in disps) add(family, link, y, eta, disp, f(y, links[[link]](eta), disp, eta), m)

reals <- c(-2.5, 0.3, 4); above <- c(0.02, 0.7, 3.5); counts <- c(0, 1, 7, 40); shares <- c(0.003, 0.4, 0.97)
some <- c(-1.7, 0.3, 1.4); up <- c(0.4, 1.7)
for (link in c("identity", "log", "inverse"))
  grid("gaussian", link, reals, if (link == "inverse") up else some, c(0.6, 2.5), function(y, mu, s, e) dnorm(y, mu, s, log = TRUE))
grid("student_t", "identity", reals, some, list(c(0.6, 4), c(2.5, 1.5)),
     function(y, mu, d, e) dstudent_t(y, d[2], mu, d[1], log = TRUE))
for (link in c("logit", "probit", "cloglog", "cauchit")) {
  grid("bernoulli", link, 0:1, some, list(numeric(0)), function(y, p, d, e) dbinom(y, 1, p, log = TRUE))
  grid("binomial", link, c(0, 3, 11, 12), some, list(numeric(0)), function(y, p, d, e) dbinom(y, 12, p, log = TRUE), 12)
  for (m in c(1, 12, 400)) grid("beta_binomial", link, unique(c(0, 1, m %/% 3, m)), some, c(0.3, 2.5, 60),
    function(y, p, d, e) lchoose(m, y) + lbeta(y + p * d, m - y + (1 - p) * d) - lbeta(p * d, (1 - p) * d), m)
}
for (link in c("log", "sqrt", "identity"))
  grid("poisson", link, counts, if (link == "log") some else up, list(numeric(0)),
       function(y, mu, d, e) dpois(y, mu, log = TRUE))
grid("negative_binomial", "log", counts, some, c(0.3, 4), function(y, mu, s, e) dnbinom(y, size = s, mu = mu, log = TRUE))
for (link in c("log", "inverse"))
  grid("gamma", link, above, if (link == "log") some else up, c(0.3, 4),
       function(y, mu, s, e) dgamma(y, s, rate = s / mu, log = TRUE))
for (link in c("log", "1/mu^2"))
  grid("inverse_gaussian", link, above, if (link == "log") some else up, c(0.3, 4),
       function(y, mu, s, e) statmod::dinvgauss(y, mean = mu, shape = s, log = TRUE))
grid("beta", "logit", shares, some, c(0.3, 4, 50), function(y, mu, s, e) dbeta(y, mu * s, (1 - mu) * s, log = TRUE))
grid("lognormal", "identity", above, some, c(0.6, 2.5), function(y, mu, s, e) dlnorm(y, mu, s, log = TRUE))
grid("skew_normal", "identity", reals, some, list(c(0.6, -1.5), c(2.5, 4)),
     function(y, mu, d, e) dskew_normal(y, mu, d[1], d[2], log = TRUE))
grid("exgaussian", "identity", reals, some, list(c(0.6, 1.5), c(2.5, 0.8)),
     function(y, mu, d, e) dexgaussian(y, mu, d[1], d[2], log = TRUE))
grid("weibull", "log", above, some, c(0.6, 2.5), function(y, mu, s, e) dweibull(y, s, mu / gamma(1 + 1 / s), log = TRUE))
grid("exponential", "log", above, some, list(numeric(0)), function(y, mu, s, e) dexp(y, 1 / mu, log = TRUE))
grid("piecewise_exponential", "log", above, some, list(numeric(0)), function(y, mu, s, e) dexp(y, mu, log = TRUE))
# Hazards between breaks at 0.5 and 3; survival by numerical integration would be less exact than the sum.
for (y in c(above, 0.5, 0.7, 3, 3.2)) for (eta in list(c(0.4, -1.2, 0.8), c(-2, 3, -0.5))) {
  h <- exp(eta[1] + c(0, eta[2:3]))
  risk <- pmax(0, pmin(y, c(0.5, 3, Inf)) - c(0, 0.5, 3))
  add("piecewise_exponential", "log", y, eta, numeric(0), log(h[1 + sum(y > c(0.5, 3))]) - sum(h * risk))
}
grid("loglogistic", "log", above, some, c(0.6, 2.5), function(y, mu, s, e) dlogis(log(y), e, 1 / s, log = TRUE) - log(y))
grid("frechet", "log", above, some, c(1.2, 2.5),
     function(y, mu, s, e) dfrechet(y, scale = mu / gamma(1 - 1 / s), shape = s, log = TRUE))

for (y in 0:3) for (eta in list(c(0.2, -1.5, 2), c(-30, 1, 0.4)))
  add("categorical", "logit", y, eta, numeric(0), brms:::dcategorical(y + 1, eta = matrix(c(0, eta), 1), log = TRUE))
for (y in list(c(2, 0, 5, 1), c(0, 0, 0, 1), c(140, 30, 5, 22))) for (eta in list(c(0.2, -1.5, 2), c(-30, 1, 0.4)))
  add("multinomial", "logit", y[1], eta, numeric(0), dmultinom(y, prob = exp(c(0, eta)), log = TRUE), sum(y), y)
for (of in c("cumulative", "sratio", "cratio", "acat")) for (link in c("logit", "probit", "cloglog", "cauchit")) {
  f <- getFromNamespace(paste0("d", of), "brms")
  for (y in 0:3) for (eta in c(-0.3, 0.3, 1.4)) add(of, link, y, c(eta, -1.2, 0.1, 1.6), numeric(0),
    log(f(y + 1, eta, thres = matrix(c(-1.2, 0.1, 1.6), 1), link = link)))
}

# two adds the rows of families with a second source of zeros, of probability p.
two <- function(family, link, ys, disps, f, m = 1)
  for (y in ys) for (eta in some) for (logit in c(-2, 0.6)) for (disp in disps)
    add(family, link, y, c(eta, logit), disp, f(y, links[[link]](eta), disp, plogis(logit)), m)
two("zero_inflated_poisson", "log", counts, list(numeric(0)), function(y, mu, d, p) dzero_inflated_poisson(y, mu, p, log = TRUE))
two("zero_inflated_negative_binomial", "log", counts, c(0.3, 4),
    function(y, mu, d, p) dzero_inflated_negbinomial(y, mu, d, p, log = TRUE))
two("zero_inflated_binomial", "logit", c(0, 1, 5, 12), list(numeric(0)),
    function(y, mu, d, p) dzero_inflated_binomial(y, 12, mu, p, log = TRUE), 12)
two("zero_inflated_beta_binomial", "logit", c(0, 1, 5, 12), c(0.3, 4),
    function(y, mu, d, p) dzero_inflated_beta_binomial(y, 12, mu, d, p, log = TRUE), 12)
two("zero_inflated_beta", "logit", c(0, shares), c(0.3, 4),
    function(y, mu, d, p) dzero_inflated_beta(y, mu * d, (1 - mu) * d, p, log = TRUE))
two("hurdle_poisson", "log", counts, list(numeric(0)), function(y, mu, d, p) dhurdle_poisson(y, mu, p, log = TRUE))
two("hurdle_negative_binomial", "log", counts, c(0.3, 4),
    function(y, mu, d, p) dhurdle_negbinomial(y, mu, d, p, log = TRUE))
two("hurdle_gamma", "log", c(0, above), c(0.3, 4), function(y, mu, d, p) dhurdle_gamma(y, d, mu / d, p, log = TRUE))
two("hurdle_lognormal", "identity", c(0, above), c(0.6, 2.5),
    function(y, mu, d, p) dhurdle_lognormal(y, mu, d, p, log = TRUE))
for (y in c(0, shares, 1)) for (eta in some) for (zoi in c(-2, 0.6)) for (coi in c(-0.5, 1.2)) for (phi in c(0.3, 4))
  add("zero_one_inflated_beta", "logit", y, c(eta, zoi, coi), phi, if (y %in% 0:1) plogis(zoi, log.p = TRUE) +
    dbinom(y, 1, plogis(coi), log = TRUE) else plogis(zoi, lower.tail = FALSE, log.p = TRUE) +
    dbeta(y, plogis(eta) * phi, plogis(-eta) * phi, log = TRUE))

number <- function(v) paste(sprintf("%.17g", v), collapse = ", ")
lines <- vapply(rows, function(r) sprintf(
  '{"family": "%s", "link": "%s", "y": %s, "m": %s, "eta": [%s], "disp": [%s], "log": %s%s}',
  r$family, r$link, number(r$y), number(r$m), number(r$eta), number(r$disp), number(r$log),
  if (is.null(r$counts)) "" else sprintf(', "counts": [%s]', number(r$counts))), "")
writeLines(c("[", paste0(lines, c(rep(",", length(lines) - 1), "")), "]"), "densities.json")
