# Golden columns of group-level effects: what lme4's mkReTrms makes of formulas over these data sets.
# Run in this folder, with R and lme4: Rscript make_effects.R
# It writes effects.json, read by transform/effects_test.go. Of each block the file keeps the names of the terms, how
# many levels there are and the first of them (in byte order, parts joined by _ in the order of our name of the
# grouping), and for each term the sum over the rows of its value z, of row * z and of row * rank of the level * z.

suppressMessages(library(lme4))
invisible(Sys.setlocale("LC_COLLATE", "C"))

cases <- list(
  list("epil", "y ~ trt + (1 | subject)"),
  list("epil", "y ~ trt + (period | subject)"),
  list("epil", "y ~ trt + (period || subject)"),
  list("epil", "y ~ trt + (0 + period | subject)"),
  list("epil", "y ~ trt + (1 + period + I(period^2) | subject)"),
  list("epil", "y ~ trt + (poly(period, 2) | subject)"),
  list("epil", "y ~ trt + (trt * period | subject)"),
  list("epil", "y ~ trt + (1 | period/subject)"),
  list("epil", "y ~ trt + (period | trt:subject) + (1 | trt)"),
  list("quine", "Days ~ 1 + (1 | Eth) + (1 | Sex) + (1 | Age:Lrn)"),
  list("quine", "Days ~ 1 + (Sex | Age)"),
  list("quine", "Days ~ 1 + (0 + Sex | Age)"),
  list("quine", "Days ~ 1 + (Sex:Eth | Age)"),
  list("quine", "Days ~ 1 + (0 + Sex:Eth | Age)"),
  list("quine", "Days ~ 1 + (Eth + Sex | Age/Lrn)"),
  list("quine", "Days ~ 1 + (1 | Eth/Sex/Age)"),
  list("mtcars", "mpg ~ wt + (wt | cyl) + (log(hp) | gear:carb)"),
  list("mtcars", "mpg ~ wt + (factor(am) | cyl)"),
  list("mtcars", "mpg ~ wt + (scale(wt):factor(vs) | cyl)"),
  list("airquality", "Ozone ~ Wind + (Wind | Month)"),
  list("airquality", "Ozone ~ Wind + (1 | Month) + (0 + Temp | Month) + (1 | Day)"),
  list("mixed", "y ~ x + (x | g) + (1 | flag)"))

num <- function(v) paste0("[", paste(sprintf("%.17g", v), collapse = ","), "]")
str <- function(v) paste0("[", paste(encodeString(v, quote = '"'), collapse = ","), "]")

# The names of groupings and their parts: lme4 turns g/h into h:g, and leaves g:h.
parts <- function(bar, formula) {
  of <- all.vars(bar[[3]])
  if (length(of) > 1 && grepl("/", formula)) rev(of) else of
}

block <- function(bar, terms, k, formula) {
  of <- parts(bar, formula)
  name <- function(level) { p <- strsplit(level, ":")[[1]]; paste(if (grepl("/", formula)) rev(p) else p, collapse = "_") }
  f <- terms$flist[[attr(terms$flist, "assign")[k]]]
  named <- vapply(levels(f), name, "")
  rank <- match(named, sort(named))
  z <- as.matrix(terms$Ztlist[[k]])
  q <- length(terms$cnms[[k]])
  rows <- seq_along(f)
  value <- function(t) z[cbind((as.integer(f) - 1) * q + t, rows)]
  if (sum(abs(z)) != sum(vapply(seq_len(q), function(t) sum(abs(value(t))), 0))) stop("not one level a row")
  sums <- vapply(seq_len(q), function(t) {
    v <- value(t)
    c(sum(v), sum(rows * v), sum(rows * rank[as.integer(f)] * v))
  }, c(0, 0, 0))
  paste0('{"group":"', paste(of, collapse = ":"), '","terms":', str(sub("(Intercept)", "Intercept", terms$cnms[[k]], fixed = TRUE)),
         ',"levels":', nlevels(f), ',"first":', str(head(sort(named), 3)),
         ',"sums":[', paste(apply(sums, 2, num), collapse = ","), "]}")
}

one <- function(case) {
  data <- read.csv(paste0(case[[1]], ".csv"), stringsAsFactors = TRUE, check.names = FALSE)
  formula <- as.formula(case[[2]])
  bars <- findbars(formula)
  frame <- model.frame(subbars(formula), data, na.action = na.omit, drop.unused.levels = TRUE)
  terms <- mkReTrms(bars, frame, reorder.terms = FALSE)
  blocks <- vapply(seq_along(bars), function(k) block(bars[[k]], terms, k, case[[2]]), "")
  paste0('{"data":"', case[[1]], '","formula":"', case[[2]], '","blocks":[\n ', paste(blocks, collapse = ",\n "), "]}")
}

writeLines(paste0("[", paste(vapply(cases, one, ""), collapse = ",\n"), "]"), "effects.json")
