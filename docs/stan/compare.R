# Stan's NUTS on every reference posterior that the project's families and
# priors cover: 4 chains of 1000 iterations of warm-up and 1000 draws, Stan's
# defaults, for the diagonal and the dense metric. Prints the least bulk ESS of
# a parameter, gradients (leapfrog steps) of warm-up and sampling, ESS per
# gradient and divergences.
suppressMessages({library(rstan); library(jsonlite)})
rstan_options(boost_lib = "/usr/include") # Debian's r-cran-bh has no headers of its own
base <- commandArgs(trailingOnly = TRUE)[1]
only <- commandArgs(trailingOnly = TRUE)[2] # a pattern of names, or NA

gaussian <- stan_model(model_code = "
data { int n; int d; matrix[n, d] X; vector[n] y; vector[d] location; vector[d] scale;
       int sigma_prior; real sigma_scale; }
parameters { vector[d] beta; real<lower=0> sigma; }
model {
  for (j in 1:d) if (scale[j] > 0) target += normal_lpdf(beta[j] | location[j], scale[j]);
  if (sigma_prior == 1) target += normal_lpdf(sigma | 0, sigma_scale);
  if (sigma_prior == 2) target += cauchy_lpdf(sigma | 0, sigma_scale);
  target += normal_lpdf(y | X * beta, sigma);
}")
logistic <- stan_model(model_code = "
data { int n; int d; matrix[n, d] X; int y[n]; int trials[n]; vector[d] location; vector[d] scale; }
parameters { vector[d] beta; }
model {
  for (j in 1:d) if (scale[j] > 0) target += normal_lpdf(beta[j] | location[j], scale[j]);
  target += binomial_logit_lpmf(y | trials, X * beta);
}")

# key is the reference's name of a column.
key <- function(p, column) {
  at <- which(unlist(p$parameter_map) == column)
  if (length(at) == 0) column else names(p$parameter_map)[at]
}

# prepare returns Stan's data, or NULL if a prior is not flat, normal or half.
prepare <- function(p) {
  columns <- unlist(p$design_columns)
  frame <- read.csv(file.path(base, p$design_file), check.names = FALSE)
  X <- as.matrix(frame[, columns, drop = FALSE])
  if (p$intercept) { X <- cbind(1, X); columns <- c("(Intercept)", columns) }
  location <- scale <- numeric(0)
  for (column in columns) {
    prior <- p$priors[[key(p, column)]]
    if (!(prior$dist %in% c("flat", "normal"))) return(NULL)
    location <- c(location, if (prior$dist == "flat") 0 else prior$mean)
    scale <- c(scale, if (prior$dist == "flat") 0 else prior$sd)
  }
  out <- list(n = nrow(X), d = ncol(X), X = X, y = frame[[p$response]],
              location = as.array(location), scale = as.array(scale))
  if (p$family == "gaussian") {
    prior <- p$priors$sigma
    out$sigma_prior <- match(prior$dist, c("flat", "half_normal", "half_cauchy")) - 1
    if (is.na(out$sigma_prior)) return(NULL)
    out$sigma_scale <- max(prior$sd, prior$scale, 1e-300)
  } else {
    out$trials <- if ("N" %in% names(frame)) frame$N else rep(1L, nrow(X))
  }
  out
}

cat(sprintf("%-45s %-9s %8s %9s %9s %8s %4s\n", "posterior", "metric", "min ESS", "warm-up", "sampling", "ESS/grad", "div"))
for (p in read_json(file.path(base, "index.json"))$posteriors) {
  if (!(p$family %in% c("gaussian", "binomial")) || !grepl("csv$", p$design_file)) next
  if (!is.na(only) && !grepl(only, p$name)) next
  data <- prepare(p)
  if (is.null(data)) next
  for (metric in c("diagonal", "dense")) {
    fit <- suppressWarnings(sampling(if (p$family == "gaussian") gaussian else logistic, data, chains = 4, iter = 2000,
      warmup = 1000, seed = 1, refresh = 0, control = list(metric = if (metric == "dense") "dense_e" else "diag_e")))
    draws <- as.array(fit)
    draws <- draws[, , dimnames(draws)[[3]] != "lp__", drop = FALSE]
    ess <- min(apply(draws, 3, ess_bulk))
    leaps <- sapply(get_sampler_params(fit, inc_warmup = TRUE), function(s) c(sum(s[1:1000, "n_leapfrog__"]), sum(s[1001:2000, "n_leapfrog__"])))
    cat(sprintf("%-45s %-9s %8.0f %9.0f %9.0f %8.4f %4.0f\n", p$name, metric, ess, sum(leaps[1, ]), sum(leaps[2, ]),
      ess / sum(leaps[2, ]), get_num_divergent(fit)))
  }
}
