# processes.json: means and standard deviations of Gaussian processes along basis functions by brms 2.18 (rstan 2.21).
# Run it in testdata/classic; it takes about six minutes.
suppressMessages({library(brms); library(jsonlite)})
models <- list(
  mcycle = list(data = read.csv("mcycle.csv"), formula = accel ~ gp(times, k = 40, c = 5/4), family = gaussian(),
    prior = c(prior(normal(0, 50), class = Intercept), prior(normal(0, 60), class = sdgp),
              prior(inv_gamma(3, 0.4), class = lscale, coef = gptimes), prior(exponential(0.05), class = sigma)),
    at = data.frame(times = c(10, 21, 30))),
  discoveries = list(data = read.csv("discoveries.csv"),
    formula = count ~ gp(year, k = 30, c = 5/4), family = poisson(),
    prior = c(prior(normal(0, 2), class = Intercept), prior(normal(0, 1), class = sdgp),
              prior(inv_gamma(3, 0.4), class = lscale, coef = gpyear)),
    at = data.frame(year = c(1870, 1886, 1950))),
  topo = list(data = read.csv("topo.csv"), formula = z ~ gp(x, y, k = 7, c = 5/4), family = gaussian(),
    prior = c(prior(normal(800, 100), class = Intercept), prior(normal(0, 100), class = sdgp),
              prior(inv_gamma(3, 0.6), class = lscale, coef = gpxy), prior(exponential(0.05), class = sigma)),
    at = data.frame(x = c(1, 3, 5), y = c(1, 4, 2))))
out <- lapply(models, function(m) {
  started <- proc.time()[1]
  fit <- brm(m$formula, m$data, m$family, m$prior, chains = 4, iter = 6000, warmup = 1000, seed = 1, refresh = 0,
    control = list(adapt_delta = 0.99))
  message(proc.time()[1] - started, " s; least ESS ", min(rstan::summary(fit$fit)$summary[, "n_eff"]))
  print(rstan::get_elapsed_time(fit$fit))
  print(rstan::summary(fit$fit)$summary[1:4, ])
  draws <- as.data.frame(fit)
  keep <- grep("^(b_Intercept|sdgp_|lscale_|sigma)", names(draws), value = TRUE)
  values <- draws[keep]
  names(values) <- sub("b_Intercept", "(Intercept)", keep)
  eta <- posterior_linpred(fit, newdata = m$at)
  for (i in seq_len(nrow(m$at))) values[[paste0("at", m$at[i, 1])]] <- eta[, i]
  lapply(values, function(v) signif(c(mean(v), sd(v)), 6))
})
write_json(out, "processes.json", digits = 8, auto_unbox = TRUE, pretty = TRUE)
