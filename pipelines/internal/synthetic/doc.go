// Package synthetic makes the data that a spec's key "synthetic" describes, for
// studies of how samplers scale: normal columns, and a response with normal
// coefficients. They are a pure function of that key, to the bit, and do not
// depend on the pipeline's seed.
//
// It writes CSV, which ingest reads as any other file; fitting them is not known here.
//
// Read synthetic.go.
package synthetic
