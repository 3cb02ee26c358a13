# Golden design matrices of awkward formulas: what R's model.matrix makes of them.
# Run in this folder: Rscript make_formulas.R (R with its base packages).
# It writes formulas.json, read by transform/formulas_test.go. A matrix is kept as
# in model_matrix.json; "new" is the matrix that R makes of the data's last rows,
# changed beyond the range of the first ones, by what it learned from all rows.

library(splines)
invisible(Sys.setlocale("LC_COLLATE", "C")) # levels in byte order

b <- "birthwt"; q <- "quine"; w <- "warpbreaks"; m <- "mixed"; a <- "airquality"; c <- "mtcars"
cases <- list(
  # every formula of the reference fits that model_matrix.json does not hold
  list(w, "breaks ~ wool * tension"), list("epil", "y ~ lbase * trt + lage + V4"),
  list("esoph", "cbind(ncases, ncontrols) ~ agegp + alcgp + tobgp"),
  list("carrots", "cbind(success, total - success) ~ logdose + block"),
  list("clotting", "lot1 ~ log(u)"), list("clotting", "lot2 ~ log(u)"),
  list("vaso", "Y ~ log(Volume) + log(Rate)"), list("cowles", "volunteer ~ sex + neuroticism * extraversion"),
  list(c, "am ~ wt"),
  # crossings and their margins
  list(w, "breaks ~ wool:tension"), list(w, "breaks ~ wool:tension - 1"), list(w, "breaks ~ wool + wool:tension"),
  list(w, "breaks ~ tension + wool:tension"), list(w, "breaks ~ tension %in% wool"), list(w, "breaks ~ wool/tension"),
  list(w, "breaks ~ wool/tension - 1"), list(w, "breaks ~ 0 + tension:wool + wool"),
  list(q, "Days ~ Eth * Sex * Lrn"), list(q, "Days ~ (Eth + Sex + Age + Lrn)^2"), list(q, "Days ~ (Eth + Sex + Age)^3 - Eth:Sex:Age"),
  list(q, "Days ~ Eth:Sex:Age"), list(q, "Days ~ Eth + Sex:Age"), list(q, "Days ~ Eth:Sex + Age"), list(q, "Days ~ Eth:Sex + Eth:Age + Sex:Age"),
  list(q, "Days ~ Eth:Sex + Eth:Sex:Age"), list(q, "Days ~ Sex + Age:Eth + Sex:Eth:Age"), list(q, "Days ~ -Age + Sex:Age + Sex"),
  list(q, "Days ~ (Eth + Sex) %in% Age"), list(q, "Days ~ Eth/Sex/Age"), list(q, "Days ~ .^2"), list(q, "Days ~ . * Eth - Eth:Lrn - 1"),
  list(q, "Days ~ 0 + Eth:Sex + Sex"), list(q, "Days ~ Eth * (Sex + Lrn) - Sex"), list(q, "Days ~ Lrn:Eth + Eth"),
  list(b, "low ~ age * race"), list(b, "low ~ age:race"), list(b, "low ~ 0 + age:race"), list(b, "low ~ race:age - 1 + race"),
  list(b, "low ~ age + age:race - 1"), list(b, "low ~ (age + lwt) * race"), list(b, "low ~ age:lwt + race %in% age"),
  list(b, "low ~ race * age * lwt - race:age:lwt"), list(b, "low ~ age + lwt:race:smoke"),
  list(m, "y ~ flag * x"), list(m, "y ~ flag:g"), list(m, "y ~ g:flag - 1"), list(m, "y ~ x:flag + g"), list(m, "y ~ flag * g * x"),
  # functions of numbers
  list(b, "low ~ I(age^2) + I(lwt/100) + age"), list(b, "log(bwt) ~ log(age) + sqrt(lwt) + exp(-age/10) + log2(lwt) + log10(age) + log1p(ptl) + abs(age - 25)"),
  list(b, "low ~ I((age - 20) * (lwt - 100)) + I(-age^2) + I(2 * age - lwt/3 + 1e-3)"), list(b, "low ~ scale(age) + scale(lwt, scale = FALSE) + scale(ptl, center = FALSE)"),
  list(b, "low ~ scale(age):race + I(scale(lwt)^2)"), list(b, "low ~ scale(log(lwt), center = 4, scale = 0.5) * smoke"),
  list(b, "low ~ log(lwt) * race - race"), list(b, "low ~ I(age^-1) + I(lwt^0.5) + I(lwt^1.7) + I(2^ptl)"), list(b, "I(bwt/1000) ~ age + log(lwt)"),
  list("insurance", "Claims ~ District * Age + offset(log(Holders)) + offset(0.5 * sqrt(Holders))"), list("epil", "y ~ log(base + 1) * trt + I(V4 * lbase)"),
  list(c, "mpg ~ I(wt * 1000) + factor(cyl) * log(hp)"), list(c, "mpg ~ factor(gear):wt + as.factor(carb)"), list(c, "log(mpg) ~ factor(am) * factor(vs) - 1"),
  list(c, "mpg ~ factor(drat)"),
  # polynomials and splines
  list(b, "low ~ poly(age, 2) * race + ns(lwt, 3)"), list(b, "low ~ poly(age, 1) + poly(lwt, 5)"), list(b, "low ~ poly(age, 3, raw = TRUE):smoke"),
  list(b, "low ~ poly(log(lwt), degree = 2) + poly(I(age - 20), 2, raw = TRUE)"), list(b, "low ~ 0 + poly(age, 2):race"), list(c, "mpg ~ poly(hp, 8)"),
  list(b, "low ~ ns(age, df = 1) + ns(lwt, df = 5)"), list(b, "low ~ ns(lwt)"), list(b, "low ~ ns(lwt, 4, intercept = TRUE) - 1"), list(b, "low ~ ns(lwt, knots = c(110, 121.5, 150)):race"),
  list(b, "low ~ ns(lwt, knots = 120, Boundary.knots = c(90, 200)) + age"), list(b, "low ~ bs(lwt) + bs(age, 6)"), list(b, "low ~ bs(lwt, df = 5, degree = 2) * smoke"),
  list(b, "low ~ bs(lwt, knots = c(100, 130), intercept = TRUE) - 1"), list(b, "low ~ bs(log(lwt), 4, degree = 1) + bs(age, knots = 25, degree = 5)"),
  list(b, "low ~ bs(lwt, df = 4, Boundary.knots = c(50, 300))"), list(c, "mpg ~ ns(qsec, 3):bs(wt, 3)"), list(c, "mpg ~ bs(cyl, knots = c(5, 5, 7))"),
  # missing cells in other columns: knots and centres come from all cells that there are
  list(a, "Ozone ~ ns(Temp, 3) + log(Wind)"), list(a, "Ozone ~ scale(Wind) * Month + bs(Temp, 4)"), list(a, "log(Ozone) ~ ns(Solar.R, 2)"),
  list(a, "Ozone ~ factor(Month) * Temp"),
  # comparisons, bases of logarithms, factors made in the formula
  list(b, "low ~ I(age > 30)"), list(b, "low ~ I(age > 20 & lwt <= 120 | !ptl == 0) + I((age >= 25) * lwt)"), list(b, "low ~ I(lwt != 120) - 1"),
  list(b, "low ~ I(race == \"white\") * age + I(smoke < 1):lwt"), list(b, "low ~ I(\"black\" != race)"), list(b, "low ~ I(!(ptl > 0)) * I(log(lwt) < 4.8)"),
  list(m, "y ~ I(!flag) + I(flag & x > 0)"), list(b, "low ~ I(scale(age) > 0) + I(scale(lwt) < 0.5):race"),
  list(b, "low ~ log(lwt, base = 2) + log(age, 10) + log(lwt, 3.5)"), list(b, "low ~ log(base = 2, x = lwt)"),
  list(b, "low ~ relevel(race, ref = \"white\") * age"), list(b, "low ~ relevel(race, \"other\") + lwt"), list(c, "mpg ~ relevel(factor(cyl), ref = \"8\") + wt"),
  list(b, "low ~ relevel(race, ref = \"white\"):smoke - 1"),
  list(b, "low ~ cut(age, breaks = c(0, 20, 25, 30, 100))"), list(b, "low ~ cut(age, c(-Inf, 19.5, 24.25, Inf), right = FALSE) * lwt"),
  list(b, "low ~ cut(lwt, breaks = c(0, 100, 100.5, 121, 1e5), dig.lab = 2) - 1"), list(b, "low ~ cut(age, c(14, 20, 60), include.lowest = TRUE):race"),
  list(b, "low ~ cut(log(lwt), c(0, 4.75, 5, 9)) + race"),
  list(b, "low ~ cut(age, c(Inf, 0, 30), labels = c(\"young\", \"old\"), right = FALSE, include.lowest = TRUE)"), list(c, "mpg ~ cut(disp, c(0, 123456.7, 150, 1e6)) + cut(wt, c(0, 3, 3.0001, 9))"),
  # contrasts and levels
  list(b, "low ~ race + smoke", contrasts = list(race = "sum")), list(b, "low ~ race * age", contrasts = list(race = "helmert"), levels = list(race = base::c("white", "black", "other"))),
  list(b, "low ~ age:race", contrasts = list(race = "sum")), list(b, "low ~ race - 1", contrasts = list(race = "helmert")),
  list(w, "breaks ~ wool * tension", contrasts = list(wool = "sum", tension = "helmert"), levels = list(tension = base::c("L", "M", "H"))),
  list(w, "breaks ~ tension + wool:tension", contrasts = list(wool = "helmert", tension = "sum")), list(q, "Days ~ Eth * Age - 1", contrasts = list(Eth = "sum", Age = "sum")),
  list(m, "y ~ flag * g", contrasts = list(flag = "sum", g = "helmert")), list(m, "y ~ flag:x + g", contrasts = list(flag = "helmert")))

