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
// R's notation: response ~ terms, with + and - to add and remove, a:b for the interaction, a*b for a + b + a:b, (a
// + b + c)^2 for all crossings of two variables, a/b and b %in% a for nesting, . for every column that the left
// side does not read, 1 and 0 for the intercept, and backquotes for names that are not plain words. Terms are
// ordered by degree, variables within a term by their order in the text. Text and boolean columns are factors,
// numbers and dates in factor(x) too. A factor of an interaction is coded by all of its levels where its margin is
// not in the model: R's rule, see fullCoding.
//
// Numbers may go through arithmetic and comparisons in I(), and through log, log2, log10, log1p, exp, sqrt, abs and
// scale; the response and offsets likewise. poly, ns and bs make several columns. A comparison, relevel and cut
// make factors; a number in no interval of cut is an error, where R has it missing. scale, poly, ns and bs learn
// from all rows that have the numbers, as in R, even from rows that are dropped for another column's sake.
//
// Further parts are offset(x) and trials(n), which may also be written as y | trials(n), or R's cbind(successes,
// failures). y | se(s) declares s as the known standard errors of gaussian responses, y | rate(t) is an offset of
// log(t), and y | weights(w) names a column of frequencies. Calls after the bar are joined by +.
//
// mi() is that of brms: y | mi() ~ x + mi(z) reads as y ~ x + z, and Marks lists the columns whose missing cells
// are drawn.
//
// # Groups
//
// (terms | g) gives each level of g an effect of its own for each term, with an intercept unless 0 takes it away:
// (1 | g), (x | g), (0 + x | g), with factors, functions and crossings as outside. Effects of one pair of
// parentheses are correlated within a level; with || each column is independent, a factor's too, as in brms. A
// grouping is a column, factor(x), cut(x, …), or a crossing g:h of such; (1 | g/h) is (1 | g) + (1 | g:h). . and
// globs leave its columns out.
//
// Levels are those that occur: text in byte order, whole numbers in increasing order and with all their digits,
// those of a crossing by their parts and named a_b. Columns of effects are on the scale of the data, and
// "Intercept" is the column of ones. A level that the model was not fitted with is an error in new data, or follows
// the others (Coding.NewLevels).
//
// Decision: two levels of a crossing that would have one name (a and b_c, a_b
// and c) are an error, where brms makes one level of them.
//
// Decision: poly finds its polynomials by Stieltjes' procedure, where R takes a
// QR decomposition of the powers: the same polynomials, without the powers, and
// new data and old ones go through the same recurrence to the same bits.
//
// Decision: an interaction's coefficient names a column as it is, without the
// backquotes that R puts around names that are not plain words. Functions of
// columns have R's spelling with backquotes.
//
// Decision: a number that a function has no value for (log of 0) is an error that names the cell. R continues with
// NaN or drops the row.
//
// Decision: x* is a glob, a*b is an interaction. A star belongs to the name on
// its left when it touches it and no operand follows; it multiplies otherwise.
// So "x* + z" and "offset(e) + x*" hold globs, "x*z", "x *z" and "x*(z + w)"
// are interactions, and "x *" is an error. Any other pattern is written
// glob("*_rate"), where * stands for any run of characters and ? for one.
// R has no globs, so that a formula from R never changes its meaning here.
//
// Decision: . and globs take the columns of offset(), as R does. They leave out those of weights, which R's terms()
// takes, and those of trials(), groupings and s(), which R's terms() does not know.
//
// Decision: dates and points in time are labels of factor() and of groupings.
// As plain terms they are errors, also as text: days since 1970 have no natural
// zero and no natural unit, and a factor of them is hardly ever meant.
//
// # Smooths
//
// s(x) is a curve of a number: columns without a penalty, of which a line is one, and
// penalised columns whose coefficients share a standard deviation. The basis is
// mgcv's tp (the default), cr or ps, of k functions, with the sum of the curve over the
// rows 0; columns and names are those of brms, up to a rotation within the penalised
// ones. s(x, by = f) is a curve for each level of a factor, s(x, by = z) is multiplied
// by a number and not centred. The rows that are used make the basis. Columns of a
// smooth are neither centred nor scaled; . and globs leave x out.
//
// Decision: a thin plate of more than 2000 distinct values has its knots at even
// steps of their order, where mgcv draws 2000 of them.
//
// Decision: fewer distinct values than k are an error for ps too, where mgcv warns.
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
// # New data
//
// Record.Code makes the design of new data by what the record learned. It
// refuses levels that the model was not fitted with, by name.
//
// Read formula.go, then design.go, record.go and code.go. Then
//
//   - token.go, parse.go, left.go, counts.go, marks.go, expression.go, weights.go, select.go, names.go,
//     possible.go, absent.go, errors.go: the text of a formula, its terms and names, and what is wrong with them;
//   - variables.go, column.go, evaluate.go, elementary.go, missing.go, scale.go, stats.go: numbers;
//   - factor.go, category.go, slips.go, dates.go, cut.go, contrasts.go: factors;
//   - basis.go, spline.go: one number as several columns;
//   - smooth.go, smooths.go, penalised.go, knots.go, cubic.go: curves with a penalty, their terms, then their columns;
//   - distances.go, process.go: distances of points, Gaussian processes;
//   - matrix.go, structure.go, areas.go: matrices over levels, effects of areas and random walks;
//   - monotone.go: steps from each level to the next one;
//   - bars.go, grouping.go, effects.go, identify.go: group-level effects, and which of them the data do not identify;
//   - response.go, limits.go, surv.go, separation.go, dependent.go, fill.go, sparse.go, memory.go, units.go: the
//     response and the matrix, and the way back;
//   - predicted.go, specific.go: formulas and designs of further predictors; responses.go, among.go: formulas of
//     several responses, and rows with one of them;
//   - pieces.go, learned.go: rows that come in blocks;
//   - derived.go, quantity.go, average.go: quantities computed from draws; statistic.go: one number of all
//     responses;
//   - auxcolumn.go: auxiliary columns of a design;
//   - items.go, itemrows.go: several responses in a row;
//   - gaps.go, entries.go: incomplete columns, and what their cells move in a design;
//   - reading.go: how new data are to be read;
//   - points.go: tables of points, and of rows with other values than they have.
package transform
