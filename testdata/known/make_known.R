# Data with known structure, and known.json: means and standard deviations of their models by brms 2.18 (rstan 2.21).
# The data are made here, so they have no other source. Run it in testdata/known; it takes about ten minutes.
suppressMessages({library(rstan); rstan_options(boost_lib = "/usr/include"); library(brms); library(jsonlite)})
options(scipen = 10)
write <- function(d, file) write.csv(d, file, row.names = FALSE, quote = FALSE)

# A dose that was measured with errors of known standard deviations.
set.seed(5)
n <- 60
true <- rnorm(n, 3, 1)
sd <- ifelse(seq_len(n) %% 3 == 0, 0.9, 0.5)
age <- round(runif(n, 20, 70))
exposure <- data.frame(dose = round(rnorm(n, true, sd), 2), sd = sd, age = age,
                       response = round(rnorm(n, 1 + 1.5 * true + 0.05 * age, 1), 2))

# Pupils of whom some changed school; w1 and w2 are shares of the time.
set.seed(6)
n <- 300
first <- sample(30, n, TRUE)
second <- ifelse(runif(n) < 0.4, sample(30, n, TRUE), first)
w1 <- ifelse(first == second, 0.5, round(runif(n, 0.2, 0.8), 2))
effects <- rnorm(30, 0, 0.8)
before <- round(rnorm(n), 2)
pupils <- data.frame(score = round(rnorm(n, 5 + before + w1 * effects[first] + (1 - w1) * effects[second], 1), 2),
                     before = before, first = first, second = second, w1 = w1, w2 = round(1 - w1, 2))

# Animals with their parents, four generations of 40 after 40 founders, and their relationship matrix by the tabular
# method: A[i, i] = 1 + A[sire, dam] / 2, A[i, j] = (A[j, sire] + A[j, dam]) / 2.
set.seed(7)
n <- 200
sire <- dam <- rep(0, n)
for (i in 41:n) {
  before4 <- seq((i - 1) %/% 40 * 40 - 39, length.out = 40)
  sire[i] <- sample(before4[1:8], 1)
  dam[i] <- sample(before4[9:40], 1)
}
A <- matrix(0, n, n)
for (i in 1:n) {
  if (i > 1 && sire[i] > 0) A[i, 1:(i - 1)] <- A[1:(i - 1), i] <- (A[1:(i - 1), sire[i]] + A[1:(i - 1), dam[i]]) / 2
  A[i, i] <- 1 + if (sire[i] > 0) A[sire[i], dam[i]] / 2 else 0
}
dimnames(A) <- list(1:n, 1:n)
a <- drop(t(chol(A)) %*% rnorm(n))
sex <- sample(c("female", "male"), n, TRUE)
animals <- data.frame(weight = round(rnorm(n, 20 + 2 * (sex == "male") + 1.5 * a, 1.5), 2), sex = sex, animal = 1:n)
pairs <- which(upper.tri(A, TRUE) & A != 0, arr.ind = TRUE)
kinship <- data.frame(animal = pairs[, 1], other = pairs[, 2], value = A[pairs])

write(exposure, "exposure.csv"); write(pupils, "pupils.csv"); write(animals, "animals.csv"); write(kinship, "kinship.csv")

models <- list(
  exposure = list(data = exposure, formula = bf(response ~ me(dose, sd) + age, center = FALSE),
    prior = c(prior(normal(0, 5), class = b), prior(normal(0, 20), class = b, coef = Intercept),
              prior(exponential(1), class = sigma), prior(normal(0, 10), class = meanme), prior(exponential(1), class = sdme)),
    names = c(b_Intercept = "(Intercept)", b_age = "age", bsp_medosesd = "dose", sigma = "sigma",
              meanme_medose = "meanme_medose", sdme_medose = "sdme_medose")),
  pupils = list(data = pupils, formula = bf(score ~ before + (1 | mm(first, second, weights = cbind(w1, w2))), center = FALSE),
    prior = c(prior(normal(0, 10), class = b), prior(exponential(1), class = sigma), prior(exponential(1), class = sd)),
    names = c(b_Intercept = "(Intercept)", b_before = "before", sigma = "sigma",
              sd_mmfirstsecond__Intercept = "sd_mmfirstsecond__Intercept",
              "r_mmfirstsecond[3,Intercept]" = "r_mmfirstsecond[3,Intercept]",
              "r_mmfirstsecond[28,Intercept]" = "r_mmfirstsecond[28,Intercept]")),
  animals = list(data = animals, formula = bf(weight ~ sex + (1 | gr(animal, cov = A)), center = FALSE), data2 = list(A = A),
    prior = c(prior(normal(0, 50), class = b), prior(exponential(0.5), class = sigma), prior(exponential(0.5), class = sd)),
    names = c(b_Intercept = "(Intercept)", b_sexmale = "sexmale", sigma = "sigma", sd_animal__Intercept = "sd_animal__Intercept",
              "r_animal[5,Intercept]" = "r_animal[5,Intercept]", "r_animal[190,Intercept]" = "r_animal[190,Intercept]")))
out <- lapply(models, function(m) {
  started <- proc.time()[1]
  fit <- brm(m$formula, m$data, gaussian(), m$prior, data2 = m$data2, chains = 4, iter = 6000, warmup = 1000, seed = 1, refresh = 0,
    control = list(adapt_delta = 0.95))
  message(proc.time()[1] - started, " s; least ESS ", min(rstan::summary(fit$fit)$summary[, "n_eff"], na.rm = TRUE))
  draws <- as.data.frame(fit)
  print(setdiff(names(draws), grep("^r_", names(draws), value = TRUE)))
  values <- draws[names(m$names)]
  names(values) <- m$names
  lapply(values, function(v) signif(c(mean(v), sd(v)), 6))
})
write_json(out, "known.json", digits = 8, auto_unbox = TRUE, pretty = TRUE)
