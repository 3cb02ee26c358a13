// Package references finds the reference data of tests that are stored next to the repository: the panel of the
// paper, reference posteriors and grouped data.
//
// The go command does not see files outside the module, so that it answers from its cache when they come, go or
// change. The hash of each is therefore part of this package, and a test that uses data of another hash fails. If
// the data are missing a test is skipped, or fails with GLMBATCH_REFERENCES=required, which .ci/run sets if they
// must be present.
//
// Read references.go.
package references
