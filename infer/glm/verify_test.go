package glm

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// verificationPage is the page of tables that "make verify" writes.
const verificationPage = "../../docs/evidence/verification.md"

// writeSection writes a table between the markers of a section of the page.
func writeSection(t *testing.T, name, table string) {
	t.Helper()
	path := os.Getenv("GLMBATCH_VERIFY")
	page, err := os.ReadFile(path)
	must(t, err)
	section := regexp.MustCompile("(?s)(<!-- table: " + name + " -->\n).*?(<!-- end -->)")
	if !section.Match(page) {
		t.Fatalf("%s has no section %s", path, name)
	}
	page = section.ReplaceAllFunc(page, func(old []byte) []byte {
		return []byte("<!-- table: " + name + " -->\n" + table + "<!-- end -->")
	})
	must(t, os.WriteFile(path, page, 0o644))
}

// TestVerifyClassic writes the table of R's fits.
func TestVerifyClassic(t *testing.T) {
	if os.Getenv("GLMBATCH_VERIFY") == "" {
		t.Skip("writes docs/evidence/verification.md: make verify")
	}
	var b strings.Builder
	b.WriteString("| data | family | formula | estimates | standard errors |\n|---|---|---|---|---|\n")
	eachClassic(t, func(t *testing.T, file string, r *fitted, f frame) {
		estimate, stdError := r.check(t, f)
		fmt.Fprintf(&b, "| %s | %s(%s) | `%s` | %.0e | %.0e |\n", file, r.Family, r.Link, strings.ReplaceAll(r.Formula, "|", `\|`), estimate, stdError)
	})
	if !t.Failed() {
		writeSection(t, "fits", b.String())
	}
}

// The page has a row of every fit.
func TestVerificationPageHasFits(t *testing.T) {
	page, err := os.ReadFile(verificationPage)
	must(t, err)
	eachClassic(t, func(t *testing.T, file string, r *fitted, _ frame) {
		row := fmt.Sprintf("| %s | %s(%s) | `%s` | ", file, r.Family, r.Link, strings.ReplaceAll(r.Formula, "|", `\|`))
		if !strings.Contains(string(page), row) {
			t.Errorf("%s lacks the row %q: make verify", verificationPage, row)
		}
	})
}
