// Package family has the families of responses: each is one value in one file, and a row of the table in table.go.
// The value has all facts of a family. Other packages ask it and compare no names.
//
// Read distribution.go for the parts of such a value, then
//
//   - table.go, family.go: the table, and the pair of names that specs and ledgers write;
//   - link.go, support.go, precision.go: links, possible responses, and weights of rows;
//   - limits.go: rows that are censored or truncated, tailed.go: by distribution functions;
//   - rows.go, positive.go, binary.go, special.go: what several families have in common;
//   - several.go: families of several predictors;
//   - gaussian.go, student.go, bernoulli.go, binomial.go, betabinomial.go, poisson.go, negativebinomial.go, gamma.go,
//     inversegaussian.go, beta.go, lognormal.go, skewnormal.go, exgaussian.go, categorical.go, multinomial.go: the
//     families;
//   - located.go, standard.go: distributions of a location and a scale, whose rows may be limited; and such families of
//     times: weibull.go, exponential.go, loglogistic.go, frechet.go; piecewise.go: those whose
//     hazard is constant between breaks;
//   - scaled.go: families whose sigma has a predictor; varying.go, varyinggiven.go: those of which any parameters have;
//     zeros.go, zerosgiven.go: zero-inflated and hurdle families; zeroone.go: shares with zeros and ones;
//   - ordinal.go, ordinalalong.go, steps.go: families of ordered classes, and their densities;
//   - custom.go, customlaw.go: likelihoods of a user's own, by expressions;
//   - likely.go: the family that numbers look like; length.go: the default prior of a length scale.
package family
