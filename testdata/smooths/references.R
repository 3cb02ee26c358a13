# Reference posteriors of models with smooths by Stan's NUTS, run long: README.md says what they are.
#
#   STAN_PROGRAMS=FOLDER Rscript references.R [NAME ...]
#
# writes NAME.json beside this script, for the names given or for all. FOLDER keeps the compiled program.
suppressMessages({library(rstan); library(mgcv); library(jsonlite)})
rstan_options(boost_lib = "/usr/include", auto_write = TRUE) # Debian's r-cran-bh has no headers of its own
here <- dirname(normalizePath(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))))
args <- commandArgs(trailingOnly = TRUE)
folder <- Sys.getenv("STAN_PROGRAMS", tempdir())
dir.create(folder, FALSE, TRUE)
file.copy(file.path(here, "stan", "smooths.stan"), folder, overwrite = FALSE)
program <- stan_model(file.path(folder, "smooths.stan"))

# scale: of the normal priors of the columns, the intercept first; sds: of their half_student_t(3, sds).
cases <- list(
  mcycle = list(family = "gaussian", formula = "accel ~ s(times)", data = MASS::mcycle, y = "accel",
    smooths = list(s(times)), scale = 120, sds = 120, sigma = 0.0207),
  birthwt = list(family = "bernoulli", formula = "low ~ s(age) + s(lwt)", data = MASS::birthwt, y = "low",
    smooths = list(s(age), s(lwt)), scale = 2.5, sds = 2.5, sigma = 1),
  quine = list(family = "poisson", formula = "Days ~ s(u, by = Sex)", y = "Days",
    data = transform(MASS::quine, u = (seq_len(146) * 0.618033988749895) %% 1),
    smooths = list(s(u, by = Sex, k = 8)), scale = 2.5, sds = 2.5, sigma = 1))

run <- function(name) {
  case <- cases[[name]]
  X <- matrix(1, nrow(case$data), 1)
  Z <- NULL; of <- integer()
  for (s in case$smooths) for (sm in smoothCon(s, case$data, absorb.cons = TRUE, diagonal.penalty = TRUE)) {
    re <- smooth2random(sm, names(case$data), type = 2)
    X <- cbind(X, re$Xf)
    Z <- cbind(Z, re$rand[[1]])
    of <- c(of, rep(max(0, of) + 1L, ncol(re$rand[[1]])))
  }
  X <- signif(unname(X), 8); Z <- signif(unname(Z), 8)
  y <- case$data[[case$y]]
  data <- list(N = nrow(X), K = ncol(X), P = ncol(Z), S = max(of), X = X, Z = Z, of = of, y = y,
    counts = if (case$family == "gaussian") rep(0L, length(y)) else as.integer(y),
    family = match(case$family, c("gaussian", "bernoulli", "poisson")), scale = rep(case$scale, ncol(X)),
    sds_scale = case$sds, sigma_rate = case$sigma)
  fit <- sampling(program, data, chains = 4, cores = 1, iter = 6000, warmup = 1000, seed = 20, refresh = 0,
    control = list(adapt_delta = .99, max_treedepth = 12), pars = c("b", "sds", if (data$family == 1) "sigma", "eta"))
  stopifnot(get_num_divergent(fit) == 0, get_num_max_treedepth(fit) == 0)
  m <- as.data.frame(monitor(fit, warmup = 0, print = FALSE))
  m <- m[rownames(m) != "lp__", , drop = FALSE]
  stopifnot(max(m[, "Rhat"]) < 1.005, min(m[, "Bulk_ESS"]) > 2000)
  rows <- round(seq(1, nrow(X), length = 15))
  keep <- c(grep("^(b|sds|sigma)", rownames(m), value = TRUE), sprintf("eta[%d]", rows))
  posterior <- lapply(setNames(keep, keep), function(p)
    list(mean = m[p, "mean"], sd = m[p, "sd"], q05 = m[p, "5%"], q95 = m[p, "95%"], mcse = m[p, "se_mean"],
      ess = m[p, "Bulk_ESS"]))
  out <- list(formula = case$formula, family = case$family, rstan = as.character(packageVersion("rstan")),
    mgcv = as.character(packageVersion("mgcv")), draws = 20000, scale = case$scale, sds = case$sds, sigma = case$sigma,
    seconds = sum(get_elapsed_time(fit)), columns = apply(X, 2, identity, simplify = FALSE),
    penalised = apply(Z, 2, identity, simplify = FALSE), of = of, y = y, posterior = posterior)
  writeLines(toJSON(out, auto_unbox = TRUE, digits = I(8)), file.path(here, paste0(name, ".json")))
  cat(name, "least ESS", min(m[, "Bulk_ESS"]), "largest R-hat", max(m[, "Rhat"]), "\n")
}
for (name in if (length(args)) args else names(cases)) run(name)
