# Reference posteriors of grouped data by Stan's NUTS: README.md says what they are.
#
#   STAN_PROGRAMS=FOLDER Rscript references.R DATA [NAME ...]
#
# reads the data sets of DATA and writes NAME.reference.json beside this script, for the names given or for all, and
# a line about each. FOLDER keeps the compiled programs.
suppressMessages({library(rstan); library(lme4); library(jsonlite)})
rstan_options(boost_lib = "/usr/include", auto_write = TRUE) # Debian's r-cran-bh has no headers of its own
here <- dirname(normalizePath(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))))
args <- commandArgs(trailingOnly = TRUE)
folder <- Sys.getenv("STAN_PROGRAMS", tempdir())
dir.create(folder, FALSE, TRUE)

# program compiles one, once.
program <- function(name) {
  file <- file.path(folder, paste0(name, ".stan"))
  text <- readLines(file.path(here, "stan", paste0(name, ".stan")))
  if (!file.exists(file) || !identical(readLines(file), text)) writeLines(text, file)
  stan_model(file)
}

# term is (0 + x | group), or (1 | group) without x. A term that carries columns is sampled centred about their part
# of eta.
term <- function(group, x = NULL, carries = character(), centred = length(carries) > 0)
  list(group = group, x = x, carries = carries, centred = centred)

# half_t is the default prior of an sd under the identity link, to three digits as pipeline validate prints them.
half_t <- function(y) sprintf("half_student_t(3, %s)", format(signif(2.5 * sd(y), 3)))

