// Package propose writes a first spec for a table: it looks at the columns,
// proposes a response, a family, a formula, scaling and priors, and says why.
//
// It reads no files and fits nothing; results of a quick fit come from Table.Dispersion. A proposal is a start for
// a person, not a finding: a comment gives the reason of every choice.
//
// Read facts.go (measures of a column), roles.go, survival.go (the use of columns), groupings.go (which of them
// group the rows), family.go, classes.go (the family that the response suggests), then write.go.
package propose
