# Rscript survival.R > survival.csv: log densities and log probabilities of times by R.
# Kinds of rows: 0 observed, 1 right, -1 left, 2 interval. low and high truncate.
suppressPackageStartupMessages({library(survival); library(brms)})
laws <- list(
  gaussian = list(d = function(y, e, s) dnorm(y, e, s, log = TRUE), p = function(y, e, s, ...) pnorm(y, e, s, ...)),
  lognormal = list(d = function(y, e, s) dlnorm(y, e, s, log = TRUE), p = function(y, e, s, ...) plnorm(y, e, s, ...)),
  exponential = list(d = function(y, e, s) dexp(y, exp(-e), log = TRUE), p = function(y, e, s, ...) pexp(y, exp(-e), ...)),
  weibull = list(d = function(y, e, s) dweibull(y, s, exp(e) / gamma(1 + 1 / s), log = TRUE),
                 p = function(y, e, s, ...) pweibull(y, s, exp(e) / gamma(1 + 1 / s), ...)),
  frechet = list(d = function(y, e, s) dfrechet(y, scale = exp(e) / gamma(1 - 1 / s), shape = s, log = TRUE),
                 p = function(y, e, s, lower.tail = TRUE, log.p = FALSE) {
                   log <- -(y / (exp(e) / gamma(1 - 1 / s)))^-s
                   stopifnot(abs(exp(log) - pfrechet(y, scale = exp(e) / gamma(1 - 1 / s), shape = s)) < 1e-14)
                   if (!lower.tail) log <- if (log > -0.7) log(-expm1(log)) else log1p(-exp(log))
                   if (log.p) log else exp(log)
                 }),
  loglogistic = list(d = function(y, e, s) log(dsurvreg(y, e, 1 / s, "loglogistic")),
                     p = function(y, e, s, lower.tail = TRUE, log.p = FALSE) {
                       p <- plogis(s * (log(y) - e), lower.tail = lower.tail, log.p = log.p)
                       if (!log.p && lower.tail) stopifnot(abs(p - psurvreg(y, e, 1 / s, "loglogistic")) < 1e-14)
                       p
                     }))
text <- function(v) ifelse(is.finite(v), sprintf("%.17g", v), ifelse(v > 0, "Inf", "-Inf"))
cat("family,kind,y,upper,low,high,eta,disp,value\n")
between <- function(p, a, b, e, s) {  # the smaller tails do not cancel
  lower <- function(y) if (is.infinite(y)) as.numeric(y > 0) else p(y, e, s)
  upper <- function(y) if (is.infinite(y)) as.numeric(y < 0) else p(y, e, s, lower.tail = FALSE)
  log(if (lower(b) < 0.5) lower(b) - lower(a) else if (upper(a) < 0.5) upper(a) - upper(b) else 1 - lower(a) - upper(b))
}
for (name in names(laws)) for (eta in c(-0.5, 0.7)) for (disp in c(1.3, 4)) for (y in c(0.4, 1, 3)) {
  law <- laws[[name]]
  for (kind in c(0, 1, -1, 2)) for (limits in list(c(-Inf, Inf), c(0.2, Inf), c(-Inf, 9), c(0.1, 12))) {
    value <- switch(as.character(kind), "0" = law$d(y, eta, disp), "1" = between(law$p, y, limits[2], eta, disp),
                    "-1" = between(law$p, limits[1], y, eta, disp), "2" = between(law$p, y, 2 * y, eta, disp))
    if (kind == 1 && limits[2] == Inf) value <- law$p(y, eta, disp, lower.tail = FALSE, log.p = TRUE)
    if (kind == -1 && limits[1] == -Inf) value <- law$p(y, eta, disp, log.p = TRUE)
    value <- value - between(law$p, limits[1], limits[2], eta, disp)
    cat(sprintf("%s,%g,%s,%s,%s,%s,%s,%s,%s\n", name, kind, text(y), text(2 * y), text(limits[1]), text(limits[2]),
                text(eta), text(disp), text(value)))
  }
}