# The models. fixed is the formula of the columns; formula the whole as written for this program; priors by name of a
# parameter, "b" for the coefficients not named and "sd" for the sds; at: where the intercept's prior is.
cases <- list(
  eight_schools = list(family = "se", formula = "effect | se(se) ~ 1 + (1 | school)", response = "effect", fixed = ~ 1,
    terms = list(term("school")), at = "zero", delta = .99, draws = 5000,
    priors = list("(Intercept)" = "normal(0, 5)", sd = "half_cauchy(5)"), lme4 = NULL),
  sleepstudy = list(family = "correlated", formula = "Reaction ~ Days + (Days | Subject)", response = "Reaction",
    fixed = ~ Days, at = "means", delta = .95, draws = 3000,
    priors = list("(Intercept)" = "normal(299, 141)", Days = "normal(0, 48.9)", sd = half_t,
      cor = "lkj(1)", sigma = "exponential(0.0178)")),
  "radon_mn-slopes" = list(family = "gaussian", formula = "log_radon ~ floor + (1 + floor || county)",
    response = "log_radon", fixed = ~ floor, terms = list(term("county"), term("county", "floor")),
    at = "zero", delta = .95, draws = 4000,
    priors = list(b = "normal(0, 10)", sd = "half_normal(1)", sigma = "half_normal(1)")),
  "radon_mn-uppm" = list(family = "gaussian", formula = "log_radon ~ log_uppm + floor + (1 | county)",
    response = "log_radon", fixed = ~ log_uppm + floor, terms = list(term("county")),
    at = "zero", delta = .95, draws = 4000,
    priors = list(b = "normal(0, 10)", sd = "half_normal(1)", sigma = "half_normal(1)")),
  cbpp = list(family = "binomial", formula = "incidence | trials(size) ~ factor(period) + (1 | herd)",
    response = "incidence", trials = "size", prepare = function(f) transform(f, period = factor(period)),
    fixed = ~ period, lme4 = "cbind(incidence, size - incidence) ~ period + (1 | herd)",
    terms = list(term("herd")), at = "means", delta = .95, draws = 3000,
    priors = list("(Intercept)" = "normal(0, 2.5)", period2 = "normal(0, 5.72)", period3 = "normal(0, 5.72)",
      period4 = "normal(0, 5.87)", sd = "half_student_t(3, 2.5)")),
  grouseticks = list(family = "poisson", program = "nested", response = "TICKS",
    prepare = function(f) transform(f, YEAR = factor(YEAR)),
    formula = "TICKS ~ factor(YEAR) + cHEIGHT + (1 | BROOD) + (1 | INDEX) + (1 | LOCATION)", fixed = ~ YEAR + cHEIGHT,
    lme4 = "TICKS ~ YEAR + cHEIGHT + (1 | BROOD) + (1 | INDEX) + (1 | LOCATION)",
    terms = list(term("BROOD"), term("INDEX"), term("LOCATION")), at = "means", delta = .95, draws = 4000,
    priors = list("(Intercept)" = "normal(0, 2.5)", YEAR96 = "normal(0, 5.13)", YEAR97 = "normal(0, 5.33)",
      cHEIGHT = "normal(0, 0.0695)", sd = "half_student_t(3, 2.5)")),
  seeds = list(family = "binomial", formula = "germinated | trials(seeds) ~ variety * extract + (1 | plate)",
    response = "germinated", trials = "seeds", fixed = ~ variety * extract,
    lme4 = "cbind(germinated, seeds - germinated) ~ variety * extract + (1 | plate)",
    terms = list(term("plate")), at = "zero", delta = .99, draws = 8000,
    priors = list(b = "normal(0, 1000)", sd = "1/sd^2: gamma(0.001, 0.001)")),
  surgical = list(family = "binomial", formula = "deaths | trials(operations) ~ 1 + (1 | hospital)",
    response = "deaths", trials = "operations", fixed = ~ 1,
    lme4 = "cbind(deaths, operations - deaths) ~ 1 + (1 | hospital)",
    terms = list(term("hospital")), at = "zero", delta = .99, draws = 5000,
    priors = list(b = "normal(0, 1000)", sd = "sd^2: inverse_gamma(0.001, 0.001)")),
  Dyestuff = list(family = "gaussian", formula = "Yield ~ 1 + (1 | Batch)", response = "Yield", fixed = ~ 1,
    terms = list(term("Batch")), at = "means", delta = .99, draws = 5000,
    priors = list("(Intercept)" = "normal(1528, 158)", sd = half_t, sigma = "exponential(0.0159)")),
  Dyestuff2 = list(family = "gaussian", formula = "Yield ~ 1 + (1 | Batch)", response = "Yield", fixed = ~ 1,
    terms = list(term("Batch")), at = "means", delta = .99, draws = 5000,
    priors = list("(Intercept)" = "normal(5.67, 9.29)", sd = half_t, sigma = "exponential(0.269)")),
  Penicillin = list(family = "gaussian", formula = "diameter ~ 1 + (1 | plate) + (1 | sample)", response = "diameter",
    fixed = ~ 1, terms = list(term("plate", centred = TRUE), term("sample", carries = "(Intercept)")), at = "means",
    delta = .95, draws = 4000,
    priors = list("(Intercept)" = "normal(22.97, 5.08)", sd = half_t, sigma = "exponential(0.492)")),
  Pastes = list(family = "gaussian", formula = "strength ~ 1 + (1 | batch/cask)", response = "strength", fixed = ~ 1,
    prepare = function(f) cbind(f, "batch:cask" = paste(f$batch, f$cask, sep = "_")),
    terms = list(term("batch"), term("batch:cask")), at = "means", delta = .99, draws = 6000,
    priors = list("(Intercept)" = "normal(60.05, 8.1)", sd = half_t, sigma = "exponential(0.309)")),
  rats = list(family = "gaussian", formula = "weight ~ I(day - 22) + (1 + I(day - 22) || rat)", response = "weight",
    fixed = ~ I(day - 22), at = "zero", delta = .95, draws = 3000,
    lme4 = "weight ~ I(day - 22) + (1 | rat) + (0 + I(day - 22) | rat)",
    terms = list(term("rat", carries = "(Intercept)"), term("rat", "I(day - 22)", carries = "I(day - 22)")),
    priors = list(b = "normal(0, 100)", sd = "flat", sigma = "flat")),
  falcons = list(family = "poisson", formula = "count ~ year + I(year^2) + I(year^3) + (1 | id)", response = "count",
    fixed = ~ year + I(year^2) + I(year^3), terms = list(term("id")), at = "zero", delta = .95, draws = 3000,
    priors = list("(Intercept)" = "uniform(-20, 20)", "I(year^2)" = "uniform(-10, 20)", b = "uniform(-10, 10)",
      sd = "uniform(0, 5)")),
  tits = list(family = "poisson", formula = "count ~ 1 + (1 | site)", response = "count", fixed = ~ 1,
    prepare = function(f) f[!is.na(f$count), ],
    terms = list(term("site", carries = "(Intercept)")), at = "zero", delta = .95, draws = 2500,
    priors = list("(Intercept)" = "normal(0, 10)", sd = "uniform(0, 5)")),
  lsat = list(family = "bernoulli", formula = "correct ~ 0 + question + (1 | person)", response = "correct",
    fixed = ~ 0 + question, terms = list(term("person")), delta = .95, draws = 2000, store = function(f) {
      pattern <- tapply(f$correct, f$person, paste, collapse = "")
      names(pattern)[!duplicated(pattern)] # the effects of persons with the same answers have the same law
    },
    priors = list(b = "normal(0, 100)", sd = "half_normal(100)")),
  VerbAgg = list(family = "bernoulli", formula = "r2 ~ Anger + Gender + btype + situ + (1 | id) + (1 | item)",
    response = "r2", prepare = function(f) transform(f, r2 = as.integer(r2 == "Y")),
    fixed = ~ Anger + Gender + btype + situ,
    terms = list(term("id", carries = c("Anger", "GenderM")),
      term("item", carries = c("(Intercept)", "btypescold", "btypeshout", "situself"))),
    at = "means", delta = .9, draws = 1500,
    priors = list("(Intercept)" = "normal(0, 2.5)", Anger = "normal(0, 0.516)", GenderM = "normal(0, 5.93)",
      btypescold = "normal(0, 5.3)", btypeshout = "normal(0, 5.3)", situself = "normal(0, 5)",
      sd = "half_student_t(3, 2.5)")))

