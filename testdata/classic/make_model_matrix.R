# Golden design matrices: what R's model.matrix makes of these data sets.
# Run in this folder: Rscript make_model_matrix.R
# It writes mixed.csv (a table with a boolean column, awkward level order and
# missing cells) and model_matrix.json, read by transform/golden_test.go.
# A matrix is kept as its column names, its first five rows, and for each column
# the sum, the sum weighted by the row's number, the mean and the sd (n - 1).

invisible(Sys.setlocale("LC_COLLATE", "C")) # levels in byte order

mixed <- data.frame(
  y = c(1.5, 0.25, -2, 3, 4.125, 0, 1, NA, 2, 7, -1, 0.5),
  flag = c(TRUE, FALSE, TRUE, TRUE, FALSE, FALSE, TRUE, TRUE, FALSE, NA, TRUE, FALSE),
  g = c("b", "a", "B", "c", "a", "b", "B", "a", "c", "b", NA, "B"),
  x = c(0.1, 0.2, 0.3, -0.4, 0.5, 0.6, NA, 0.8, 0.9, 1.0, 1.1, 1.2))
write.csv(mixed, "mixed.csv", row.names = FALSE, quote = FALSE)

cases <- list(
  list("pima_tr", "type ~ npreg + glu + bp + skin + bmi + ped + age"),
  list("pima_tr", "type ~ ."),
  list("birthwt", "low ~ age + lwt + race + smoke + ptl + ht + ui + ftv", levels = list(race = c("white", "black", "other"))),
  list("birthwt", "low ~ . - bwt"),
  list("birthwt", "low ~ race + age - 1"),
  list("quine", "Days ~ Eth + Sex + Age + Lrn"),
  list("quine", "Days ~ 0 + Eth + Sex + Age"),
  list("warpbreaks", "breaks ~ wool + tension", levels = list(tension = c("L", "M", "H"))),
  list("warpbreaks", "breaks ~ ."),
  list("esoph", "ncases ~ agegp + alcgp + tobgp"),
  list("insurance", "Claims ~ District + Group + Age + offset(log(Holders))",
       levels = list(Group = c("<1l", "1-1.5l", "1.5-2l", ">2l"), Age = c("<25", "25-29", "30-35", ">35"))),
  list("infert", "case ~ age + parity + education + spontaneous + induced"),
  list("epil", "y ~ lbase + trt + lage + V4"),
  list("airquality", "Ozone ~ Solar.R + Wind + Temp"),
  list("airquality", "Ozone ~ ."),
  list("mtcars", "mpg ~ wt + hp"),
  list("mtcars", "mpg ~ . - model"),
  list("mtcars", "am ~ wt + qsec - 1"),
  list("vaso", "Y ~ Volume + Rate"),
  list("carrots", "success ~ logdose + block"),
  list("possum", "Diversity ~ Shrubs + Stumps + Stags + Bark + Habitat + BAcacia + eucalyptus + aspect",
       levels = list(eucalyptus = c("regnans", "delegatensis", "nitens"))),
  list("cowles", "volunteer ~ sex + neuroticism + extraversion"),
  list("mixed", "y ~ ."),
  list("mixed", "y ~ flag + g + x"),
  list("mixed", "y ~ flag - 1"),
  list("mixed", "y ~ -1 + x + g + flag"),
  list("mixed", "y ~ 0 + x + flag + g"),
  list("quine", "Days ~ (Age + Sex) - (1 + Age)"),
  list("quine", "Days ~ Eth - 1 + Sex + 1"),
  list("mixed", "y ~ x - 1 + g + 1"),
  list("quine", "Days ~ Sex + Eth + Age - Eth + Eth - 0"))

num <- function(v) paste0("[", paste(sprintf("%.17g", v), collapse = ","), "]")
str <- function(v) paste0("[", paste(encodeString(v, quote = '"'), collapse = ","), "]")

one <- function(case) {
  data <- read.csv(paste0(case[[1]], ".csv"), stringsAsFactors = TRUE, check.names = FALSE)
  for (name in names(case$levels)) data[[name]] <- factor(data[[name]], levels = case$levels[[name]])
  frame <- model.frame(as.formula(case[[2]]), data, na.action = na.omit, drop.unused.levels = TRUE)
  m <- model.matrix(attr(frame, "terms"), frame)
  offset <- model.offset(frame)
  levels <- paste(vapply(names(case$levels), function(n) paste0(encodeString(n, quote = '"'), ":", str(case$levels[[n]])), ""), collapse = ",")
  paste0('{"data":"', case[[1]], '","formula":"', case[[2]], '","levels":{', levels, "},\n",
         ' "rows":', nrow(m), ',"dropped":', nrow(data) - nrow(m), ',"names":', str(colnames(m)), ",\n",
         ' "head":[', paste(apply(m[1:5, , drop = FALSE], 1, num), collapse = ","), "],\n",
         ' "sum":', num(colSums(m)), ",\n",
         ' "weighted":', num(colSums(m * seq_len(nrow(m)))), ",\n",
         ' "mean":', num(colMeans(m)), ",\n",
         ' "sd":', num(apply(m, 2, sd)), ",\n",
         ' "offset_sum":', if (is.null(offset)) "0" else sprintf("%.17g", sum(offset)), "}")
}
writeLines(c("[", paste(vapply(cases, one, ""), collapse = ",\n"), "]"), "model_matrix.json")
