# Rscript formulas.R writes rows.csv, invented data, and formulas.json: of 62 formulas what make_standata and
# get_prior of brms 2.18 make of them. Nothing is compiled. The test is in pipelines/internal/plan/brms_test.go.
#
# Columns are stored as [sum of x, sum of row number times x]. A grouping has its levels, and the sum over rows of the
# row number times the first row of the row's level, which does not depend on the order of levels; its terms are sums of
# the same kind. Penalised columns of smooths are stored as [columns, sum of squares], since they may be rotated.
suppressMessages({library(brms); library(jsonlite)})
set.seed(12)
n <- 72
rows <- data.frame(dose = round(runif(n, 0, 4), 2), age = sample(20:70, n, TRUE), site = sprintf("s%d", rep(1:8, each = 9)),
  plot = sprintf("p%02d", rep(1:24, each = 3)), sort = sample(c("ash", "elm", "oak"), n, TRUE), treated = rep(0:1, n / 2),
  month = sample(1:6, n, TRUE), stage = sample(1:4, n, TRUE))
bump <- rnorm(8, 0, .5)[rep(1:8, each = 9)]
rows <- transform(rows, yield = round(10 + 1.5 * dose + bump + rnorm(n), 2), ok = rbinom(n, 1, plogis(dose - 2 + bump)),
  count = rpois(n, exp(.5 + .3 * dose + bump)), zeros = rpois(n, exp(1 + .1 * dose)) * rbinom(n, 1, .6),
  shots = 12L + treated, rating = 1L + findInterval(dose + bump + rlogis(n), c(.5, 2, 3.5)),
  choice = sample(c("bus", "car", "rail"), n, TRUE), cost = round(rgamma(n, 3, 3 / exp(.4 * dose)), 3),
  share = round(rbeta(n, 2, 3), 3), days = round(rweibull(n, 1.3, 20) + 2, 1), gone = rbinom(n, 1, .7),
  hours = round(runif(n, 1, 9), 1), copies = sample(1:3, n, TRUE), err = round(runif(n, .5, 2), 2))
rows <- transform(rows, hits = rbinom(n, 12, plogis(dose / 2 - 1 + bump)), cost0 = cost * (zeros > 0),
  share0 = share * (zeros > 0), kind = sample(c("none", "left", "right", "interval"), n, TRUE), upper = days + 5)
rows$seen <- 1 - rows$gone
rows$hits0 <- rows$hits * (rows$zeros > 0)
rows <- transform(rows, walk = rpois(n, exp(1 + bump)), ride = rpois(n, 2), drive = 1L + rpois(n, dose))
rows$trips <- rows$walk + rows$ride + rows$drive
write.csv(rows, "rows.csv", row.names = FALSE, quote = FALSE)
rows <- read.csv("rows.csv")

