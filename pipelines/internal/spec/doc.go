// Package spec reads the YAML file in which a user says what is to be fitted,
// and either returns it whole and valid or returns everything wrong with it.
//
// A spec is parsed into a small tree of values with positions, templates
// ({{ env.NAME }}) are replaced, the tree is decoded into the types of
// pipeline.go by their struct tags, and what tags cannot say is checked by
// hand. The same tags generate the JSON schema, so editor, decoder and manual
// cannot drift apart. Nothing is opened but the spec itself: whether a data
// file exists is for ingest to say, one fit at a time.
//
// Read pipeline.go with model.go, formulas.go, groups.go, imputation.go, completed.go, mrf.go, mixture.go, classes.go,
// custom.go, scan.go, blocks.go, methods.go, limits.go, responses.go, synthetic.go, triplets.go, matrix.go (the
// types), then load.go, then tree.go and scalar.go (YAML to tree), template.go with render.go, profile.go, decode.go,
// union.go, check.go, monotone.go and mrfcheck.go, then kinds.go (what a kind of model lacks) with features.go, then
// fits.go. The JSON schema, which the program does not need, is generated in tests: schemagen_test.go.
//
// # Priors that may be left out
//
// All of them. A prior is for the coefficients of the design as sampled, and a sensible scale follows from the
// data: a prior that is left out has an empty Kind here, and glm.Defaults gives it numbers once the data are read.
// The intercept's holds at the means of the columns (at zero under max_abs, which never centres).
package spec
