# Rscript fits.R writes fits.json: maximum likelihood fits of R with their data, in the parameters of this program. A
# predictor is its design; theta are coefficients of each predictor, the dispersion after those of the first one, then
# thresholds, each with the coefficients of the columns in cuts, and their distance if it is equal.
suppressMessages({library(survival); library(pscl); library(glmmTMB); library(nnet); library(ordinal)})
of <- function(name) read.csv(file.path("../../../testdata/classic", paste0(name, ".csv")))
fits <- list()
add <- function(name, by, family, y, designs, theta, fit, m = NULL, link = "", predicted = "", classes = 0,
                log = as.numeric(logLik(fit)), kind = NULL, cuts = NULL, equal = FALSE, counts = NULL)
  fits[[length(fits) + 1]] <<- list(name = name, by = by, family = family, link = link, predicted = predicted, y = y, m = m,
    classes = classes, designs = designs, theta = theta, log = log, kind = kind, cuts = cuts, equal = equal, counts = counts)
school <- of("quine")
x <- model.matrix(~ Age + Sex, school); z <- model.matrix(~ Sex, school)
tight <- zeroinfl.control(reltol = 1e-15); tight2 <- hurdle.control(reltol = 1e-15)
for (dist in c("poisson", "negbin")) {
  family <- c(poisson = "poisson", negbin = "negative_binomial")[[dist]]
  a <- zeroinfl(Days ~ Age + Sex | Sex, school, dist = dist, control = tight)
  b <- hurdle(Days ~ Age + Sex | Sex, school, dist = dist, control = tight2)
  add("zeros of counts", "pscl::zeroinfl", paste0("zero_inflated_", family), school$Days, list(x, z),
      c(a$coef$count, a$theta, a$coef$zero), a)
  add("zeros of counts", "pscl::hurdle", paste0("hurdle_", family), school$Days, list(x, z),
      c(b$coef$count, b$theta, -b$coef$zero), b)
}
births <- of("birthwt")
a <- multinom(factor(race) ~ scale(age) + smoke, births, trace = FALSE, reltol = 1e-15, maxit = 1000)
x <- model.matrix(~ scale(age) + smoke, births)
add("classes", "nnet::multinom", "categorical", as.integer(factor(births$race)) - 1, list(x, x), c(t(coef(a))), a, classes = 3)
cells <- reshape(of("housing")[, c("Sat", "Infl", "Type", "Cont", "Freq")], direction = "wide", timevar = "Sat",
                 idvar = c("Infl", "Type", "Cont"))
counts <- as.matrix(cells[, paste0("Freq.", c("Low", "Medium", "High"))])
a <- multinom(counts ~ Infl + Cont, cells, trace = FALSE, reltol = 1e-15, maxit = 1000) # logLik has no constants
x <- model.matrix(~ Infl + Cont, cells)
add("counts of classes", "nnet::multinom", "multinomial", counts[, 1], list(x, x), c(t(coef(a))), a, m = rowSums(counts),
    classes = 3, log = as.numeric(logLik(a)) + sum(lfactorial(rowSums(counts))) - sum(lfactorial(counts)), counts = counts)
wine <- of("wine")
x <- model.matrix(~ temp + contact, wine)[, -1]
inverse <- list(logit = plogis, probit = pnorm, cloglog = function(x) -expm1(-exp(x)), cauchit = pcauchy)
for (link in c("logit", "probit", "cloglog", "cauchit")) { # logLik of clm is off by 3e-4 for cauchit
  a <- clm(factor(rating) ~ temp + contact, data = wine, link = link, gradTol = 1e-10)
  add("ordered classes", "ordinal::clm", "cumulative", wine$rating - 1, list(x), c(a$beta, a$alpha), a, link = link, classes = 5,
      log = sum(log(inverse[[link]](c(-Inf, a$alpha, Inf)[wine$rating + 1] - x %*% a$beta) -
                    inverse[[link]](c(-Inf, a$alpha, Inf)[wine$rating] - x %*% a$beta))))
}
fine <- function(...) glmmTMB(..., control = glmmTMBControl(optCtrl = list(iter.max = 1000, eval.max = 1000, rel.tol = 1e-15)))
carrots <- of("carrots")
x <- model.matrix(~ logdose + block, carrots)
for (link in c("logit", "probit", "cloglog")) {
  a <- fine(cbind(success, total - success) ~ logdose + block, data = carrots, family = betabinomial(link))
  add("varied successes", "glmmTMB", "beta_binomial", carrots$success, list(x), c(fixef(a)$cond, sigma(a)), a,
      m = carrots$total, link = link)
}
smoking <- of("esoph")
smoking$n <- smoking$ncases + smoking$ncontrols; smoking$old <- as.numeric(smoking$agegp %in% c("45-54", "55-64", "65-74", "75+"))
x <- model.matrix(~ old, smoking)
a <- fine(cbind(ncases, n - ncases) ~ old, ziformula = ~ 1, data = smoking, family = binomial)
add("zeros of successes", "glmmTMB", "zero_inflated_binomial", smoking$ncases, list(x, x[, 1, drop = FALSE]),
    c(fixef(a)$cond, fixef(a)$zi), a, m = smoking$n)
school$share <- school$Days / 100
x <- model.matrix(~ Sex + Lrn, school)
a <- fine(share ~ Sex + Lrn, ziformula = ~ Sex, data = school, family = beta_family())
add("zeros of shares", "glmmTMB", "zero_inflated_beta", school$share, list(x, z), c(fixef(a)$cond, sigma(a), fixef(a)$zi), a)
a <- fine(Days ~ Sex + Lrn, ziformula = ~ Sex, data = school, family = ziGamma("log"))
add("zeros of times", "glmmTMB", "hurdle_gamma", school$Days, list(x, z), c(fixef(a)$cond, 1 / sigma(a)^2, fixef(a)$zi), a)
a <- fine(Days ~ Sex + Lrn, dispformula = ~ Sex, data = school, family = nbinom2)
add("shapes", "glmmTMB", "negative_binomial", school$Days, list(x, z), c(fixef(a)$cond, fixef(a)$disp), a, predicted = "shape")