f <- function(kind, formula, family) list(kind = kind, formula = formula, family = family)
formulas <- list(
  f("plain", "yield ~ dose + age", "gaussian"),
  f("plain", "yield ~ dose * sort", "gaussian"),
  f("plain", "yield ~ dose + I(dose^2) + log(age)", "gaussian"),
  f("plain", "yield ~ poly(dose, 2) + sort", "gaussian"),
  f("plain", "yield ~ 0 + sort + dose", "gaussian"),
  f("plain", "log(cost) ~ dose + treated", "gaussian"),
  f("plain", "yield ~ s(dose)", "gaussian"),
  f("plain", "yield ~ sort + s(dose, by = sort, k = 6)", "gaussian"),
  f("plain", "yield | se(err) ~ dose", "gaussian"),
  f("plain", "yield | weights(copies) ~ dose + sort", "gaussian"),
  f("plain", "yield ~ dose + offset(age)", "student"),
  f("plain", "yield ~ mo(stage) + dose", "gaussian"),
  f("plain", "ok ~ dose + age", "bernoulli"),
  f("plain", "ok ~ dose * treated + sort", "bernoulli(probit)"),
  f("plain", "ok ~ scale(age) + (sort + treated)^2", "bernoulli(cloglog)"),
  f("plain", "hits | trials(shots) ~ dose + sort", "binomial"),
  f("plain", "hits | trials(12) + weights(copies) ~ dose", "binomial"),
  f("plain", "hits | trials(shots) ~ dose", "beta_binomial"),
  f("plain", "count ~ dose + factor(month)", "poisson"),
  f("plain", "count | rate(hours) ~ dose", "poisson"),
  f("plain", "count ~ dose + offset(log(hours))", "negbinomial"),
  f("plain", "cost ~ dose + sort", "Gamma(log)"),
  f("plain", "share ~ dose + age", "Beta"),
  f("plain", "days ~ dose", "exponential"),
  f("groups", "yield ~ dose + (1 | site)", "gaussian"),
  f("groups", "yield ~ dose + (dose | site)", "gaussian"),
  f("groups", "yield ~ dose + (dose || site)", "student"),
  f("groups", "yield ~ 1 + (1 | site/plot)", "gaussian"),
  f("groups", "ok ~ dose + (1 | site) + (1 | month)", "bernoulli"),
  f("groups", "count ~ dose + (0 + dose | site)", "poisson"),
  f("groups", "hits | trials(shots) ~ sort + (1 + sort | site)", "binomial"),
  f("groups", "count ~ dose + (1 | site:sort)", "negbinomial"),
  f("groups", "ok ~ sort + (sort || site)", "bernoulli"),
  f("groups", "yield ~ s(age) + (1 | gr(site))", "gaussian"),
  f("groups", "bf(yield ~ dose + (1 | p | site), sigma ~ (1 | p | site))", "gaussian"),
  f("groups", "cost ~ dose * treated + (dose + treated | site)", "Gamma(log)"),
  f("ordinal", "rating ~ dose + sort", "cumulative"),
  f("ordinal", "rating ~ dose + (1 | site)", "cumulative(probit)"),
  f("ordinal", "bf(rating ~ dose, disc ~ 0 + treated)", "cumulative"),
  f("ordinal", "rating ~ s(dose)", "sratio"),
  f("ordinal", "rating ~ dose + cs(treated)", "acat"),
  f("ordinal", "rating ~ mo(stage) + age", "cratio(probit)"),
  f("ordinal", "choice ~ dose + sort", "categorical"),
  f("ordinal", "choice ~ age + (1 | site)", "categorical"),
  f("counts of classes", "cbind(walk, ride, drive) | trials(trips) ~ dose + sort", "multinomial"),
  f("counts of classes", "cbind(walk, ride, drive) | trials(trips) ~ age + (1 | site)", "multinomial"),
  f("zeros", "bf(zeros ~ dose, zi ~ treated)", "zero_inflated_poisson"),
  f("zeros", "zeros ~ dose + sort", "zero_inflated_negbinomial"),
  f("zeros", "bf(zeros ~ dose + (1 | site), hu ~ dose)", "hurdle_poisson"),
  f("zeros", "bf(cost0 ~ dose, hu ~ sort)", "hurdle_gamma"),
  f("zeros", "bf(hits0 | trials(shots) ~ dose, zi ~ treated)", "zero_inflated_binomial"),
  f("distributional", "bf(yield ~ dose, sigma ~ treated)", "gaussian"),
  f("distributional", "bf(yield ~ s(dose), sigma ~ s(dose))", "gaussian"),
  f("distributional", "bf(yield ~ dose + (1 | site), sigma ~ dose + (1 | site))", "student"),
  f("distributional", "bf(count ~ dose, shape ~ treated)", "negbinomial"),
  f("distributional", "bf(share ~ dose, phi ~ sort)", "Beta"),
  f("censored", "days | cens(seen) ~ dose + treated", "weibull"),
  f("censored", "days | cens(kind, upper) ~ dose + sort", "lognormal"),
  f("censored", "days | cens(seen) + trunc(lb = 1) ~ dose", "exponential"),
  f("skewed", "cost ~ dose + sort", "lognormal"),
  f("skewed", "yield ~ dose + sort", "skew_normal"),
  f("skewed", "days ~ dose + treated", "exgaussian"))
stopifnot(length(formulas) == 62)

i <- seq_len(n)
sums <- function(x) c(sum(x), sum(i * x))
columns <- function(X) { X <- as.matrix(X); lapply(setNames(seq_len(ncol(X)), colnames(X)), function(j) sums(X[, j])) }

# predictor is the design of one predictor; suffix ends the names of its data.
predictor <- function(d, suffix, terms, groups) {
  get <- function(name) d[[paste0(name, suffix)]]
  out <- list(columns = if (!is.null(get("X")) && ncol(get("X"))) columns(get("X")))
  if (!is.null(get("Xs"))) {
    out$curves <- colnames(get("Xs"))
    blocks <- grep(paste0("^Zs", suffix, "_[0-9]+_[0-9]+$"), names(d), value = TRUE)
    out$penalised <- lapply(blocks, function(b) c(ncol(d[[b]]), sum(d[[b]]^2)))
  }
  if (!is.null(get("offsets"))) out$offset <- sums(get("offsets"))
  if (!is.null(get("Xcs"))) out$category <- columns(get("Xcs"))
  mo <- grep(paste0("^Xmo", suffix, "_[0-9]+$"), names(d), value = TRUE)
  if (length(mo)) { out$monotonic <- lapply(mo, function(m) sums(d[[m]])); out$steps <- d[[paste0("Jmo", suffix)]] }
  out
}