# prior_of returns the prior of a parameter: its own, or that of "b" or "sd".
prior_of <- function(case, name, kind, y) {
  p <- case$priors[[name]]
  if (is.null(p)) p <- case$priors[[kind]]
  if (is.function(p)) p(y) else p
}

# numbers returns kind and numbers of a prior as terms.stan has them.
numbers <- function(text, kinds) {
  kind <- kinds[[sub("\\(.*", "", text)]]
  parts <- if (grepl("(", text, fixed = TRUE)) as.numeric(strsplit(gsub(".*\\(|\\)", "", text), ",")[[1]]) else 0
  c(kind, parts, 0)[1:3]
}
of_coefficient <- list(normal = 1, uniform = 2)
of_sd <- list(flat = 0, half_normal = 1, half_student_t = 2, half_cauchy = 3, uniform = 4, exponential = 5,
  "1/sd^2: gamma" = 6, "sd^2: inverse_gamma" = 6)

# prepare returns Stan's data and the names of what is stored.
prepare <- function(case, frame) {
  X <- model.matrix(case$fixed, frame)
  columns <- colnames(X)
  y <- frame[[case$response]]
  intercept <- columns[1] == "(Intercept)"
  means <- if (identical(case$at, "means")) c(0, colMeans(X)[-1]) else rep(0, ncol(X))
  X <- sweep(X, 2, means)
  prior <- sapply(columns, function(name) prior_of(case, name, "b", y))
  if (case$family == "correlated") return(correlated(case, frame, X, y, prior))
  groups <- lapply(case$terms, function(t) factor(frame[[t$group]], unique(frame[[t$group]])))
  effects <- unlist(Map(function(t, g) sprintf("r_%s[%s,%s]", t$group, levels(g), term_name(t)), case$terms, groups))
  sds <- sapply(case$terms, sd_name)
  priors_sd <- sapply(sds, function(name) prior_of(case, name, "sd", y))
  if (identical(case$program, "nested"))
    return(c(nested(groups, X, means, y, prior, priors_sd),
      list(priors = c(prior, priors_sd), names = c(columns, sds, effects))))
  J <- sapply(groups, nlevels)
  last <- cumsum(J)
  W <- matrix(0, sum(J), ncol(X))
  for (k in seq_along(groups)) for (column in case$terms[[k]]$carries) {
    z <- covariate(case$terms[[k]], frame)
    j <- match(column, columns)
    w <- ifelse(z == 0, NA, X[, j] / z)
    by <- tapply(w, groups[[k]], mean, na.rm = TRUE)
    stopifnot(abs(X[, j] - z * by[groups[[k]]]) < 1e-9)
    W[last[k] - J[k] + seq_len(J[k]), j] <- by
    X[, j] <- 0
  }
  gaussian <- case$family == "gaussian"
  codes <- sapply(c(priors_sd, if (gaussian) case$priors$sigma else "flat"), numbers, of_sd)
  b <- sapply(prior, numbers, of_coefficient)
  integer <- case$family %in% c("binomial", "bernoulli", "poisson")
  data <- list(family = match(case$family, c("gaussian", "se", "binomial", "bernoulli", "poisson")), n = nrow(X),
    y = if (integer) rep(0, nrow(X)) else y, counts = if (integer) y else rep(0L, nrow(X)),
    trials = if (is.null(case$trials)) rep(0L, nrow(X)) else frame[[case$trials]],
    se = if (case$family == "se") frame$se else rep(0, nrow(X)),
    d = ncol(X), X = X, means = as.array(unname(means)), intercept = as.integer(intercept),
    kind = as.array(b[1, ]), p = as.array(b[2, ]), q = as.array(b[3, ]),
    K = length(J), L = sum(J), first = as.array(last - J + 1), last = as.array(last),
    level = t(mapply(function(g, l) as.integer(g) + l, groups, last - J)),
    z = t(sapply(case$terms, covariate, frame)),
    ones = as.array(as.integer(sapply(case$terms, function(t) is.null(t$x)))),
    centred = as.array(as.integer(sapply(case$terms, `[[`, "centred"))), W = W,
    sd_kind = codes[1, ], sd_p = codes[2, ], sd_q = codes[3, ])
  scale <- if (integer || case$family == "se") 1 else sd(y)
  list(data = data, program = "terms",
    priors = c(prior, setNames(priors_sd, sds), if (gaussian) c(sigma = case$priors$sigma)),
    stan = c("coefficients", "tau", if (gaussian) "sigma", "r"), # what Stan calls it, in the order of the names
    names = c(columns, sds, if (gaussian) "sigma", effects),
    init = function() {
      at <- if (intercept && !integer) mean(y) else 0
      start <- c(if (intercept) at + .1 * scale * rnorm(1), rnorm(ncol(X) - intercept, 0, .1))
      tau <- scale * runif(length(J), .2, .5)
      centred <- rep(data$centred, J)
      list(b = as.array(start), tau = as.array(tau), sigma = as.array(rep(scale * runif(1, .3, .6), gaussian)),
        u = ifelse(centred == 1, W %*% start, 0) + rnorm(sum(J)) * ifelse(centred == 1, rep(tau, J), 1))
    })
}

