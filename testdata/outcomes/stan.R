# Rscript stan.R [NAME ...] writes stan.json: posteriors of the models of pipelines/outcomes_test.go by Stan programs of
# their own, written here and in no other package. 4 chains of 2500 draws after 1000. With names, only these are
# replaced. A program is compiled for each model, a minute each.
suppressMessages({library(rstan); library(jsonlite)})
rstan_options(boost_lib = "/usr/include") # Debian's r-cran-bh has no headers of its own
read <- function(file, ...) transform(read.csv(file, stringsAsFactors = TRUE), ...)
quine <- read("../classic/quine.csv"); births <- read("../classic/birthwt.csv"); wine <- read("../classic/wine.csv")
births$race <- relevel(births$race, "white")
cars <- read("../classic/mtcars.csv"); air <- read("../classic/airquality.csv"); epil <- read("../classic/epil.csv")
carrots <- read("../classic/carrots.csv"); esoph <- read("../classic/esoph.csv")
housing <- read("../classic/housing.csv")
for (v in c("Infl", "Cont")) housing[[v]] <- factor(housing[[v]], levels = sort(levels(housing[[v]])))
lung <- na.omit(read("lung.csv")[c("time", "status", "age", "sex", "ph.ecog")])
veteran <- read("veteran.csv")
weeks <- transform(veteran, censored = ifelse(status == 0, 1, ifelse(time < 7, -1, 2)),
  low = ifelse(status == 0, time, ifelse(time < 7, 7, 7 * floor(time / 7))), high = 7 * floor(time / 7) + 7)

zeros <- function(of_positive) paste("if (k[i] == 0) target += bernoulli_logit_lpmf(1 | zeta[i]); else",
  "target += bernoulli_logit_lpmf(0 | zeta[i]) + ", of_positive, ";")
inflated <- function(law) paste0("if (k[i] == 0) target += log_sum_exp(bernoulli_logit_lpmf(1 | zeta[i]), ",
  "bernoulli_logit_lpmf(0 | zeta[i]) + ", law, "); else target += bernoulli_logit_lpmf(0 | zeta[i]) + ", law, ";")
censored <- function(law, arguments) {
  f <- function(what, y) sprintf("%s_%s(%s | %s)", law, what, y, arguments)
  paste("if (c[i] == 0) target += ", f("lpdf", "y[i]"), "; else if (c[i] == 1) target += ", f("lccdf", "y[i]"),
    "; else if (c[i] == -1) target += ", f("lcdf", "y[i]"), "; else target += log_diff_exp(", f("lccdf", "y[i]"), ",",
    f("lccdf", "y2[i]"), ");")
}
positive <- function(name, prior) list(list(name, "<lower=0>", prior))
weibull <- "shape, exp(eta[i]) / tgamma(1 + 1 / shape)"
counts <- list(b = "normal(0, 1)", a = "normal(0, 2.5)", b2 = "normal(0, 1)", a2 = "normal(0, 2)")
classes <- list(b = "normal(0, 1.5)", a = "student_t(3, 0, 2.5)", b2 = "normal(0, 0.5)")
times <- list(b = "normal(0, 1)", a = "normal(5, 2)")
nb <- "neg_binomial_2_log_lpmf(k[i] | eta[i], shape)"

