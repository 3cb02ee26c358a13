# Stan's NUTS on every reference posterior of posteriordb, with Stan's defaults:
# 1000 iterations of warm-up and 1000 draws (of diamonds 500 and 500), for the diagonal and the dense
# metric. Prints a line for each chain, as TestNutsCost does: the least bulk ESS
# of a parameter in this chain alone, gradients (leapfrog steps) of warm-up and of
# sampling, and divergences.
suppressMessages({library(rstan); library(jsonlite)})
rstan_options(boost_lib = "/usr/include", auto_write = TRUE) # Debian's r-cran-bh has no headers of its own
here <- Sys.getenv("STAN_PROGRAMS")                          # a folder where programs are kept compiled
args <- commandArgs(trailingOnly = TRUE)
base <- args[1]
only <- if (length(args) > 1) args[2] else "." # a pattern of names

priors <- "
  for (j in 1:d) {
    if (kind[j] == 1) target += normal_lpdf(beta[j] | location[j], scale[j]);
    if (kind[j] == 2) target += student_t_lpdf(beta[j] | df[j], location[j], scale[j]);
  }"
design <- "int n; int d; matrix[n, d] X; int kind[d]; vector[d] location; vector[d] scale; vector[d] df;"
programs <- list(
  gaussian = paste("data {", design, "vector[n] y; int sigma_kind; real sigma_scale; real sigma_df; }
    parameters { vector[d] beta; real<lower=0> sigma; }
    model {", priors, "
      if (sigma_kind == 1) target += normal_lpdf(sigma | 0, sigma_scale);
      if (sigma_kind == 2) target += student_t_lpdf(sigma | sigma_df, 0, sigma_scale);
      target += normal_id_glm_lpdf(y | X, 0, beta, sigma);
    }"),
  binomial = paste("data {", design, "int y[n]; }
    parameters { vector[d] beta; }
    model {", priors, "target += bernoulli_logit_glm_lpmf(y | X, 0, beta); }"),
  # uniform priors: the first coefficient's limits are its own, as in posteriordb
  poisson = "data { int n; int d; matrix[n, d] X; int y[n]; vector[2] low; vector[2] high; }
    parameters { real<lower=low[1], upper=high[1]> first; vector<lower=low[2], upper=high[2]>[d - 1] rest; }
    model { target += poisson_log_glm_lpmf(y | X, 0, append_row(first, rest)); }")

# program compiles one, once.
program <- function(family) {
  file <- file.path(here, paste0(family, ".stan"))
  if (!file.exists(file)) writeLines(programs[[family]], file)
  stan_model(file)
}

# key is the reference's name of a column.
key <- function(p, column) {
  at <- which(unlist(p$parameter_map) == column)
  if (length(at) == 0) column else names(p$parameter_map)[at]
}

# frame reads a design. Of the one that is Parquet it takes the copy in the
# tests, which package ingest holds equal to it.
frame <- function(p) {
  copy <- sub("\\.parquet$", ".csv.gz", basename(p$design_file))
  here <- file.path(base, p$design_file)
  if (grepl("parquet$", here)) here <- file.path(Sys.getenv("STAN_TESTDATA"), copy)
  read.csv(here, check.names = FALSE)
}

or <- function(x, otherwise) if (is.null(x)) otherwise else x

# prepare returns Stan's data.
prepare <- function(p) {
  columns <- unlist(p$design_columns)
  rows <- frame(p)
  X <- as.matrix(rows[, columns, drop = FALSE])
  if (p$intercept) { X <- cbind(1, X); columns <- c("(Intercept)", columns) }
  prior <- lapply(columns, function(column) p$priors[[key(p, column)]])
  out <- list(n = nrow(X), d = ncol(X), X = X, y = rows[[p$response]])
  if (p$family == "poisson") {
    stopifnot(all(sapply(prior, `[[`, "dist") == "uniform"), length(unique(sapply(prior[-1], `[[`, "upper"))) == 1)
    out$low <- sapply(prior[1:2], `[[`, "lower")
    out$high <- sapply(prior[1:2], `[[`, "upper")
    return(out)
  }
  kinds <- c(flat = 0, normal = 1, student_t = 2)
  out$kind <- as.array(unname(kinds[sapply(prior, `[[`, "dist")]))
  out$location <- as.array(sapply(prior, function(q) or(q$mean, or(q$location, 0))))
  out$scale <- as.array(sapply(prior, function(q) or(q$sd, or(q$scale, 1))))
  out$df <- as.array(sapply(prior, function(q) or(q$df, 1)))
  stopifnot(!anyNA(out$kind))
  if (p$family == "gaussian") {
    q <- p$priors$sigma
    out$sigma_kind <- unname(c(flat = 0, half_normal = 1, half_cauchy = 2, half_student_t = 2)[q$dist])
    out$sigma_scale <- or(q$sd, or(q$scale, 1))
    out$sigma_df <- or(q$df, 1)
    stopifnot(!is.na(out$sigma_kind))
  } else {
    stopifnot(is.null(rows$N) || all(rows$N == 1))
  }
  out
}

for (p in read_json(file.path(base, "index.json"))$posteriors) {
  if (!grepl(only, p$name)) next
  data <- prepare(p)
  # 5000 × 25, with some 500 gradients an iteration, would take hours
  large <- p$name == "diamonds-diamonds"
  chains <- if (large) 4 else 12
  warmup <- if (large) 500 else 1000 # and as many draws
  for (metric in c("diagonal", "dense")) {
    fit <- suppressWarnings(sampling(program(p$family), data, chains = chains, iter = 2 * warmup, warmup = warmup, seed = 1,
      refresh = 0, control = list(metric = if (metric == "dense") "dense_e" else "diag_e")))
    draws <- as.array(fit)
    draws <- draws[, , dimnames(draws)[[3]] != "lp__", drop = FALSE]
    steps <- get_sampler_params(fit, inc_warmup = TRUE)
    for (c in seq_len(chains)) {
      ess <- min(apply(draws[, c, , drop = FALSE], 3, function(x) ess_bulk(matrix(x, ncol = 1))))
      s <- steps[[c]]
      cat(sprintf("stan %s %s %d %.1f %d %d %d\n", p$name, metric, c, ess,
        sum(s[1:warmup, "n_leapfrog__"]), sum(s[-(1:warmup), "n_leapfrog__"]), sum(s[-(1:warmup), "divergent__"])))
    }
  }
}