# groupings are those of all predictors: group, levels, and terms.
groupings <- function(d, ranef) lapply(split(ranef, ranef$id), function(r) {
  J <- d[[paste0("J_", r$id[1])]]
  list(group = r$group[1], levels = d[[paste0("N_", r$id[1])]], of = sum(i * match(J, J)),
    terms = lapply(setNames(seq_len(nrow(r)), paste0(r$dpar, ifelse(r$dpar == "", "", "_"), r$coef)), function(k) {
      dpar <- if (nzchar(r$dpar[k])) paste0(r$dpar[k], "_") else ""
      sums(d[[sprintf("Z_%s_%s%d", r$id[k], dpar, r$cn[k])]])
    }), correlated = r$cor[1] && nrow(r) > 1)
})

# priors are the default priors of all parameters, by their names in draws; those of a class where none is its own.
priors <- function(p, case) {
  of_class <- function(j, group) {
    q <- p[p$class == p$class[j] & p$dpar == p$dpar[j] & p$coef == "" & p$group == group, ]
    if (nrow(q) == 1) q$prior else ""
  }
  out <- list()
  for (j in seq_len(nrow(p))) {
    class <- p$class[j]; coef <- p$coef[j]; group <- p$group[j]; dpar <- p$dpar[j]
    found <- c(p$prior[j], of_class(j, group), of_class(j, ""))
    text <- c(found[nzchar(found)], "flat")[1]
    of <- case$predictors[[if (dpar == "") "mu" else dpar]]
    in_name <- if (dpar == "") "" else paste0(dpar, "_")
    curve <- !is.null(of$curves) && coef %in% of$curves
    same <- p[p$class == class & p$dpar == dpar & p$coef != "", ]
    if (coef == "" && nrow(same) > 0 && class != "Intercept") next # its coefficients follow
    name <- switch(class,
      b = if (coef == "") NULL else if (coef %in% names(of$category)) sprintf("bcs_%s[%d]", coef, seq_len(case$thresholds))
        else paste0(if (curve) "bs_" else if (startsWith(coef, "mo")) "bsp_" else "b_", in_name, coef),
      Intercept = if (coef != "") sprintf("b_Intercept[%s]", coef)
        else if (is.null(case$thresholds) && paste0(in_name, "Intercept") != "Intercept" || dpar == "" && "mu" %in% names(case$predictors)
          && is.null(case$thresholds)) paste0("b_", in_name, "Intercept"),
      sd = sprintf("sd_%s__%s%s", group, in_name, coef),
      cor = if (group != "") unlist(lapply(case$groupings, function(g) if (g$group == group && g$correlated) {
        t <- names(g$terms); apply(combn(length(t), 2), 2, function(k) sprintf("cor_%s__%s__%s", group, t[k[1]], t[k[2]]))
      })),
      sds = sprintf("sds_%s%s", in_name, gsub(":", "", of$curves)),
      simo = sprintf("simo_%s[%d]", coef, seq_len(of$steps)),
      class)
    for (n in name) out[[n]] <- text
  }
  out
}

out <- lapply(formulas, function(case) {
  formula <- eval(parse(text = case$formula)); family <- eval(parse(text = case$family))
  if (is.function(family)) family <- family()
  d <- suppressWarnings(make_standata(formula, rows, family))
  terms <- brmsterms(brms:::validate_formula(formula, data = rows, family = family))
  dpars <- setdiff(names(terms$dpars), "mu")
  case$y <- if (is.matrix(d$Y)) c(sum(d$Y), sum(seq_along(d$Y) * d$Y)) else sums(as.numeric(d$Y))
  case$predictors <- if (length(grep("^mu.", dpars))) lapply(setNames(dpars, dpars), function(p) predictor(d, paste0("_", p)))
    else c(list(mu = predictor(d, "")), lapply(setNames(dpars, dpars), function(p) predictor(d, paste0("_", p))))
  for (v in c("trials", "weights", "se", "denom", "cens", "rcens", "lb")) if (!is.null(d[[v]])) case[[v]] <- sums(as.numeric(d[[v]]))
  if (!is.null(d$nthres)) case$thresholds <- d$nthres
  ranef <- brms:::tidy_ranef(terms, rows)
  if (nrow(ranef)) case$groupings <- unname(groupings(d, ranef))
  case$priors <- priors(get_prior(formula, rows, family), case)
  case
})
line <- function(x) as.character(toJSON(x, auto_unbox = TRUE, digits = 12, null = "null"))
writeLines(paste0("[\n", paste(sapply(out, line), collapse = ",\n"), "\n]"), "formulas.json")
