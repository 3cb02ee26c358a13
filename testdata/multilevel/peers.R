# How soon Stan has a posterior of grouped data: README.md says what is measured.
#
#   STAN_PROGRAMS=FOLDER Rscript peers.R DATA rstan|rstanarm NAME WARMUP DRAWS SEED
#
# runs one chain of one case of references.R and prints a line of JSON: processor seconds of warm-up and sampling, the
# least bulk effective sample size of all coefficients, sds, correlations and effects, and of which parameter.
peers <- TRUE
source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "references.R"))

# by_program is a run of our own Stan program, as references.R has it.
by_program <- function(case, frame, warmup, draws, seed) {
  made <- prepare(case, frame)
  model <- program(made$program)
  set.seed(seed)
  sampling(model, made$data, pars = made$stan, chains = 1, seed = seed, init = made$init, warmup = warmup,
    iter = warmup + draws, refresh = 0, control = list(adapt_delta = case$delta, max_treedepth = 12))
}

# by_rstanarm is a run of rstanarm with its own priors and settings.
by_rstanarm <- function(case, frame, warmup, draws, seed) {
  f <- as.formula(if (is.null(case$lme4)) case$formula else case$lme4)
  suppressMessages(library(rstanarm))
  common <- list(formula = f, data = frame, chains = 1, cores = 1, warmup = warmup, iter = warmup + draws, seed = seed,
    refresh = 0)
  if (case$family %in% c("gaussian", "correlated")) return(do.call(stan_lmer, common)$stanfit)
  common$family <- if (case$family == "poisson") poisson() else binomial()
  do.call(stan_glmer, common)$stanfit
}

name <- args[3]
case <- cases[[name]]
frame <- read.csv(file.path(args[1], paste0(sub("-.*", "", name), ".csv")), check.names = FALSE)
if (!is.null(case$prepare)) frame <- case$prepare(frame)
run <- switch(args[2], rstan = by_program, rstanarm = by_rstanarm)
fit <- suppressWarnings(run(case, frame, as.integer(args[4]), as.integer(args[5]), as.integer(args[6])))
draws <- as.array(fit)[, 1, ]
draws <- draws[, !colnames(draws) %in% c("lp__", "log-posterior", "mean_PPD") & !grepl("_NEW_", colnames(draws))]
ess <- apply(draws, 2, ess_bulk)
seconds <- get_elapsed_time(fit)
cat(toJSON(list(warmup = seconds[, "warmup"], sampling = seconds[, "sample"], least = min(ess, na.rm = TRUE),
  of = names(which.min(ess)), parameters = ncol(draws)), auto_unbox = TRUE, digits = I(6)), "\n", sep = "")