# covariate returns x of a term; ones without.
covariate <- function(t, frame) {
  if (is.null(t$x)) rep(1, nrow(frame)) else unname(model.matrix(reformulate(t$x, intercept = FALSE), frame)[, 1])
}
term_name <- function(t) if (is.null(t$x)) "Intercept" else t$x
sd_name <- function(t) sprintf("sd_%s__%s", t$group, term_name(t))

# correlated prepares the data of correlated.stan.
correlated <- function(case, frame, X, y, prior) {
  g <- factor(frame$Subject, unique(frame$Subject))
  sds <- c("sd_Subject__Intercept", "sd_Subject__Days")
  priors_sd <- setNames(rep(prior_of(case, "", "sd", y), 2), sds)
  b <- sapply(prior, numbers, of_coefficient)
  stopifnot(b[1, ] == 1)
  t <- numbers(priors_sd[[1]], of_sd)
  only <- function(text) as.numeric(gsub(".*\\(|\\)", "", text))
  list(program = "correlated", priors = c(prior, priors_sd, cor_Subject = case$priors$cor, sigma = case$priors$sigma),
    data = list(n = nrow(X), y = y, x = frame$Days, J = nlevels(g), level = as.integer(g), p = b[2, ], q = b[3, ],
      sd_df = t[2], sd_scale = t[3], eta = only(case$priors$cor), rate = only(case$priors$sigma)),
    stan = c("coefficients", "tau", "cor", "sigma", "r"),
    names = c("(Intercept)", "Days", sds, "cor_Subject__Intercept__Days", "sigma",
      as.vector(t(outer(levels(g), c("Intercept", "Days"), function(l, c) sprintf("r_Subject[%s,%s]", l, c))))),
    init = function() list(b = c(mean(y), 0) + rnorm(2, 0, 5), tau = runif(2, 5, 30), sigma = runif(1, 20, 50),
      u = matrix(rnorm(2 * nlevels(g)), 2)))
}

