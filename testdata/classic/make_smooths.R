# Golden smooths: the columns that mgcv and brms make of s(x).
# Run in this folder: Rscript make_smooths.R (R with mgcv 1.8-41 and MASS).
# It writes smooths.json, read by transform/smooths_test.go, and mcycle.csv.
# Of each smooth (each level of a factor, for by = f) stand, for some new rows, the unpenalised columns and the products
# Z Zt of the penalised ones, which no rotation of these changes. New rows are rows of the data, and rows beyond the range.
# Thin plates of more than 2000 values have the knots given that the program takes.

suppressMessages(library(mgcv))
options(warn = 1)
write.csv(MASS::mcycle, "mcycle.csv", row.names = FALSE)
m <- "mcycle"; c_ <- "mtcars"; a <- "airquality"; b <- "birthwt"; g <- "grid"
cases <- list(
  list(m, s(times)), list(m, s(times, k = 5)), list(m, s(times, k = 20)), list(m, s(times, bs = "cr")),
  list(m, s(times, k = 5, bs = "cr")), list(m, s(times, k = 20, bs = "cr")), list(m, s(times, bs = "ps")),
  list(m, s(times, k = 5, bs = "ps")), list(m, s(times, k = 20, bs = "ps")), list(m, s(times, bs = "ps", m = c(2, 1))),
  list(m, s(times, bs = "ps", m = c(1, 3))), list(m, s(times, k = 40)), list(m, s(times, k = 94)),
  list(c_, s(wt)), list(c_, s(qsec, by = hp)), list(c_, s(qsec, k = 6, by = hp, bs = "cr")), list(c_, s(hp, k = 3)),
  list(a, s(Temp)), list(a, s(Wind, k = 12)), list(a, s(log(Ozone), bs = "cr")),
  list(b, s(lwt, by = race)), list(b, s(age, by = race, bs = "cr", k = 7)), list(b, s(age, bs = "ps", by = lwt)),
  list(g, s(u)), list(g, s(u, k = 30)))
num <- function(v) paste0("[", paste(sprintf("%.17g", v), collapse = ","), "]")
str <- function(v) paste0("[", paste(encodeString(v, quote = '"'), collapse = ","), "]")
rows <- function(m) paste0("[", paste(apply(m, 1, num), collapse = ","), "]")

one <- function(case) {
  call <- case[[2]]
  data <- if (case[[1]] == "grid") data.frame(u = ((1:2500 * 0.618033988749895) %% 1)^2) else
    read.csv(paste0(case[[1]], ".csv"), stringsAsFactors = TRUE)
  vars <- all.vars(parse(text = c(call$term, if (call$by != "NA") call$by)))
  data <- na.omit(data[, vars, drop = FALSE])
  knots <- NULL
  if (case[[1]] == "grid") { u <- sort(unique(data$u)); knots <- list(u = u[1 + ((0:1999) * (length(u) - 1)) %/% 1999]) }
  x <- all.vars(parse(text = call$term))
  fresh <- data[round(seq(1, nrow(data), length = 9)), , drop = FALSE]
  r <- range(data[[x]])
  beyond <- fresh[1:4, , drop = FALSE]
  beyond[[x]] <- c(r[1] * 0.8, mean(r) + 0.001, r[2] + diff(r) / 10, r[2] + diff(r))
  fresh <- rbind(fresh, beyond)
  for (v in call$term) { data[[v]] <- eval(parse(text = v), data); fresh[[v]] <- eval(parse(text = v), fresh) }
  smooths <- smoothCon(call, data, knots = knots, absorb.cons = TRUE, diagonal.penalty = TRUE)
  out <- vapply(smooths, function(sm) {
    re <- smooth2random(sm, names(data), type = 2)
    X <- t(t(PredictMat(sm, fresh) %*% re$trans.U) * re$trans.D)
    Z <- X[, re$pen.ind != 0, drop = FALSE]
    paste0('{"label":', encodeString(sm$label, quote = '"'), ',"penalised":', ncol(Z),
           ',"fixed":[', paste(apply(t(X[, re$pen.ind == 0, drop = FALSE]), 1, num), collapse = ","), "],\n  ",
           '"products":', rows(Z %*% t(Z)), "}")
  }, "")
  paste0('{"data":"', case[[1]], '","term":', encodeString(case[[3]], quote = '"'), ',"new":{',
         paste(vapply(vars, function(v) paste0('"', v, '":', if (is.factor(fresh[[v]])) str(as.character(fresh[[v]])) else num(fresh[[v]])), ""),
               collapse = ","), '},\n "smooths":[', paste(out, collapse = ",\n "), "]}")
}
source_ <- parse("make_smooths.R", keep.source = TRUE)
made <- Filter(function(e) is.call(e) && identical(e[[1]], as.name("<-")) && identical(e[[2]], as.name("cases")), as.list(source_))[[1]]
for (i in seq_along(cases)) cases[[i]][[3]] <- paste(deparse(made[[3]][[i + 1]][[3]]), collapse = "")
writeLines(c("[", paste(vapply(cases, one, ""), collapse = ",\n"), "]"), "smooths.json")
cat(length(cases), "smooths\n")

# The curve of mgcv at nine points of the grid of 100 that the ledger has, by REML; read by pipelines/smooths_test.go.
d <- read.csv("mcycle.csv")
fit <- gam(accel ~ s(times, k = 20), data = d, method = "REML")
x <- seq(min(d$times), max(d$times), length = 100)[seq(2, 98, by = 12)]
p <- predict(fit, data.frame(times = x), type = "terms", se.fit = TRUE)
writeLines(paste0('{"x":', num(x), ',\n "fit":', num(p$fit), ',\n "se":', num(p$se.fit), ',\n "sigma":', sprintf("%.17g", sqrt(fit$sig2)), "}"),
           "motorcycle.json")
