# What JAGS makes of two latent classes of the people on the Titanic (R's datasets): run it with Rscript in this folder;
# it writes titanic.csv, the table, and classes.csv. Classes are numbered in each draw by the probability of crew.
# R 4.2.2, JAGS 4.3.1, rjags 4-13.
suppressMessages(library(rjags))
table <- as.data.frame(Titanic)
table <- table[table$Freq > 0, ]
write.csv(table, "titanic.csv", row.names = FALSE, quote = FALSE)
y <- sapply(table[rep(seq_len(nrow(table)), table$Freq), 1:4], as.integer)
model <- "model {
  for (i in 1:N) { z[i] ~ dcat(theta[]); y[i,1] ~ dcat(a[z[i],]); for (j in 2:4) { y[i,j] ~ dcat(p[z[i],j,]) } }
  theta ~ ddirch(c(1, 1))
  for (k in 1:2) { a[k,1:4] ~ ddirch(c(1, 1, 1, 1)); for (j in 2:4) { p[k,j,1:2] ~ ddirch(c(1, 1)) } }
}"
inits <- lapply(1:4, function(s) list(.RNG.name = "base::Wichmann-Hill", .RNG.seed = s))
m <- jags.model(textConnection(model), list(y = y, N = nrow(y)), inits = inits, n.chains = 4, n.adapt = 500, quiet = TRUE)
update(m, 1000, progress.bar = "none")
s <- coda.samples(m, c("theta", "a", "p"), 5000, progress.bar = "none")
named <- lapply(s, function(x) {
  x <- as.matrix(x)
  o <- t(apply(x[, c("a[1,4]", "a[2,4]")], 1, order))
  get <- function(f) sapply(1:2, function(k) x[cbind(seq_len(nrow(x)), match(f(o[, k]), colnames(x)))])
  out <- get(function(k) sprintf("theta[%d]", k))
  names <- c("theta1", "theta2")
  for (j in 1:4) for (l in seq_along(levels(table[[j]]))) {
    out <- cbind(out, get(function(k) if (j == 1) sprintf("a[%d,%d]", k, l) else sprintf("p[%d,%d,%d]", k, j, l)))
    names <- c(names, sprintf("p%d_%s_%s", 1:2, colnames(table)[j], levels(table[[j]])[l]))
  }
  colnames(out) <- names
  mcmc(out)
})
draws <- do.call(rbind, named)
out <- data.frame(parameter = colnames(draws), mean = colMeans(draws), sd = apply(draws, 2, sd),
                  mcse = apply(draws, 2, sd) / sqrt(effectiveSize(mcmc.list(named))))
out[, -1] <- signif(out[, -1], 6)
write.csv(out, "classes.csv", row.names = FALSE, quote = FALSE)
print(out)
print(sapply(named, function(x) colMeans(x)[1:3]))
