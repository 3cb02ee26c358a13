# Five imputations of nhanes, one below the other, by R's mice 3.15.0: Rscript make.R
suppressMessages(library(mice))
imp <- mice(nhanes, m = 5, seed = 1, printFlag = FALSE)
write.csv(complete(imp, "long", include = TRUE), "nhanes.csv", row.names = FALSE)
fits <- with(imp, lm(chl ~ age + bmi))
print(pool(fits)$pooled, digits = 15)
