# Tests of the client. Run in this folder: GLMBATCH_PIPELINE=../../bin/pipeline Rscript test_glmbatch.R

source("glmbatch.R")

fails <- function(code, pattern) {
  text <- tryCatch({ force(code); "no error" }, error = conditionMessage)
  if (!grepl(pattern, text)) stop("the error is ", text, ", want ", pattern)
}

set.seed(3)
x <- rnorm(60)
frame <- data.frame(y = 1 + 2 * x + rnorm(60, sd = 0.5), x = x, g = rep(c("1", "2", "a \"b\", c"), 20),
                    size = factor(rep(c("small", "large", "huge"), 20), levels = c("small", "large", "huge")),
                    flag = rep(c(TRUE, FALSE), 30), hole = c(1, 2, NA, 4:60), day = as.Date("2026-01-01") + 0:59, start = as.Date("2026-01-01"))

# A fit: its verdict, draws, summary and effects agree.
fit <- glmbatch_fit(frame, y ~ x + size, run = list(chains = 2))
stopifnot(fit$verdict == "pass", length(fit$reasons) == 0)
d <- draws(fit)
s <- summary(fit)
mean_of <- function(name) s$mean[s$parameter == name]
stopifnot(names(d)[1:4] == c("(Intercept)", "x", "sizelarge", "sizehuge"), max(d$.chain) == 2,
          abs(mean(d$x) - mean_of("x")) < 1e-9, abs(mean_of("x") - 2) < 0.4)
if (requireNamespace("posterior", quietly = TRUE)) {
  stopifnot(inherits(d, "draws_df"), posterior::nchains(d) == 2,
            abs(posterior::summarise_draws(d)$mean[2] - mean_of("x")) < 1e-9)
}
e <- effects(fit, "x", at = "x=0,1")
stopifnot(nrow(e) == 2, abs(e$mean[2] - e$mean[1] - mean_of("x")) < 1e-6)
invisible(capture.output(print(fit)))

# The least squares of lm are near, also with text, logical values, missing cells and dates.
cells <- glmbatch_fit(frame, "y ~ x + hole + flag + g", missing = "drop")
ours <- summary(cells)
theirs <- coef(lm(y ~ x + hole + flag + g, frame))
stopifnot(max(abs(ours$mean[match(c("x", "hole", "flagTRUE", "g2"), ours$parameter)] -
                  theirs[c("x", "hole", "flagTRUE", "g2")])) < 0.1)
stopifnot("I(day - start)" %in% summary(glmbatch_fit(frame, "y ~ I(day - start)"))$parameter)

# Errors are the program's.
bad <- frame
bad$g[1] <- "NA"
fails(glmbatch_fit(bad, y ~ x), "stands for a missing cell")
fails(glmbatch_fit(frame, y ~ z), "there is no column \"z\"")
fails(glmbatch_fit(frame[0, ], y ~ x), "at least one row")
fails(open_ledger("none.duckdb"), "there is no ledger")

# A ledger that is there.
path <- tempfile(fileext = ".duckdb")
kept <- glmbatch_fit(frame, y ~ x, ledger = path)
ledger <- open_ledger(path)
again <- ledger_fit(ledger, ledger_fits(ledger)$fit_id)
stopifnot(again$verdict == kept$verdict, is.nan(ledger_sql(ledger, "SELECT 'NaN'::DOUBLE AS n")$n))
fails(effects(again, "x"), "effects needs the data")
fails(ledger_fit(ledger, 99), "has no fit 99")
cat("client: ok\n")
