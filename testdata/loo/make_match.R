# Makes the golden numbers of moment matching with loo_moment_match of the R package loo, once:
#   cd testdata/loo && Rscript make_match.R
# Debian's r-cran-loo 2.5.1. A poisson regression of quine's days of absence, which are overdispersed, so that
# many rows have a high Pareto k; draws are those of a random walk, rounded.
#
# loo 2.5.1 takes half of the draws back by S⁻¹·M⁻¹·(x − mean) + mean − shift, which is no inverse of what it moves the
# others by where it has scaled them, takes the second half of the draws twice for r_eff, and exp(elpd) for elpd in the
# Monte Carlo error. The golden numbers are those of the package with these three set right; elpd_asis is of the package
# as it is.
suppressMessages(library(loo))
options(digits = 17)
set.seed(20260102)

d <- read.csv("../classic/quine.csv")
x <- model.matrix(~ Sex + Age + Eth, d)
keep <- seq(1, nrow(d), by = 4)
x <- x[keep, ]; y <- d$Days[keep]
log_prob <- function(u) sum(dpois(y, exp(x %*% u), log = TRUE)) + sum(dnorm(u, 0, 2.5, log = TRUE))

chains <- 4; draws <- 250; thin <- 20
g <- glm(y ~ x - 1, family = poisson)
l <- t(chol(vcov(g)))
walk <- function() {
  u <- coef(g) + 2 * l %*% rnorm(ncol(x)); at <- log_prob(u); out <- NULL
  for (i in seq_len(draws * thin + 200)) {
    v <- u + 1.2 * l %*% rnorm(ncol(x)); there <- log_prob(v)
    if (log(runif(1)) < there - at) { u <- v; at <- there }
    if (i > 200 && i %% thin == 0) out <- rbind(out, as.vector(u))
  }
  round(out, 9)
}
upars <- do.call(rbind, lapply(seq_len(chains), function(c) walk()))
id <- rep(seq_len(chains), each = draws)

fit <- list(upars = upars)
one <- function(x, i, ...) matrix(dpois(y[i], exp(upars %*% get("x", globalenv())[i, ]), log = TRUE), draws, chains)
many <- function(x, upars, i, ...) as.vector(dpois(y[i], exp(upars %*% get("x", globalenv())[i, ]), log = TRUE))
probs <- function(x, upars, ...) apply(upars, 1, log_prob)
ll <- sapply(seq_along(y), function(i) as.vector(one(NULL, i)))
before <- suppressWarnings(loo(ll, r_eff = relative_eff(exp(ll), chain_id = id)))
threshold <- 0.1 # low, so that many rows are moved, and by every form
match <- function() suppressWarnings(loo_moment_match(before, x = fit, post_draws = function(x, ...) x$upars,
  log_lik_i = one, unconstrain_pars = function(x, pars, ...) pars, log_prob_upars = probs, log_lik_i_upars = many,
  k_threshold = threshold, cores = 1))
asis <- match()

split <- deparse(loo:::loo_moment_match_split)
put <- function(from, to, count) {
  stopifnot(sum(grepl(from, split, fixed = TRUE)) == count)
  split <<- sub(from, to, split, fixed = TRUE)
}
put("upars_trans_inv <- sweep(upars, 2, mean_original, \"-\")",
    "upars_trans_inv <- sweep(upars, 2, mean_original + total_shift, \"-\")", 1)
at <- grep("mean_original - ", split, fixed = TRUE)
stopifnot(length(at) == 1, grepl("total_shift, \"+\")", split[at + 1], fixed = TRUE))
split[at] <- sub("mean_original - ", "mean_original, \"+\")", split[at], fixed = TRUE)
split[at + 1] <- ""
at <- grep("take <- seq_len(S)[-seq_len(S_half)]", split, fixed = TRUE)
split[at[length(at) - 1]] <- "    take <- seq_len(S_half)"
fixed <- eval(parse(text = paste(split, collapse = "\n")), asNamespace("loo"))
assignInNamespace("loo_moment_match_split", fixed, "loo")
one_row <- deparse(loo:::loo_moment_match_i)
at <- grep("exp(elpd_loo_i)", one_row, fixed = TRUE)
stopifnot(length(at) == 1)
one_row[at] <- sub("exp(elpd_loo_i)", "elpd_loo_i", one_row[at], fixed = TRUE)
assignInNamespace("loo_moment_match_i", eval(parse(text = paste(one_row, collapse = "\n")), asNamespace("loo")), "loo")
after <- match()

num <- function(v) sprintf("%.17g", v)
writeLines(c(paste(y, apply(x, 1, paste, collapse = ","), sep = ",")), "match_data.csv")
writeLines(apply(upars, 1, function(u) paste(format(u, digits = 12, trim = TRUE), collapse = ",")), "match_draws.csv")
high <- which(before$diagnostics$pareto_k > threshold)
out <- data.frame(row = high, k_before = num(before$diagnostics$pareto_k[high]),
  k = num(after$diagnostics$pareto_k[high]), elpd = num(after$pointwise[high, "elpd_loo"]),
  mcse = num(after$pointwise[high, "mcse_elpd_loo"]), elpd_asis = num(asis$pointwise[high, "elpd_loo"]))
stopifnot(identical(asis$diagnostics$pareto_k, after$diagnostics$pareto_k))
write.csv(out, "match.csv", row.names = FALSE, quote = FALSE)
print(out)
