# The time that Stan or JAGS needs for a posterior of grouped data: README.md defines what is measured.
#
#   STAN_PROGRAMS=FOLDER Rscript peers.R DATA rstan|rstanarm|jags NAME WARMUP DRAWS SEED
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

# jags_prior is the prior of a standard deviation by the codes of stan/terms.stan.
jags_prior <- function(name, kind, p, q) switch(kind,
  sprintf("%s ~ dnorm(0, pow(%.17g, -2)) T(0,)", name, p), sprintf("%s ~ dt(0, pow(%.17g, -2), %.17g) T(0,)", name, q, p),
  sprintf("%s ~ dt(0, pow(%.17g, -2), 1) T(0,)", name, p), sprintf("%s ~ dunif(%.17g, %.17g)", name, p, q),
  sprintf("%s ~ dexp(%.17g)", name, p))

# by_jags is a run of JAGS with its module glm, which updates coefficients and effects in blocks, in the coordinates of
# stan/terms.stan with every term centred. It returns draws, and processor seconds of set-up with warm-up and of sampling.
by_jags <- function(case, frame, warmup, draws, seed) {
  case$program <- NULL
  stopifnot(case$family != "correlated")
  d <- prepare(case, frame)$data
  suppressMessages({ library(rjags); load.module("glm", quiet = TRUE) })
  likelihood <- c("y[i] ~ dnorm(eta[i], pow(sigma, -2))", "y[i] ~ dnorm(eta[i], pow(se[i], -2))",
    "y[i] ~ dbin(ilogit(eta[i]), trials[i])", "y[i] ~ dbern(ilogit(eta[i]))", "y[i] ~ dpois(exp(eta[i]))")[d$family]
  gaussian <- d$family == 1
  sds <- c(sprintf("tau[%d]", seq_len(d$K)), if (gaussian) "sigma")
  terms <- paste(sprintf("z[%d, i] * u[level[%d, i]]", seq_len(d$K), seq_len(d$K)), collapse = " + ")
  text <- c("model {", sprintf("for (i in 1:n) {\neta[i] <- inprod(X[i, ], b) + %s\n%s\n}", terms, likelihood),
    sprintf(c("b[%d] ~ dnorm(%.17g, pow(%.17g, -2))", "b[%d] ~ dunif(%.17g, %.17g)")[d$kind], seq_len(d$d), d$p, d$q),
    mapply(jags_prior, sds, d$sd_kind[seq_along(sds)], d$sd_p[seq_along(sds)], d$sd_q[seq_along(sds)]),
    "for (l in 1:L) {\nu[l] ~ dnorm(inprod(W[l, ], b), pow(tau[of[l]], -2))\n}", "}")
  data <- c(d[c("n", "X", "z", "level", "L", "W")], list(y = if (d$family > 2) d$counts else d$y,
    of = rep(seq_len(d$K), d$last - d$first + 1)), if (d$family == 2) d["se"], if (d$family == 3) d["trials"])
  began <- proc.time()
  model <- jags.model(textConnection(paste(text, collapse = "\n")), data, n.adapt = warmup, quiet = TRUE,
    inits = list(.RNG.name = "base::Mersenne-Twister", .RNG.seed = seed))
  warm <- proc.time()
  got <- as.matrix(coda.samples(model, c("b", "tau", "u", if (gaussian) "sigma"), draws, progress.bar = "none")[[1]])
  took <- c(sum((warm - began)[1:2]), sum((proc.time() - warm)[1:2]))
  b <- got[, if (d$d == 1) "b" else sprintf("b[%d]", seq_len(d$d)), drop = FALSE]
  r <- got[, sprintf("u[%d]", seq_len(d$L))] - b %*% t(d$W)
  if (d$intercept) b[, 1] <- b[, 1] - b %*% d$means
  list(draws = cbind(b, got[, grepl("^(tau|sigma)", colnames(got)), drop = FALSE], r), seconds = took)
}

# report prints a line of JSON.
report <- function(draws, warmup, sampling) {
  ess <- apply(draws, 2, ess_bulk)
  cat(toJSON(list(warmup = warmup, sampling = sampling, least = min(ess, na.rm = TRUE), of = names(which.min(ess)),
    parameters = ncol(draws)), auto_unbox = TRUE, digits = I(6)), "\n", sep = "")
}

name <- args[3]
case <- cases[[name]]
frame <- read.csv(file.path(args[1], paste0(sub("-.*", "", name), ".csv")), check.names = FALSE)
if (!is.null(case$prepare)) frame <- case$prepare(frame)
run <- switch(args[2], rstan = by_program, rstanarm = by_rstanarm, jags = by_jags)
fit <- suppressWarnings(run(case, frame, as.integer(args[4]), as.integer(args[5]), as.integer(args[6])))
if (args[2] == "jags") {
  report(fit$draws, fit$seconds[1], fit$seconds[2])
  if (nzchar(Sys.getenv("JAGS_MEANS"))) # to compare with NAME.reference.json
    write.csv(cbind(mean = colMeans(fit$draws), sd = apply(fit$draws, 2, sd), ess = apply(fit$draws, 2, ess_bulk)),
      Sys.getenv("JAGS_MEANS"))
} else {
  draws <- as.array(fit)[, 1, ]
  draws <- draws[, !colnames(draws) %in% c("lp__", "log-posterior", "mean_PPD") & !grepl("_NEW_", colnames(draws))]
  seconds <- get_elapsed_time(fit)
  report(draws, seconds[, "warmup"], seconds[, "sample"])
}
