// Package transform turns an Arrow table and a formula into the float64 design
// that samplers see, and brings their draws back to the units of the data.
//
// It reads no file and draws no random number. Everything it does to the data
// is written into a Record, which is stored with the fit, so that new data can
// be coded alike. All sums run in one fixed order: the same table gives the
// same bits on every machine.
//
// # Formulas
//
// R's notation: response ~ terms, with + and - to add and remove, . for every
// column that is not used elsewhere (response, trials, offset), 1 and 0 for the
// intercept, and backquotes for names that are not plain words. Text and
// boolean columns are factors with treatment coding. Beside these stand
// offset(x), offset(log(x)), and trials(n), which may also be written as
// y | trials(n).
//
// Decision: x* is a glob, a*b is an interaction. A star belongs to the name on
// its left when it touches it and no operand follows; it multiplies otherwise.
// So "x* + z" and "offset(e) + x*" hold globs, "x*z", "x *z" and "x*(z + w)"
// are interactions, and "x *" is an error. Any other pattern is written
// glob("*_rate"), where * stands for any run of characters and ? for one.
// R has no globs, so that a formula from R never changes its meaning here.
//
// Decision: . and globs leave out the columns of offset() and trials(), where R
// takes those of offset() in: an exposure is hardly ever meant as a predictor
// too, and can be named if it is.
//
// Decision: dates are refused, with their name. Days since 1970 have no natural
// zero and no natural unit; whoever wants a trend says which, in the query.
//
// # Scaling
//
// Columns are scaled after rows are dropped, dummies included; constant columns
// stay as they are; nothing is centred without an intercept. The intercept's
// prior is stated at the means of the columns (InterceptAt "means") by
// sampling a centred design, or at zero. max_abs keeps zeros and never centres,
// so that it goes with "zero" only.
//
// # Missing values
//
// A null or a NaN in a used column is a missing cell: an error that names it,
// or a dropped row. Infinite values are always errors, dropped row or not. A
// column that a formula only subtracts is not used: unlike in R, its missing
// cells drop no row.
//
// Read formula.go, then design.go, then record.go; parse.go and scale.go hold
// the two algorithms.
package transform