# nested prepares the data of nested.stan.
nested <- function(groups, X, means, y, prior, priors_sd) {
  one <- !duplicated(groups[[1]])
  stopifnot(X[one, ][as.integer(groups[[1]]), ] == X, groups[[3]][one][as.integer(groups[[1]])] == groups[[3]],
    nlevels(groups[[2]]) == nrow(X), length(unique(priors_sd)) == 1)
  b <- sapply(prior, numbers, of_coefficient)
  stopifnot(b[1, ] == 1)
  t <- numbers(priors_sd[[1]], of_sd)
  list(program = "nested", stan = c("coefficients", "tau", "r"),
    data = list(n = nrow(X), counts = y, d = ncol(X), J = sum(one), X = X[one, ], means = means, p = b[2, ], q = b[3, ],
      sd_df = t[2], sd_scale = t[3], H = nlevels(groups[[3]]), brood = as.integer(groups[[1]]),
      location = as.integer(groups[[3]][one])),
    init = function() list(b = rnorm(ncol(X), 0, .1), tau = runif(3, .2, .5), theta = rnorm(sum(one), 0, .3),
      u = rnorm(nrow(X))))
}

# summarise returns a row for each parameter of an array iterations x chains x parameters.
summarise <- function(draws) t(apply(draws, 3, function(x) {
  q <- quantile(x, c(.05, .5, .95), names = FALSE)
  c(mean = mean(x), sd = sd(as.vector(x)), q05 = q[1], q50 = q[2], q95 = q[3], mcse = rstan:::mcse_mean(x),
    ess = ess_bulk(x), ess_tail = ess_tail(x), rhat = Rhat(x))
}))

# sizes returns lme4's estimates by the same names: REML where gaussian, otherwise Laplace's approximation.
sizes <- function(case, frame) {
  if (case$family == "se") return(NULL)
  f <- as.formula(if (is.null(case$lme4)) case$formula else case$lme4)
  if (case$family %in% c("gaussian", "correlated")) fit <- lmer(f, frame)
  else fit <- glmer(f, frame, if (case$family == "poisson") poisson else binomial, control = glmerControl("bobyqa"))
  v <- as.data.frame(VarCorr(fit))
  v$grp <- sub("\\.[0-9]+$", "", sub("cask:batch", "batch:cask", v$grp))
  name <- ifelse(v$grp == "Residual", "sigma", ifelse(is.na(v$var2), sprintf("sd_%s__%s", v$grp, v$var1),
    sprintf("cor_%s__%s__%s", v$grp, v$var1, v$var2)))
  as.list(c(fixef(fit), setNames(v$sdcor, gsub("(Intercept)", "Intercept", name, fixed = TRUE))))
}

