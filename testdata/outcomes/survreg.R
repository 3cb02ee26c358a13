# Rscript survreg.R > survreg.csv: maximum likelihood fits by survival::survreg, in the parameters of this program.
suppressPackageStartupMessages(library(survival))
lung <- read.csv("lung.csv"); veteran <- read.csv("veteran.csv")
fits <- list(lung = list(Surv(time, status == 2) ~ age + sex + ph.ecog, lung),
             veteran = list(Surv(time, status == 1) ~ karno + age + trt, veteran))
cat("data,family,log_likelihood,intercept,b1,b2,b3,dispersion\n")
for (name in names(fits)) for (dist in c("weibull", "exponential", "lognormal", "loglogistic")) {
  fit <- survreg(fits[[name]][[1]], fits[[name]][[2]], dist = dist, control = list(rel.tolerance = 1e-13, maxiter = 100))
  b <- coef(fit); s <- fit$scale
  if (dist %in% c("weibull", "exponential")) b[1] <- b[1] + lgamma(1 + s)  # the mean
  cat(sprintf("%s,%s,%s\n", name, dist, paste(sprintf("%.15g", c(fit$loglik[2], b, if (dist == "lognormal") s else 1 / s)), collapse = ",")))
}
