// Package prose checks the words of the repository: the Markdown pages, the
// comments of Go files and the messages in them, by the expressions of
// testdata/rules.tsv.
//
// A page of testdata/finished.txt has no hit and no sentence of more than 25
// words; messages of a folder of that list have no hit. A file that
// testdata/counts.tsv does not list has no hit. The hits of a folder are at most
// those that counts.tsv records. Rules whose name begins with "w:" apply to that
// list only, because their words can be right.
//
// After hits are removed, "go test ./internal/prose -update" lowers the records.
// It never raises a record and never adds a file, unless counts.tsv was removed
// to record all of them again.
//
// TestManualIsShort and TestReferenceIsShort bound the words of the manual and of
// the generated reference.
//
// The package has no code of its own. Read rules_test.go, text_test.go and
// prose_test.go.
package prose