# posterior runs one case and writes its file.
posterior <- function(name, base) {
  case <- cases[[name]]
  frame <- read.csv(file.path(base, paste0(sub("-.*", "", name), ".csv")), check.names = FALSE)
  if (!is.null(case$prepare)) frame <- case$prepare(frame)
  made <- prepare(case, frame)
  model <- program(made$program) # before the seed: compilation draws random numbers
  seed <- 20
  set.seed(seed)
  warmup <- 1000
  fit <- sampling(model, made$data, pars = made$stan, chains = 4, cores = 1, seed = seed,
    init = made$init, warmup = warmup, iter = warmup + case$draws, refresh = 0,
    control = list(adapt_delta = case$delta, max_treedepth = 12))
  draws <- extract(fit, made$stan, permuted = FALSE)
  if (made$program == "correlated") { # r[j, c] has the levels fastest
    levels <- made$data$J
    draws <- draws[, , c(seq_len(6), 6 + as.vector(t(matrix(seq_len(2 * levels), levels))))]
  }
  stopifnot(dim(draws)[3] == length(made$names))
  all <- summarise(draws)
  rownames(all) <- made$names
  if (file.exists(file.path(base, paste0(name, ".reference.json")))) gold(name, base, draws, made$names)
  inside(made, draws)
  head <- write_case(name, case, made, frame, fit, all, c(seed = seed, warmup = warmup))
  enough <- c("no divergence" = head$divergences == 0, "trajectories end" = head$deepest < 12,
    "R-hat" = head$rhat < 1.005, "ESS" = min(head$least_ess, head$least_tail_ess) > 2000,
    "errors" = head$largest_mcse_over_sd < .025)
  if (!all(enough)) stop(name, " does not do: ", paste(names(enough)[!enough], collapse = ", "))
}

# inside stops where a uniform prior has a wall that draws come near to.
inside <- function(made, draws) for (name in names(made$priors)) if (startsWith(made$priors[[name]], "uniform")) {
  walls <- as.numeric(strsplit(gsub(".*\\(|\\)", "", made$priors[[name]]), ",")[[1]])
  x <- draws[, , match(name, made$names)]
  stopifnot(max(x) < walls[2] - sd(x), min(x) > walls[1] + if (walls[1] == 0) 0 else sd(x))
}

# gold compares effects, mean and sd with posteriordb's draws.
gold <- function(name, base, draws, names) {
  reference <- fromJSON(file.path(base, paste0(name, ".reference.json")))
  mu <- draws[, , 1]
  for (j in seq_along(reference)) {
    ours <- switch(names(reference)[j], mu = mu, tau = draws[, , 2], mu + draws[, , 2 + j])
    r <- reference[[j]]
    cat(sprintf("  %s %s: mean %.3f, gold %.3f, z %.2f; sd %.3f, gold %.3f; q05 %.2f %.2f, q95 %.2f %.2f\n", name,
      names(reference)[j], mean(ours), r$mean, (mean(ours) - r$mean) / sqrt(rstan:::mcse_mean(ours)^2 + r$mcse^2),
      sd(ours), r$sd, quantile(ours, .05), r$q05, quantile(ours, .95), r$q95))
  }
}

