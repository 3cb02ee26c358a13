# Data with known structure, and known.json: means and standard deviations of their models by JAGS 4.3 (rjags), of the
# animals by quadrature. The data are made here, so they have no other source. Run it in testdata/known; it takes a
# minute or two.
suppressMessages({library(rjags); library(jsonlite)})
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

# Animals with their parents, four generations of 40 after 40 founders, and their relationship matrix by the tabular
# method: A[i, i] = 1 + A[sire, dam] / 2, A[i, j] = (A[j, sire] + A[j, dam]) / 2.
set.seed(7)
n <- 200
sire <- dam <- rep(0, n)
for (i in 41:n) {
  before <- seq((i - 1) %/% 40 * 40 - 39, length.out = 40)
  sire[i] <- sample(before[1:8], 1)
  dam[i] <- sample(before[9:40], 1)
}
A <- matrix(0, n, n)
for (i in 1:n) {
  if (i > 1 && sire[i] > 0) A[i, 1:(i - 1)] <- A[1:(i - 1), i] <- (A[1:(i - 1), sire[i]] + A[1:(i - 1), dam[i]]) / 2
  A[i, i] <- 1 + if (sire[i] > 0) A[sire[i], dam[i]] / 2 else 0
}
a <- drop(t(chol(A)) %*% rnorm(n))
sex <- sample(c("female", "male"), n, TRUE)
animals <- data.frame(weight = round(rnorm(n, 20 + 2 * (sex == "male") + 1.5 * a, 1.5), 2), sex = sex, animal = 1:n)
pairs <- which(upper.tri(A, TRUE) & A != 0, arr.ind = TRUE)
kinship <- data.frame(animal = pairs[, 1], other = pairs[, 2], value = A[pairs])

write(exposure, "exposure.csv"); write(animals, "animals.csv"); write(kinship, "kinship.csv")

jags <- jags.model(textConnection("model {
  for (i in 1:60) {
    x[i] ~ dnorm(meanme, 1 / sdme^2)
    dose[i] ~ dnorm(x[i], 1 / sd[i]^2)
    response[i] ~ dnorm(a + b * x[i] + c * age[i], 1 / sigma^2)
  }
  a ~ dnorm(0, 1 / 400)
  b ~ dnorm(0, 1 / 25)
  c ~ dnorm(0, 1 / 25)
  sigma ~ dexp(1)
  meanme ~ dnorm(0, 1 / 100)
  sdme ~ dexp(1)
}"), exposure, n.chains = 4, n.adapt = 2000, inits = lapply(1:4, function(k) list(.RNG.name = "base::Wichmann-Hill", .RNG.seed = k)),
  quiet = TRUE)
draws <- coda.samples(jags, c("a", "b", "c", "sigma", "meanme", "sdme", "x[7]"), 200000, thin = 10)
print(gelman.diag(draws)); print(effectiveSize(draws))
draws <- as.matrix(draws)
of <- function(v) signif(c(mean(v), sd(v)), 6)
out <- list(exposure = list("(Intercept)" = of(draws[, "a"]), dose = of(draws[, "b"]), age = of(draws[, "c"]),
  sigma = of(draws[, "sigma"]), meanme_medose = of(draws[, "meanme"]), sdme_medose = of(draws[, "sdme"]),
  "Xme_medose[7]" = of(draws[, "x[7]"])))

# weight = X·beta + r + e with beta ~ normal(0, 50), r ~ normal(0, sd²·A), sd and sigma ~ exponential(0.5): sums over a
# grid of sd and sigma, given which all else is normal.
X <- cbind(1, sex == "male")
y <- animals$weight
grid <- expand.grid(sd = seq(0.01, 4.5, length.out = 120), sigma = seq(0.01, 4, length.out = 120))
e <- eigen(A, symmetric = TRUE)
Xe <- crossprod(e$vectors, X); ye <- drop(crossprod(e$vectors, y))
rows <- t(apply(grid, 1, function(g) {
  v <- g[1]^2 * e$values + g[2]^2
  Q <- crossprod(Xe / v, Xe) + diag(2) / 2500
  b <- solve(Q, crossprod(Xe / v, ye))
  S <- solve(Q)
  rest <- ye - drop(Xe %*% b)
  # ye ~ normal(0, diag(v) + 2500·Xe·Xeᵀ)
  log <- -0.5 * (sum(log(v)) + log(det(Q)) + sum(rest^2 / v) + sum(b^2) / 2500) - 0.5 * (g[1] + g[2])
  K <- g[1]^2 * e$vectors[c(5, 190), ] * rep(e$values, each = 2) # cov of r[5], r[190] with e·y
  mean <- drop(K %*% (rest / v))
  J <- K %*% (Xe / v)
  var <- g[1]^2 * diag(A)[c(5, 190)] - rowSums(K^2 / rep(v, each = 2)) + rowSums((J %*% S) * J)
  c(log, b, diag(S), mean, var)
}))
w <- exp(rows[, 1] - max(rows[, 1])); w <- w / sum(w)
normal <- function(mean, var = 0) {
  m <- sum(w * mean)
  signif(c(m, sqrt(sum(w * (var + (mean - m)^2)))), 6)
}
out$animals <- list("(Intercept)" = normal(rows[, 2], rows[, 4]), sexmale = normal(rows[, 3], rows[, 5]),
  sigma = normal(grid$sigma), sd_animal__Intercept = normal(grid$sd),
  "r_animal[5,Intercept]" = normal(rows[, 6], rows[, 8]), "r_animal[190,Intercept]" = normal(rows[, 7], rows[, 9]))
write_json(out, "known.json", digits = 8, auto_unbox = TRUE, pretty = TRUE)
