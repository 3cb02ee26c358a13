# Rscript tails.R > tails.csv: log densities and log probabilities by R, of families whose distribution function has no
# closed form. Kinds of rows: 0 observed, 1 right, -1 left, 2 interval. low and high truncate; bounds of counts belong.
laws <- list(
  student_t = list(d = function(y, e, s, t) dt((y - e) / s, t, log = TRUE) - log(s),
                   p = function(y, e, s, t, ...) pt((y - e) / s, t, ...)),
  gamma = list(d = function(y, e, s, t) dgamma(y, s, s / exp(e), log = TRUE),
               p = function(y, e, s, t, ...) pgamma(y, s, s / exp(e), ...)),
  poisson = list(d = function(y, e, s, t) dpois(y, exp(e), log = TRUE),
                 p = function(y, e, s, t, ...) ppois(y, exp(e), ...)),
  negative_binomial = list(d = function(y, e, s, t) dnbinom(y, s, mu = exp(e), log = TRUE),
                           p = function(y, e, s, t, ...) pnbinom(y, s, mu = exp(e), ...)))
text <- function(v) ifelse(is.finite(v), sprintf("%.17g", v), ifelse(v > 0, "Inf", "-Inf"))
minus <- function(a, b) a + log(-expm1(b - a))
between <- function(p, a, b, ...) {  # the smaller tails do not cancel
  if (a == -Inf && b == Inf) return(0)
  if (a == -Inf) return(p(b, ..., log.p = TRUE))
  if (b == Inf) return(p(a, ..., lower.tail = FALSE, log.p = TRUE))
  if (p(b, ...) < 0.5) return(minus(p(b, ..., log.p = TRUE), p(a, ..., log.p = TRUE)))
  if (p(a, ..., lower.tail = FALSE) < 0.5)
    return(minus(p(a, ..., lower.tail = FALSE, log.p = TRUE), p(b, ..., lower.tail = FALSE, log.p = TRUE)))
  log1p(-p(a, ...) - p(b, ..., lower.tail = FALSE))
}
cat("family,kind,y,upper,low,high,eta,disp,second,value\n")
for (name in names(laws)) for (eta in c(-0.5, 1.7)) for (disp in c(0.3, 4, if (name == "negative_binomial") 2e4)) for (second in if (name == "student_t") c(2.5, 30) else 2)
  for (y in c(1, 3, 12)) for (kind in c(0, 1, -1, 2)) for (limits in list(c(-Inf, Inf), c(1, Inf), c(-Inf, 40), c(1, 40))) {
    law <- laws[[name]]
    low <- limits[1] - (name %in% c("poisson", "negative_binomial"))
    at <- function(a, b) between(law$p, a, b, eta, disp, second)
    value <- switch(as.character(kind), "0" = law$d(y, eta, disp, second), "1" = at(y, limits[2]), "-1" = at(low, y),
                    "2" = at(y, 2 * y)) - at(low, limits[2])
    if (is.finite(value)) cat(sprintf("%s,%g,%s,%s,%s,%s,%s,%s,%s,%s\n", name, kind, text(y), text(2 * y),
                                      text(limits[1]), text(limits[2]), text(eta), text(disp), text(second), text(value)))
  }
