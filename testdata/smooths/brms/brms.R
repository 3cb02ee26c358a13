# The posterior of accel ~ s(times, k = 20) as brms has it, with its own program and its own priors: ../README.md.
#
#   Rscript brms.R
#
# writes brms.json beside this script.
suppressMessages({library(brms); library(posterior); library(jsonlite)})
rstan::rstan_options(boost_lib = "/usr/include") # Debian's r-cran-bh has no headers of its own
here <- dirname(normalizePath(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))))
fit <- brm(accel ~ s(times, k = 20), data = MASS::mcycle, chains = 4, cores = 2, iter = 6000, warmup = 1000, seed = 7,
  refresh = 0, control = list(adapt_delta = .99, max_treedepth = 12))
nuts <- nuts_params(fit)
stopifnot(sum(subset(nuts, Parameter == "divergent__")$Value) == 0, max(subset(nuts, Parameter == "treedepth__")$Value) < 12)
draws <- as_draws_array(fit, variable = c("b_Intercept", "bs_stimes_1", "sds_stimes_1", "sigma"))
rows <- round(seq(1, nrow(MASS::mcycle), length = 15))
at <- array(posterior_epred(fit, newdata = MASS::mcycle[rows, ]), c(5000, 4, length(rows)),
  list(NULL, NULL, sprintf("mean%d", seq_along(rows))))
s <- summarise_draws(bind_draws(draws, as_draws_array(at)), "mean", "sd", q05 = ~quantile(.x, .05, names = FALSE),
  q95 = ~quantile(.x, .95, names = FALSE), mcse = mcse_mean, ess = ess_bulk, rhat = rhat)
stopifnot(max(s$rhat) < 1.005, min(s$ess) > 2000)
prior <- prior_summary(fit)
out <- list(formula = "accel ~ s(times, k = 20)", brms = as.character(packageVersion("brms")), draws = 20000, times = MASS::mcycle$times[rows],
  priors = with(subset(prior, coef == "" & prior != ""), setNames(as.list(prior), class)),
  posterior = lapply(split(s[2:7], s$variable), as.list))
writeLines(toJSON(out, auto_unbox = TRUE, digits = I(8)), file.path(here, "brms.json"))
cat("least ESS", min(s$ess), "largest R-hat", max(s$rhat), "\n")
