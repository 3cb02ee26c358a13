# Makes the golden weights of models with the R package loo, once:
#   cd testdata/loo && Rscript make_weights.R
# Debian's r-cran-loo 2.5.1; its optimiser is asked for more digits than it takes by itself, from the start of 1/k.
suppressMessages(library(loo))
set.seed(20260103)
case <- function(n, means, sd) sapply(means, function(m) -0.5 * (rnorm(n, 0.3 * abs(m), sd))^2 - abs(m))
cases <- list(
  two = case(40, c(0, 0.02), 1.5), three = case(60, c(0.1, 0, 0.3), 1.2), four = case(100, c(0, 0.05, 0.4, 0.1), 1),
  far = case(30, c(0, 8), 0.5)
)
cases$twins <- cbind(cases$two[, 1], cases$two)
lines <- NULL
for (name in names(cases)) {
  x <- round(cases[[name]], 6)
  loss <- function(w) -sum(log(exp(x) %*% w))
  w <- as.numeric(stacking_weights(x, optim_control = list(reltol = 1e-13, maxit = 10000)))
  set.seed(1)
  b <- as.numeric(pseudobma_weights(x, BB_n = 20000))
  lines <- c(lines, paste(c(name, ncol(x), sprintf("%.12g", w), sprintf("%.4g", b), sprintf("%.17g", loss(w)), x), collapse = ","))
}
writeLines(lines, "weights.csv")
cat(substr(lines, 1, 120), sep = "\n")
