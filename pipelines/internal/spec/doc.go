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
// Read pipeline.go, then load.go, then tree.go and scalar.go (YAML to tree),
// template.go, profile.go, decode.go, union.go and check.go, then fits.go;
// schema.go stands apart.
//
// # Priors that may be left out
//
// A prior speaks of the coefficients of the design as sampled, so a fixed
// default is sane only where the design has a fixed scale. prior.coefficients
// may be left out under "standardize: center_scale" for families on a
// unit-free link scale (all but identity, inverse, sqrt and 1/mu^2), and is then
// normal(0, 2.5). Everywhere else, and for gaussian always (its coefficients
// are in units of the response), leaving it out is an error that says what to
// write. The intercept defaults to normal(0, 10), or to flat for gaussian, at the
// means of the columns (at zero under max_abs, which never centres). The prior of
// sigma, and the shape of an inverse gaussian, have the unit of the response and
// must be written; other dispersions have defaults.
package spec
