// Package arch holds the house rules of this module as tests: who may import
// whom, what the path of a chain may call, how products and sums of floats are
// written, what text is run as SQL, how long files and functions may be, and that every exported name
// and every dependency has its words.
//
// It has no code of its own. Each rule first shows itself violations that it
// must catch, and then reads the module's files. Everything is parsed and
// type-checked in this process: go test caches results and does not track what
// a child process such as "go list" reads, so a rule that shells out stays
// green after it is broken.
//
// Where a rule of bits does not matter, a comment on the line or on the line above says so with its reason:
// //fma:ok reason, //maporder:ok reason. So does //errtext:ok reason if another program reports a fault as text
// only.
//
// Read deps_test.go (the map, which is policy), then calls_test.go and
// fma_test.go (the path of a chain), names_test.go, kinds_test.go and tables_test.go (facts of families, methods and
// kinds, and their tables), eta_test.go
// (who writes a linear predictor), sqltext_test.go (SQL, with its breaches in
// sqlplanted_test.go), then errtext_test.go (the facts of errors), style_test.go,
// columns_test.go, order_test.go (what doc.go names), modules_test.go, cluster_test.go (modules of their own) and
// makefile_test.go; tree_test.go and types_test.go load what they look at.
package arch
