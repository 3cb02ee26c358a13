// Package references finds the data that tests are held to and that stand beside the
// repository: the panel of the paper, reference posteriors and grouped data.
//
// The go command does not see files outside the module, so that it answers from its
// cache when they come, go or change. The hash of each is therefore part of this
// package, and a test that uses data of another hash fails. Where the data are not
// there a test is skipped, or fails with GLMBATCH_REFERENCES=required, which .ci/run
// sets where they must be there.
//
// Read references.go.
package references
