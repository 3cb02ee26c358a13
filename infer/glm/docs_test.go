package glm_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"glmbatch/infer/family"
	"glmbatch/infer/prior"
)

// documented returns the cells of the table rows of the model page whose first cell
// begins with a name in backquotes, by that name.
func documented(t *testing.T) map[string][][]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/reference/language.md")
	must(t, err)
	name := regexp.MustCompile("^\\| `([^`(]+)(?:\\([^`]*\\))?` \\|")
	out := map[string][][]string{}
	for _, line := range strings.Split(string(page), "\n") {
		if m := name.FindStringSubmatch(line); m != nil {
			var cells []string
			for _, c := range strings.Split(strings.ReplaceAll(strings.Trim(line, "|"), `\|`, "│"), "|") {
				cells = append(cells, strings.TrimSpace(c))
			}
			out[m[1]] = append(out[m[1]], cells)
		}
	}
	return out
}

// The model page has every family with its links, its dispersions and its
// density with a source, every link, and every prior with its arguments,
// its density and its moments.
func TestModelPage(t *testing.T) {
	page := documented(t)
	links := map[string]bool{}
	for _, f := range family.Table() {
		rows := page[f.Name]
		if len(rows) < 2 || len(rows[1]) != 3 || rows[1][1] == "" || rows[1][2] == "" {
			t.Errorf("%s has no density with a source on the page: %q", f.Name, rows)
			continue
		}
		for _, l := range f.Links {
			links[l.Name] = true
			if f.Name != "binomial" && !strings.Contains(rows[0][1], "`"+l.Name+"`") {
				t.Errorf("%s has no link %s on the page", f.Name, l.Name)
			}
		}
		for _, d := range f.Dispersions {
			if !strings.Contains(rows[0][3], "`"+d.Name+"`") || !strings.Contains(rows[1][1], d.Name) {
				t.Errorf("%s has no dispersion %s on the page", f.Name, d.Name)
			}
		}
	}
	for l := range links {
		if rows := page[l]; len(rows) == 0 || len(rows[0]) < 4 {
			t.Errorf("link %s is not on the page", l)
		}
	}
	for _, p := range prior.Table() {
		name := string(p.Kind)
		at := -1
		for i, cells := range page[name] {
			if strings.Count(cells[0], ",")+1 == max(1, len(p.Args)) && len(cells) == 4 && cells[2] != "" {
				at = i
			}
		}
		if at < 0 {
			t.Errorf("prior %s has no density on the page: %q", p.Usage(), page[name])
			continue
		}
		of := page[name][at][1]
		if p.Coefficient != (of == "both" || strings.HasPrefix(of, "coefficients")) || p.Dispersion != (of == "both" || of == "dispersions") {
			t.Errorf("prior %s is not for %s", name, of)
		}
	}
}
