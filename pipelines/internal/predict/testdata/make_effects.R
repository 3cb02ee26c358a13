# Effects by R, from the same draws: Rscript make_effects.R > effects.json, in this folder.
#
# Cells of factors and covariates at their means are those of emmeans, which is given the draws (qdrg(mcmc =)) and goes
# to the scale of the response by regrid(). Averages over rows are computed here by their definition, for want of
# marginaleffects: every row is given the value, its mean response is averaged, in each draw.
suppressMessages({
  library(emmeans)
  library(jsonlite)
})
invisible(Sys.setlocale("LC_COLLATE", "C"))
set.seed(1)
draws_of <- function(fit, n = 40) {
  root <- t(chol(vcov(fit)))
  b <- t(coef(fit) + root %*% matrix(rnorm(n * length(coef(fit))), ncol = n))
  b <- signif(b, 8)
  colnames(b) <- names(coef(fit))
  b
}
numbers <- function(m) { # a column for each row of a result
  m <- as.matrix(m)
  q <- apply(m, 2, quantile, c(0.025, 0.5, 0.975))
  unname(t(rbind(colMeans(m), apply(m, 2, sd), q)))
}
cases <- list()
put <- function(data, formula, family, b, effect, m) {
  cases[[length(cases) + 1]] <<- list(data = data, formula = formula, family = family, draws = unname(t(b)), effect = effect,
    want = numbers(m))
}
read <- function(name) read.csv(file.path("../../../../testdata/classic", paste0(name, ".csv")), stringsAsFactors = TRUE)
grid <- function(f, data, b, link, by, ...) emmeans(qdrg(formula = f, data = data, mcmc = b, link = link, ...), by)
draws <- function(emm) as.matrix(emmeans:::as.mcmc.emmGrid(regrid(emm, "response")))

warp <- read("warpbreaks")
f <- breaks ~ wool * tension
b <- draws_of(glm(f, poisson, warp))
emm <- grid(f, warp, b, "log", ~ wool * tension)
order_of <- function(emm, ...) do.call(order, as.list(as.data.frame(emm@grid)[c(...)]))
put("warpbreaks", "breaks ~ wool * tension", "poisson", b, list(effect = "wool:tension"),
  draws(emm)[, order_of(emm, "wool", "tension")])
by <- contrast(regrid(emmeans(grid(f, warp, b, "log", ~ tension | wool), ~ tension | wool), "response"), "revpairwise")
by <- as.matrix(emmeans:::as.mcmc.emmGrid(by))
# revpairwise has L - H, M - H, M - L of wool A, then of B
put("warpbreaks", "breaks ~ wool * tension", "poisson", b, list(effect = "tension:wool", contrast = "pairwise"),
  by[, c(1, 4, 2, 5, 3, 6)])

infert <- read("infert")
f <- case ~ education * spontaneous + log(age)
b <- draws_of(glm(f, binomial, infert))
text <- "case ~ education * spontaneous + log(age)"
emm <- grid(f, infert, b, "logit", ~ education)
put("infert", text, "bernoulli", b, list(effect = "education"), draws(emm))
emm <- grid(f, infert, b, "logit", ~ education * age, at = list(age = c(25, 40), spontaneous = 1))
put("infert", text, "bernoulli", b, list(effect = "education", at = list(age = c("25", "40"), spontaneous = "1")),
  draws(emm)[, order_of(emm, "education", "age")])
odds <- as.matrix(emmeans:::as.mcmc.emmGrid(contrast(grid(f, infert, b, "logit", ~ education), "trt.vs.ctrl1")))
put("infert", text, "bernoulli", b, list(effect = "education", contrast = "reference", as = "odds_ratio"), exp(odds))

mean_of <- function(data, rows = TRUE) { # the mean response of rows, in each draw
  x <- model.matrix(delete.response(terms(f)), data, xlev = list(education = levels(infert$education)))
  colMeans(plogis(x %*% t(b))[rows, , drop = FALSE])
}
set <- function(level) { d <- infert; d$education <- factor(level, levels(infert$education)); d }
lv <- levels(infert$education)
each <- sapply(lv, function(l) mean_of(set(l)))
put("infert", text, "bernoulli", b, list(effect = "education", average = TRUE), each)
put("infert", text, "bernoulli", b, list(effect = "education", average = TRUE, contrast = "pairwise", as = "ratio"),
  cbind(each[, 2] / each[, 1], each[, 3] / each[, 1], each[, 3] / each[, 2]))
older <- infert; older$age <- older$age + 5
put("infert", text, "bernoulli", b, list(effect = "age", average = TRUE, contrast = "reference", step = 5, by = "induced"),
  sapply(0:2, function(k) mean_of(older, infert$induced == k) - mean_of(infert, infert$induced == k)))
put("infert", text, "bernoulli", b, list(effect = "", average = TRUE, by = "education"),
  sapply(lv, function(l) mean_of(infert, infert$education == l)))

cars <- read("mtcars")
f <- mpg ~ factor(cyl) * wt
b <- draws_of(lm(f, cars))
emm <- grid(f, cars, b, "identity", ~ cyl * wt, at = list(wt = mean(cars$wt) + c(-1, 0, 1) * sd(cars$wt)))
put("mtcars", "mpg ~ factor(cyl) * wt", "gaussian", b, list(effect = "cyl:wt"), draws(emm)[, order_of(emm, "cyl", "wt")])
cat(toJSON(cases, digits = NA, auto_unbox = TRUE), "\n")
