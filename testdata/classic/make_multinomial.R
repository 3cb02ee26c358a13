# Rscript make_multinomial.R writes multinomial.json: means and standard deviations of a posterior by brms 2.18 with rstan
# 2.21, 4 chains of 4000 draws after 1000, of the counts of housing.csv with the priors of pipelines/multinomial_test.go.
suppressMessages({library(brms); library(rstan); library(jsonlite)})
rstan_options(boost_lib = "/usr/include")
h <- reshape(read.csv("housing.csv")[, c("Sat", "Infl", "Type", "Cont", "Freq")], direction = "wide", timevar = "Sat",
             idvar = c("Infl", "Type", "Cont"))
names(h) <- sub("Freq.", "", names(h))
h$n <- h$Low + h$Medium + h$High
p <- do.call(c, lapply(c("muMedium", "muHigh"), function(m)
  c(set_prior("normal(0, 1)", class = "b", dpar = m), set_prior("normal(0, 2.5)", class = "Intercept", dpar = m))))
f <- brm(bf(cbind(Low, Medium, High) | trials(n) ~ Infl + Cont), h, multinomial(), prior = p, chains = 4, iter = 5000,
         warmup = 1000, seed = 1, refresh = 0)
s <- posterior_summary(f)
s <- s[grep("^b_", rownames(s)), 1:2]
rownames(s) <- sub("Intercept", "(Intercept)", sub("^b_", "", rownames(s)))
writeLines(toJSON(lapply(split(s, rownames(s)), function(v) round(v, 4)), digits = 4, pretty = TRUE), "multinomial.json")
