// Package propose writes a first spec for a table: it looks at the columns,
// proposes a response, a family, a formula, scaling and priors, and says why.
//
// It reads no files and fits nothing; what a quick fit must tell it comes by way of
// Table.Dispersion. A proposal is a start for a person, not a finding: every choice
// stands beside its reason, as a comment.
//
// Read facts.go (what is seen of a column), roles.go, survival.go (what columns are for), groupings.go
// (which of them group the rows), family.go, classes.go (what the response asks for), then write.go.
package propose