lung <- read.csv("../../../testdata/outcomes/lung.csv")
x <- model.matrix(~ age + sex, lung); z <- model.matrix(~ sex, lung)
by_sex <- function(v) c(2 * v[1] - v[2], v[2] - v[1]) # coefficients of numbers at sex 1 and 2
for (dist in c("lognormal", "weibull")) {
  a <- survreg(Surv(time, status == 2) ~ age + sex + strata(sex), lung, dist = dist,
               control = survreg.control(rel.tolerance = 1e-14, maxiter = 200))
  shift <- if (dist == "weibull") by_sex(lgamma(1 + a$scale)) else c(0, 0) # the program has the mean
  add("scales of censored times", "survival::survreg", dist, lung$time, list(x, z),
      c(coef(a) + c(shift[1], 0, shift[2]), by_sex(log(a$scale)) * (if (dist == "weibull") -1 else 1)), a,
      predicted = if (dist == "weibull") "shape" else "sigma", kind = as.numeric(lung$status == 1))
}

breaks <- c(180, 365) # a hazard in pieces is poisson regression on split rows, whose density of times has no exposures
rows <- survSplit(Surv(time, status == 2) ~ age + sex + id, transform(lung, id = seq_along(time)), cut = breaks, episode = "piece")
rows$exposure <- rows$time - rows$tstart
a <- glm(event ~ age + sex + factor(piece) + factor(piece == 2):sex + offset(log(exposure)), poisson, rows,
         control = glm.control(epsilon = 1e-15, maxit = 100))
b <- coef(a)[!is.na(coef(a))] # intercept, age, sex outside of piece 2, pieces 2 and 3, sex in piece 2 less that
stopifnot(length(b) == 6, grepl("sex", names(b)[6]))
b[3] <- b[3] + if (grepl("FALSE", names(b)[6])) b[6] else 0
more <- if (grepl("FALSE", names(b)[6])) -b[6] else b[6]
add("hazards in pieces", "stats::glm of survival::survSplit", "piecewise_exponential", lung$time,
    list(x, z, x[, 1, drop = FALSE]), c(b[1:3], b[4], more, b[5]), a, predicted = "from180,from365",
    kind = as.numeric(lung$status == 1), log = as.numeric(logLik(a)) - sum(rows$event * log(rows$exposure)))

x <- model.matrix(~ temp + contact, wine)[, -1]
a <- clm(factor(rating) ~ temp + contact, data = wine, threshold = "equidistant", gradTol = 1e-10)
distance <- a$alpha[["spacing"]]
add("classes at equal distances", "ordinal::clm", "cumulative", wine$rating - 1, list(x),
    c(a$beta, a$alpha[[1]] + 0:3 * distance, distance), a, link = "logit", classes = 5, equal = TRUE)
steps <- do.call(rbind, lapply(1:4, function(k) transform(wine[wine$rating >= k, ], step = k, stops = rating == k)))
a <- glm(stops ~ 0 + factor(step) + factor(step):contact + temp, binomial, steps, # F(tau_k + contact·c_k - temp·b)
         control = glm.control(epsilon = 1e-15, maxit = 100))
b <- coef(a); k <- grepl("contact", names(b)); t <- names(b) == "tempwarm"
add("category-specific effects", "stats::glm of each step", "sratio", wine$rating - 1, list(x[, 1, drop = FALSE]),
    c(-b[t], rbind(b[!k & !t], b[k])), a, link = "logit", classes = 5, cuts = model.matrix(~ contact, wine))
a <- multinom(factor(race) ~ scale(age) + smoke, births, trace = FALSE, reltol = 1e-15, maxit = 1000)
x <- model.matrix(~ scale(age) + smoke, births); b <- coef(a) # log odds of the next class: none is common to all steps
add("category-specific effects", "nnet::multinom", "acat", as.integer(factor(births$race)) - 1, list(x[, 0]),
    -c(b[1, ], b[2, ] - b[1, ]), a, link = "logit", classes = 3, cuts = x)

number <- function(v) paste0("[", paste(sprintf("%.15g", v), collapse = ", "), "]")
columns <- function(d) paste(if (ncol(d)) apply(d, 2, number), collapse = ",\n  ")
text <- function(f) sprintf(
  '{"name": "%s", "by": "%s", "family": "%s", "link": "%s", "predicted": "%s", "classes": %d,\n "y": %s, "m": %s, "kind": %s,%s\n "designs": [%s],\n "cuts": [%s], "equal": %s,\n "theta": %s, "log": %.15g}',
  f$name, f$by, f$family, f$link, f$predicted, f$classes, number(f$y), if (is.null(f$m)) "null" else number(f$m),
  if (is.null(f$kind)) "null" else number(f$kind),
  if (is.null(f$counts)) "" else sprintf('\n "counts": [%s],', columns(f$counts)),
  paste(vapply(f$designs, function(d) paste0("[", columns(d), "]"), ""), collapse = ",\n  "),
  if (is.null(f$cuts)) "" else columns(f$cuts), tolower(f$equal),
  number(f$theta), f$log)
writeLines(c("[", paste(vapply(fits, text, ""), collapse = ",\n"), "]"), "fits.json")
for (f in fits) cat(f$by, f$family, f$link, f$log, "\n")
