# Rscript brms.R [NAME ...] writes brms.json: posteriors by brms 2.18 of models that stan.json has too, with the same
# priors. 4 chains of 2500 draws after 1000. With names, only these are replaced. Each model is compiled, a minute each.
suppressMessages({library(brms); library(rstan); library(posterior); library(jsonlite)})
rstan_options(boost_lib = "/usr/include") # Debian's r-cran-bh has no headers of its own
read <- function(file, ...) transform(read.csv(file, stringsAsFactors = TRUE), ...)
births <- read("../classic/birthwt.csv"); births$race <- relevel(births$race, "white")
lung <- transform(na.omit(read("lung.csv")[c("time", "status", "age", "sex", "ph.ecog")]), censored = status == 1)
p <- function(text, class, ...) set_prior(text, class = class, ...)
counts <- function(dpar) c(p("normal(0, 1)", "b"), p("normal(0, 2.5)", "Intercept"), p("normal(0, 1)", "b", dpar = dpar),
  p("normal(0, 2)", "Intercept", dpar = dpar), p("exponential(0.5)", "shape"))
weights <- c(p("normal(0, 20)", "b"), p("normal(130, 50)", "Intercept"), p("exponential(0.05)", "sigma"))
classes <- do.call(c, lapply(c("mublack", "muother"), function(d)
  c(p("normal(0, 1)", "b", dpar = d), p("normal(0, 2.5)", "Intercept", dpar = d))))
cases <- list(
  categorical = list(race ~ age + smoke, births, categorical(), classes),
  zinb = list(bf(y ~ lbase + trt, zi ~ trt), read("../classic/epil.csv"), zero_inflated_negbinomial(), counts("zi")),
  hurdle_gamma = list(bf(Days ~ Age + Sex, hu ~ Sex), read("../classic/quine.csv"), hurdle_gamma(), counts("hu")),
  gaussian_sigma = list(bf(mpg ~ wt, sigma ~ wt), read("../classic/mtcars.csv"), gaussian(), c(p("normal(0, 10)", "b"),
    p("normal(20, 10)", "Intercept"), p("normal(0, 1)", "b", dpar = "sigma"), p("normal(1, 2)", "Intercept", dpar = "sigma"))),
  weibull = list(time | cens(censored) ~ age + sex + ph.ecog, lung, weibull(), c(p("normal(0, 1)", "b"),
    p("normal(5, 2)", "Intercept"), p("gamma(2, 1)", "shape"))),
  skew_normal = list(lwt ~ age + smoke, births, skew_normal(), c(weights, p("normal(0, 4)", "alpha"))),
  exgaussian = list(lwt ~ age + smoke, births, exgaussian(), c(weights, p("exponential(0.05)", "beta"))))

# prior_of is the prior of a parameter, of those that are given to a class of each predictor.
prior_of <- function(variable, given) {
  of <- sub("^b_", "", variable)
  predictor <- intersect(sub("_.*", "", of), given$dpar)
  if (variable == of || length(predictor) == 0) predictor <- ""
  kind <- if (variable == of) of else if (grepl("Intercept$", of)) "Intercept" else "b"
  given$prior[given$class == kind & given$dpar == predictor]
}

posterior_of <- function(name) {
  case <- cases[[name]]
  fit <- brm(case[[1]], case[[2]], case[[3]], prior = case[[4]], chains = 4, cores = 1, iter = 3500, warmup = 1000, seed = 20,
    refresh = 0, init_r = 0.5, control = list(adapt_delta = .95))
  draws <- as_draws_array(fit)
  draws <- subset_draws(draws, grep("^(lp__|lprior)$", variables(draws), invert = TRUE, value = TRUE))
  s <- summarise_draws(draws, "mean", "sd", q05 = ~quantile(.x, .05, names = FALSE), q50 = ~quantile(.x, .5, names = FALSE),
    q95 = ~quantile(.x, .95, names = FALSE), mcse = mcse_mean, ess = ess_bulk, tail = ess_tail, rhat = rhat)
  names <- sub("Intercept$", "(Intercept)", sub("^b_", "", s$variable))
  prior <- sapply(s$variable, prior_of, given = case[[4]])
  stopifnot(max(s$rhat) < 1.01, lengths(prior) == 1)
  cat(name, "least ESS", min(s$ess, s$tail), "R-hat", max(s$rhat), "\n")
  list(priors = as.list(setNames(unlist(prior), names)), least_tail_ess = min(s$tail),
    parameters = setNames(lapply(seq_along(names), function(i) lapply(as.list(s[i, 2:8]), signif, 6)), names))
}

# Each program has a process of its own: many compiled programs in one end in a segmentation fault.
args <- commandArgs(TRUE)
if (length(args) == 0) for (name in names(cases)) stopifnot(system2("Rscript", c("brms.R", name)) == 0)
out <- if (file.exists("brms.json")) read_json("brms.json") else list()
for (name in args) {
  out[[name]] <- posterior_of(name)
  text <- sapply(names(out), function(n) sprintf("%s: %s", toJSON(n, auto_unbox = TRUE),
    toJSON(out[[n]], auto_unbox = TRUE, digits = NA)))
  writeLines(paste0("{\n", paste(text, collapse = ",\n"), "\n}"), "brms.json")
}