num <- function(v) paste0("[", paste(sprintf("%.17g", v), collapse = ","), "]")
str <- function(v) paste0("[", paste(encodeString(v, quote = '"'), collapse = ","), "]")
map <- function(l, f) paste0("{", paste(vapply(names(l), function(n) paste0(encodeString(n, quote = '"'), ":", f(l[[n]])), ""), collapse = ","), "}")

one <- function(case) {
  data <- read.csv(paste0(case[[1]], ".csv"), stringsAsFactors = TRUE, check.names = FALSE)
  for (name in names(case$levels)) data[[name]] <- factor(data[[name]], levels = case$levels[[name]])
  frame <- model.frame(as.formula(case[[2]]), data, na.action = na.omit, drop.unused.levels = TRUE)
  codings <- lapply(case$contrasts, function(k) paste0("contr.", k))
  mm <- model.matrix(attr(frame, "terms"), frame, contrasts.arg = if (length(codings)) codings)
  offset <- model.offset(frame)
  # new data: the last 7 complete rows, numbers moved by a fifth of their range
  fresh <- tail(na.omit(data), 7)
  response <- all.vars(as.formula(case[[2]])[[2]])
  factors <- unique(unlist(regmatches(case[[2]], gregexpr("(?<=factor\\()[A-Za-z]+", case[[2]], perl = TRUE))))
  for (name in names(fresh)) if (is.numeric(data[[name]]) && !(name %in% base::c(response, factors)))
    fresh[[name]] <- fresh[[name]] + diff(range(data[[name]], na.rm = TRUE)) / 5
  terms <- delete.response(attr(frame, "terms"))
  known <- model.frame(terms, fresh, xlev = .getXlevels(attr(frame, "terms"), frame))
  new <- suppressWarnings(model.matrix(terms, known, contrasts.arg = if (length(codings)) codings))
  paste0('{"data":"', case[[1]], '","formula":', encodeString(case[[2]], quote = '"'), ',"levels":', map(case$levels, str),
         ',"contrasts":', map(case$contrasts, function(k) encodeString(k, quote = '"')), ",\n",
         ' "rows":', nrow(mm), ',"dropped":', nrow(data) - nrow(mm), ',"names":', str(colnames(mm)), ",\n",
         ' "head":[', paste(apply(mm[1:5, , drop = FALSE], 1, num), collapse = ","), "],\n",
         ' "new":[', paste(apply(new, 1, num), collapse = ","), "],\n",
         ' "sum":', num(colSums(mm)), ",\n",
         ' "weighted":', num(colSums(mm * seq_len(nrow(mm)))), ",\n",
         ' "offset_sum":', if (is.null(offset)) "0" else sprintf("%.17g", sum(offset)), "}")
}
writeLines(base::c("[", paste(vapply(cases, one, ""), collapse = ",\n"), "]"), "formulas.json")
cat(length(cases), "matrices\n")
