# Rscript make_linked.R writes linked.json: means and standard deviations of the posterior by brms 2.18 with rstan 2.21,
# 2 chains of 2500 draws after 2500, of the model of pipelines/linked_test.go.
suppressMessages({library(brms); library(rstan); library(jsonlite)})
rstan_options(boost_lib = "/usr/include")
s <- read.csv("../../pipelines/examples/sleepstudy.csv")
f <- brm(bf(Reaction ~ Days + (1 + Days | p | Subject), sigma ~ 1 + (1 | p | Subject)), s, gaussian(),
         prior = c(prior(normal(0, 50), class = "b"), prior(normal(300, 100), class = "Intercept"),
                   prior(normal(3, 1), class = "Intercept", dpar = "sigma"),
                   prior(student_t(3, 0, 50), class = "sd"), prior(student_t(3, 0, 2), class = "sd", dpar = "sigma"),
                   prior(lkj(2), class = "cor")),
         chains = 2, iter = 5000, seed = 1, refresh = 0)
s <- posterior_summary(f)
s <- s[grep("^b_|^sd_|^cor_", rownames(s)), 1:2]
rownames(s) <- sub("^b_(.*)Intercept$", "\\1(Intercept)", rownames(s))
rownames(s) <- sub("^b_", "", rownames(s))
writeLines(toJSON(lapply(split(s, rownames(s)), function(v) round(v, 4)), digits = 4, pretty = TRUE), "linked.json")