# write_case writes the file, prints a line and returns what stands above the parameters.
write_case <- function(name, case, made, frame, fit, all, settings) {
  params <- get_sampler_params(fit, inc_warmup = FALSE)
  total <- function(column) sum(sapply(params, function(p) sum(p[, column])))
  seconds <- get_elapsed_time(fit)
  least <- which.min(all[, "ess"])
  gradients <- total("n_leapfrog__")
  per100 <- 100 * sum(seconds[, "sample"]) / all[least, "ess"]
  centred <- as.character(unlist(lapply(case$terms, function(t) if (t$centred) sd_name(t))))
  head <- list(formula = case$formula, family = if (case$family %in% c("se", "correlated")) "gaussian" else case$family,
    rows = nrow(frame), priors = as.list(made$priors), intercept_prior_at = case$at,
    program = paste0("stan/", made$program, ".stan"), centred = I(centred),
    rstan = as.character(packageVersion("rstan")), seed = settings[["seed"]], chains = 4, warmup = settings[["warmup"]],
    draws = 4 * case$draws,
    adapt_delta = case$delta, divergences = total("divergent__"),
    deepest = max(sapply(params, function(p) max(p[, "treedepth__"]))),
    rhat = max(all[, "rhat"]), least_ess = all[least, "ess"], least_ess_of = rownames(all)[least],
    least_tail_ess = min(all[, "ess_tail"]), largest_mcse_over_sd = max(all[, "mcse"] / all[, "sd"]),
    gradients = gradients, seconds = list(warmup = sum(seconds[, "warmup"]), sampling = sum(seconds[, "sample"]),
      to_ess_100 = per100, to_ess_100_with_warmup = per100 + mean(seconds[, "warmup"])), lme4 = sizes(case, frame))
  head <- head[!sapply(head, is.null)]
  json <- function(x) toJSON(x, auto_unbox = TRUE, digits = I(6), null = "null")
  keep <- rep(TRUE, nrow(all))
  if (!is.null(case$store)) keep <- !startsWith(made$names, "r_") | made$names %in%
    sprintf("r_%s[%s,Intercept]", case$terms[[1]]$group, case$store(frame))
  rows <- apply(all[keep, c("mean", "sd", "q05", "q50", "q95", "mcse", "ess")], 1, function(r) {
    r["ess"] <- round(r["ess"])
    paste0("{", paste0('"', names(r), '": ', sapply(signif(r, 6), format, digits = 6), collapse = ", "), "}")
  })
  lines <- c(sprintf('  %s: %s,', sapply(names(head), json), sapply(head, json)),
    '  "parameters": {', paste0("    ", sapply(names(rows), json), ": ", rows,
    c(rep(",", length(rows) - 1), "")), "  }")
  text <- c("{", lines, "}")
  stopifnot(validate(paste(text, collapse = "\n")))
  writeLines(text, file.path(here, paste0(name, ".reference.json")))
  cat(sprintf(paste("%s: least ESS %.0f of %s, tail %.0f, mcse/sd %.4f, R-hat %.4f, %g divergent, depth %d,",
    "%.1f + %.1f s, %.2f s to ESS 100\n"), name, head$least_ess, head$least_ess_of, head$least_tail_ess,
    head$largest_mcse_over_sd, head$rhat, head$divergences, head$deepest, head$seconds$warmup,
    head$seconds$sampling, per100))
  estimates <- unlist(head$lme4)
  for (p in intersect(names(estimates), rownames(all)))
    cat(sprintf("  %-32s %10.4f +- %.4f [%.4f, %.4f], lme4 %.4f\n", p, all[p, "mean"], all[p, "sd"], all[p, "q05"],
      all[p, "q95"], estimates[[p]]))
  head
}

# cost prints a line for each of 12 chains of 1000 iterations of warm-up and 1000 draws with Stan's defaults, as
# docs/stan/compare.R does: the least bulk ESS of a parameter in this chain alone, gradients of warm-up and of sampling,
# and divergences.
cost <- function(name, base) {
  case <- cases[[name]]
  frame <- read.csv(file.path(base, paste0(sub("-.*", "", name), ".csv")), check.names = FALSE)
  if (!is.null(case$prepare)) frame <- case$prepare(frame)
  made <- prepare(case, frame)
  model <- program(made$program)
  set.seed(20)
  fit <- suppressWarnings(sampling(model, made$data, pars = made$stan, chains = 12, cores = 1, seed = 20,
    init = made$init, warmup = 1000, iter = 2000, refresh = 0))
  draws <- extract(fit, made$stan, permuted = FALSE)
  params <- get_sampler_params(fit, inc_warmup = TRUE)
  centred <- any(sapply(case$terms, `[[`, "centred"))
  for (c in 1:12) {
    least <- min(apply(draws[, c, ], 2, function(x) ess_bulk(matrix(x, ncol = 1))))
    p <- params[[c]]
    after <- seq_len(nrow(p)) > 1000
    cat(sprintf("stan %s %s %d %.1f %.0f %.0f %.0f\n", name, if (centred) "centred" else "non_centred", c, least,
      sum(p[!after, "n_leapfrog__"]), sum(p[after, "n_leapfrog__"]), sum(p[after, "divergent__"])))
  }
}

verb <- if (Sys.getenv("STAN_COST") == "") posterior else cost
if (!exists("peers")) for (name in if (length(args) > 1) args[-1] else names(cases)) verb(name, args[1])