# y: of the response; x, x2: the right sides; of: the name of the second predictor; rows: the likelihood of row i.
cases <- list(
  categorical = list(data = births, y = "race", x = ~ age + smoke, kind = "classes", priors = counts,
    rows = "target += categorical_logit_lpmf(k[i] | append_row(0, t + (X[i] * B)'));"),
  cumulative = list(data = housing, y = "Sat", x = ~ Infl + Type + Cont, kind = "ordered", priors = classes, w = "Freq",
    levels = c("Low", "Medium", "High"), rows = "target += w[i] * ordered_logistic_lpmf(k[i] | eta[i], t);"),
  disc = list(data = wine, y = "rating", x = ~ temp + contact, x2 = ~ temp, of = "disc", kind = "ordered",
    priors = classes, rows = "{ vector[K + 1] F; F[1] = 0; F[K + 1] = 1;
      for (j in 1:(K - 1)) F[j + 1] = Phi(exp(zeta[i]) * (t[j] - eta[i]));
      target += log(F[k[i] + 1] - F[k[i]]); }"),
  sratio = list(data = wine, y = "rating", x = ~ temp + contact, kind = "steps", priors = classes,
    rows = "for (j in 1:min(k[i], K - 1)) target += bernoulli_logit_lpmf(k[i] == j | t[j] - eta[i]);"),
  cratio = list(data = wine, y = "rating", x = ~ temp + contact, kind = "steps", priors = classes,
    rows = "for (j in 1:min(k[i], K - 1)) target += bernoulli_lpmf(k[i] > j | cauchy_cdf(eta[i] - t[j], 0, 1));"),
  acat = list(data = wine, y = "rating", x = ~ temp + contact, kind = "steps", priors = classes,
    rows = "{ vector[K] s; s[1] = 0; for (j in 1:(K - 1))
      s[j + 1] = s[j] + normal_lcdf(eta[i] - t[j] | 0, 1) - normal_lcdf(t[j] - eta[i] | 0, 1);
      target += categorical_logit_lpmf(k[i] | s); }"),
  zip = list(data = quine, y = "Days", x = ~ Age + Sex, x2 = ~ Sex, of = "zi", priors = counts,
    rows = inflated("poisson_log_lpmf(k[i] | eta[i])")),
  zinb = list(data = epil, y = "y", x = ~ lbase + trt, x2 = ~ trt, of = "zi", priors = counts,
    pars = positive("shape", "exponential(0.5)"), rows = inflated(nb)),
  hurdle_poisson = list(data = epil, y = "y", x = ~ lbase + trt, x2 = ~ lbase, of = "hu", priors = counts,
    rows = zeros("poisson_log_lpmf(k[i] | eta[i]) - log1m_exp(-exp(eta[i]))")),
  hurdle_nb = list(data = quine, y = "Days", x = ~ Age + Sex, x2 = ~ Age, of = "hu", priors = counts,
    pars = positive("shape", "exponential(0.5)"), rows = zeros(paste(nb, "- log1m_exp(neg_binomial_2_log_lpmf(0 | eta[i], shape))"))),
  hurdle_gamma = list(data = quine, y = "Days", x = ~ Age + Sex, x2 = ~ Sex, of = "hu", priors = counts,
    pars = positive("shape", "exponential(0.5)"), rows = zeros("gamma_lpdf(y[i] | shape, shape / exp(eta[i]))")),
  hurdle_lognormal = list(data = quine, y = "Days", x = ~ Age + Sex, x2 = ~ Age + Sex, of = "hu", priors = counts,
    pars = positive("sigma", "exponential(1)"), rows = zeros("lognormal_lpdf(y[i] | eta[i], sigma)")),
  gaussian_sigma = list(data = cars, y = "mpg", x = ~ wt, x2 = ~ wt, of = "sigma",
    priors = list(b = "normal(0, 10)", a = "normal(20, 10)", b2 = "normal(0, 1)", a2 = "normal(1, 2)"),
    rows = "target += normal_lpdf(y[i] | eta[i], exp(zeta[i]));"),
  student_sigma = list(data = air, y = "Wind", x = ~ Temp, x2 = ~ Temp, of = "sigma",
    priors = list(b = "normal(0, 1)", a = "normal(10, 5)", b2 = "normal(0, 0.1)", a2 = "normal(1, 2)"),
    pars = list(list("nu", "<lower=1>", "gamma(2, 0.1)")),
    rows = "target += student_t_lpdf(y[i] | nu, eta[i], exp(zeta[i]));"),
  lognormal_sigma = list(data = births, y = "lwt", x = ~ age + smoke, x2 = ~ smoke, of = "sigma",
    priors = c(times, list(b2 = "normal(0, 1)", a2 = "normal(-1, 2)")),
    rows = "target += lognormal_lpdf(y[i] | eta[i], exp(zeta[i]));"),
  skew_normal = list(data = births, y = "lwt", x = ~ age + smoke,
    priors = list(b = "normal(0, 20)", a = "normal(130, 50)"),
    pars = c(positive("sigma", "exponential(0.05)"), list(list("alpha", "", "normal(0, 4)"))),
    rows = "{ real delta = alpha / sqrt(1 + square(alpha)); real omega = sigma / sqrt(1 - 2 / pi() * square(delta));
      target += skew_normal_lpdf(y[i] | eta[i] - omega * delta * sqrt(2 / pi()), omega, alpha); }"),
  exgaussian = list(data = births, y = "lwt", x = ~ age + smoke,
    priors = list(b = "normal(0, 20)", a = "normal(130, 50)"),
    pars = c(positive("sigma", "exponential(0.05)"), positive("beta", "exponential(0.05)")),
    rows = "target += exp_mod_normal_lpdf(y[i] | eta[i] - beta, sigma, 1 / beta);"),
  weibull = list(data = lung, y = "time", x = ~ age + sex + ph.ecog, c = as.integer(lung$status == 1), priors = times,
    pars = positive("shape", "gamma(2, 1)"), rows = censored("weibull", weibull)),
  lognormal = list(data = veteran, y = "time", x = ~ karno + trt, c = as.integer(veteran$status == 0), priors = times,
    pars = positive("sigma", "exponential(1)"), rows = censored("lognormal", "eta[i], sigma")),
  loglogistic = list(data = veteran, y = "time", x = ~ karno + trt, c = as.integer(veteran$status == 0), priors = times,
    pars = positive("shape", "gamma(2, 1)"), rows = "{ real u = shape * (log(y[i]) - eta[i]);
      target += c[i] == 1 ? -log1p_exp(u) : log(shape) - log(y[i]) + u - 2 * log1p_exp(u); }"),
  frechet = list(data = subset(lung, time >= 30), y = "time", x = ~ sex + ph.ecog, priors = times,
    c = as.integer(subset(lung, time >= 30)$status == 1),
    pars = list(list("nu", "<lower=1>", "gamma(2, 0.1)")), rows = paste("{ real s = exp(eta[i]) / tgamma(1 - 1 / nu);",
      censored("frechet", "nu, s"), "target += -frechet_lccdf(30 | nu, s); }")),
  beta_binomial = list(data = carrots, y = "success", x = ~ logdose + block, c = carrots$total, priors = counts,
    pars = positive("phi", "exponential(0.05)"),
    rows = "target += beta_binomial_lpmf(k[i] | c[i], phi * inv_logit(eta[i]), phi * inv_logit(-eta[i]));"),
  zib = list(data = esoph, y = "ncases", x = ~ alcgp, x2 = ~ tobgp, of = "zi", priors = counts,
    c = esoph$ncases + esoph$ncontrols, rows = inflated("binomial_logit_lpmf(k[i] | c[i], eta[i])")),
  zero_inflated_beta = list(data = transform(quine, Days = Days / 100), y = "Days", x = ~ Age + Sex, x2 = ~ Sex,
    of = "zi", priors = counts, pars = positive("phi", "exponential(0.1)"), rows = "if (y[i] == 0)
      target += bernoulli_logit_lpmf(1 | zeta[i]); else target += bernoulli_logit_lpmf(0 | zeta[i]) +
        beta_lpdf(y[i] | phi * inv_logit(eta[i]), phi * inv_logit(-eta[i]));"),
  nb_shape = list(data = quine, y = "Days", x = ~ Age + Sex, x2 = ~ Sex, of = "shape", priors = counts,
    rows = "target += neg_binomial_2_log_lpmf(k[i] | eta[i], exp(zeta[i]));"),
  weibull_shape = list(data = veteran, y = "time", x = ~ karno + trt, x2 = ~ trt, of = "shape",
    c = as.integer(veteran$status == 0), priors = c(times, list(b2 = "normal(0, 1)", a2 = "normal(0, 1)")),
    rows = censored("weibull", "exp(zeta[i]), exp(eta[i]) / tgamma(1 + exp(-zeta[i]))")),
  weeks = list(data = weeks, y = "low", y2 = "high", x = ~ karno + trt, c = as.integer(weeks$censored), priors = times,
    pars = positive("shape", "gamma(2, 1)"), rows = censored("weibull", weibull)))

# program writes a case in Stan.
program <- function(case, d, e) {
  p <- case$priors
  kind <- if (is.null(case$kind)) "one" else case$kind
  two <- !is.null(case$of) && case$of != "disc"
  paste(c("data { int n; int d; int e; int K; matrix[n, d] X; row_vector[d] mx; matrix[n, e] Z; row_vector[e] mz;",
    "vector[n] y; vector[n] y2; int k[n]; int c[n]; vector[n] w; }",
    "parameters {", switch(kind, one = "real a; vector[d] b;", ordered = "ordered[K - 1] t; vector[d] b;",
      steps = "vector[K - 1] t; vector[d] b;", classes = "vector[K - 1] t; matrix[d, K - 1] B;"),
    if (e > 0) "vector[e] b2;", if (two) "real a2;", sapply(case$pars, function(q) sprintf("real%s %s;", q[[2]], q[[1]])),
    "} model {",
    switch(kind, one = "vector[n] eta = a + X * b;", classes = "", "vector[n] eta = X * b;"),
    if (!is.null(case$of)) sprintf("vector[n] zeta = %s + Z * b2;", if (two) "a2" else "0"),
    if (kind == "one") sprintf("a ~ %s; b ~ %s;", p$a, p$b)
    else sprintf("t ~ %s; %s ~ %s;", p$a, if (kind == "classes") "to_vector(B)" else "b", p$b),
    if (e > 0) sprintf("b2 ~ %s;", p$b2), if (two) sprintf("a2 ~ %s;", p$a2),
    sapply(case$pars, function(q) sprintf("%s ~ %s;", q[[1]], q[[3]])),
    "for (i in 1:n) {", case$rows, "} } generated quantities {",
    switch(kind, one = "real intercept = a - mx * b;", classes = "vector[K - 1] intercept = t - (mx * B)';",
      "vector[K - 1] intercept = t + mx * b;"),
    if (two) "real intercept2 = a2 - mz * b2;", "}"), collapse = "\n")
}

# matrix_of returns a design without intercept.
matrix_of <- function(f, data) model.matrix(f, data)[, -1, drop = FALSE]

posterior <- function(name) {
  case <- cases[[name]]
  n <- nrow(case$data); y <- case$data[[case$y]]
  X <- matrix_of(case$x, case$data); Z <- if (is.null(case$x2)) matrix(0, n, 0) else matrix_of(case$x2, case$data)
  w <- if (is.null(case$w)) rep(1, n) else case$data[[case$w]]
  if (is.factor(y)) y <- if (is.null(case$levels)) y else factor(y, case$levels)
  labels <- levels(factor(y))
  k <- if (is.null(case$kind)) as.integer(pmin(y, 1e6)) else as.integer(factor(y))
  K <- if (is.null(case$kind)) 1L else max(k)
  mx <- colSums(X * w) / sum(w); mz <- if (identical(case$of, "disc")) 0 * colMeans(Z) else colMeans(Z)
  data <- list(n = n, d = ncol(X), e = ncol(Z), K = K, X = sweep(X, 2, mx), mx = as.array(mx), Z = sweep(Z, 2, mz),
    mz = as.array(mz), y = as.numeric(y), y2 = if (is.null(case$y2)) rep(0, n) else case$data[[case$y2]], k = k,
    c = if (is.null(case$c)) rep(0L, n) else case$c, w = w)
  model <- stan_model(model_code = program(case, ncol(X), ncol(Z)), model_name = name)
  fit <- sampling(model, data, chains = 4, cores = 1, iter = 3500, warmup = 1000, seed = 20, refresh = 0, init_r = 0.5,
    control = list(adapt_delta = .95))
  two <- !is.null(case$of) && case$of != "disc"
  own <- sapply(case$pars, `[[`, 1)
  p <- case$priors
  if (identical(case$kind, "classes")) {
    mu <- paste0("mu", labels[-1], "_"); each <- expand.grid(x = seq_len(ncol(X)), class = seq_len(K - 1))
    stan <- c("intercept", sprintf("B[%d,%d]", each$x, each$class))
    names <- c(paste0(mu, "(Intercept)"), paste0(mu[each$class], colnames(X)[each$x]))
    priors <- rep(c(p$a, p$b), c(K - 1, (K - 1) * ncol(X)))
  } else {
    stan <- c("intercept", "b"); several <- !is.null(case$kind)
    names <- c(if (several) sprintf("(Intercept)[%d]", seq_len(K - 1)) else "(Intercept)", colnames(X))
    priors <- rep(c(p$a, p$b), c(if (several) K - 1 else 1, ncol(X)))
  }
  if (two) { stan <- c(stan, "intercept2"); names <- c(names, paste0(case$of, "_(Intercept)")); priors <- c(priors, p$a2) }
  if (ncol(Z) > 0) {
    stan <- c(stan, "b2"); names <- c(names, paste0(case$of, "_", colnames(Z))); priors <- c(priors, rep(p$b2, ncol(Z)))
  }
  priors <- c(priors, sapply(case$pars, `[[`, 3))
  a <- as.array(fit, pars = c(stan, own))
  names <- c(names, own)
  stopifnot(dim(a)[3] == length(names), get_num_divergent(fit) < 20)
  s <- t(apply(a, 3, function(x) {
    q <- quantile(x, c(.05, .5, .95), names = FALSE)
    c(mean = mean(x), sd = sd(as.vector(x)), q05 = q[1], q50 = q[2], q95 = q[3], mcse = rstan:::mcse_mean(x),
      ess = ess_bulk(x), tail = ess_tail(x), rhat = Rhat(x))
  }))
  cat(name, "divergent", get_num_divergent(fit), "least ESS", min(s[, c("ess", "tail")]), "R-hat", max(s[, "rhat"]),
    "seconds", sum(get_elapsed_time(fit)), "\n")
  stopifnot(max(s[, "rhat"]) < 1.01)
  list(priors = as.list(setNames(unlist(priors), names)), least_tail_ess = min(s[, "tail"]),
    parameters = lapply(setNames(seq_along(names), names), function(i) as.list(signif(s[i, 1:7], 6))))
}

# Each program has a process of its own: many compiled programs in one end in a segmentation fault.
args <- commandArgs(TRUE)
if (length(args) == 0) for (name in names(cases)) stopifnot(system2("Rscript", c("stan.R", name)) == 0)
out <- if (file.exists("stan.json")) read_json("stan.json") else list()
for (name in args) {
  out[[name]] <- posterior(name)
  text <- sapply(names(out), function(n) sprintf("%s: %s", toJSON(n, auto_unbox = TRUE),
    toJSON(out[[n]], auto_unbox = TRUE, digits = NA)))
  writeLines(paste0("{\n", paste(text, collapse = ",\n"), "\n}"), "stan.json")
}
