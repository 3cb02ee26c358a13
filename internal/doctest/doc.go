// Package doctest runs the documentation: it types each command of README.md and the pages of docs/, and compares
// the output with the page.
//
// Each page is walked from top to bottom in one scratch folder that looks like a fresh clone after "make build":
// bin/pipeline on the PATH, and those of the repository's folders testdata, pipelines, docs and internal (vec,
// simd) that the page names. In a page,
//
//	sh, bash, console   lines that begin with "$ " are run, and the lines below
//	                    them must be printed; a sh block without any "$ " is all
//	                    commands. A command must succeed unless the next one
//	                    is "echo $?".
//	sql                 runs with "pipeline sql" on the newest ledger that the
//	                    page has made; a text block right below is its output.
//	yaml                with a line "pipeline:" must pass "pipeline validate".
//	text, json, csv …   are not executed.
//
// Expected output may leave out lines ("…" or "..." alone) and parts of a line
// ("…"); durations, rates, clock times and the width of white space and rules
// are not compared; every other character is.
//
// Comments steer a page:
//
//	<!-- not executed: reason -->   the next block is not run; a test counts these
//	<!-- file: name -->             the next block is also written to that file
//	<!-- setup: command -->         a command that the reader does not see
//
// "git clone", the "cd" after it, and "make" lines are not run: make targets
// must exist, "make run" does what the target does with the binary at hand.
//
// Read page_test.go, then match_test.go, then walk_test.go; narrow.go, which other
// packages' tests use too, keeps generated pages within the width that all pages have.
package doctest
