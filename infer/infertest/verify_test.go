package infertest_test

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"glmbatch/infer/cggibbs"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/nuts"
)

// verificationPage is the page of tables that "make verify" writes.
const verificationPage = "../../docs/evidence/verification.md"

// writing skips a test unless "make verify" runs it.
func writing(t *testing.T) {
	t.Helper()
	if os.Getenv("GLMBATCH_VERIFY") == "" {
		t.Skip("writes docs/evidence/verification.md: make verify")
	}
}

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

// TestVerifyPosteriors writes distances and p-values of every reference
// posterior, by sampler; a dash where a sampler does not serve, or is too slow.
func TestVerifyPosteriors(t *testing.T) {
	writing(t)
	all, _ := posteriors(t)
	dense := warmed(nutsSampler(nuts.Options{Metric: "dense"}), 250)
	var b strings.Builder
	b.WriteString("| posterior | family | components | conjugate | p | cggibbs | p | nuts | p |\n|---|---|---|---|---|---|---|---|---|\n")
	var names []string
	var p []float64
	for _, k := range all {
		fmt.Fprintf(&b, "| `%s` | %s | %d |", k.name, k.model.Family, len(k.mean))
		cell := func(s infertest.Sampler, data *glm.Data, back func([]float64), warmup, batches, size int) {
			if s == nil {
				b.WriteString(" — | |")
				return
			}
			rows, truth, mcse, scale, err := k.run(s, data, back, false, infertest.Seed(t), warmup, batches, size)
			if err != nil {
				t.Fatalf("%s: %v", k.name, err)
			}
			size2, prob := distance(rows, truth, mcse, scale)
			names, p = append(names, k.name), append(p, prob)
			fmt.Fprintf(&b, " %.1f | %.2g |", size2, prob)
		}
		exact, coordinate := infertest.Sampler(nil), gibbs(cggibbs.Options{})
		if k.group() == "gaussian" {
			exact = conjugateSampler
		}
		if len(k.mean) > 20 {
			coordinate = nil
		}
		still := func([]float64) {}
		cell(exact, k.data, still, 0, 400, 25)
		data, back := k.orthogonal()
		size := 25
		if k.group() == "other" { // correlated coordinates
			size = 200
		}
		cell(coordinate, data, back, 2*size, 40, size)
		cell(dense, k.data, still, 0, 40, 12)
		b.WriteString("\n")
	}
	verdict(t, names, p)
	if !t.Failed() {
		writeSection(t, "posteriors", b.String())
	}
}

// TestVerifyGrid writes the distances of exact invariance on the grid.
func TestVerifyGrid(t *testing.T) {
	writing(t)
	s := gridSamplers()
	var b strings.Builder
	b.WriteString("| family and link | prior of coefficients | of dispersions | cggibbs | nuts | limit |\n|---|---|---|---|---|---|\n")
	cases := infertest.GridCases()
	rows := make([]string, len(cases))
	var wg sync.WaitGroup
	room := make(chan struct{}, 2*runtime.GOMAXPROCS(0))
	for i, c := range cases {
		room <- struct{}{}
		wg.Go(func() {
			defer func() { <-room }()
			check := infertest.Check{Case: c, Seed: 1, Steps: infertest.Scale(2, 3), Pairs: infertest.Scale(460, 1500)}
			check.Sampler = s["cggibbs"][0]
			gibbs, limit := infertest.Invariance(t, check)
			check.Sampler = s["nuts"][0]
			nuts, _ := infertest.Invariance(t, check)
			rows[i] = fmt.Sprintf("%s %.3f | %.3f | %.3f |\n", gridRow(c), gibbs, nuts, limit)
		})
	}
	wg.Wait()
	b.WriteString(strings.Join(rows, ""))
	if !t.Failed() {
		writeSection(t, "grid", b.String())
	}
}

// gridRow is the part of a case's row that says what it is.
func gridRow(c infertest.Case) string {
	parts := strings.SplitN(strings.TrimPrefix(c.Name, c.Model.Family.String()+"/"), "/", 2)
	of := ""
	if len(parts) == 2 {
		of = strings.NewReplacer("=", " ", "/", ", ").Replace(parts[1])
	}
	return fmt.Sprintf("| %s | %s | %s |", c.Model.Family, parts[0], of)
}

// The page has a row of every posterior and of every case of the grid, and no
// others: a model that was added is verified, and its row written, by make verify.
func TestVerificationPage(t *testing.T) {
	page, err := os.ReadFile(verificationPage)
	must(t, err)
	rows := func(section string) (out []string) {
		m := regexp.MustCompile("(?s)<!-- table: " + section + " -->\n(.*?)<!-- end -->").FindSubmatch(page)
		if m == nil {
			t.Fatalf("the page has no section %s", section)
		}
		return strings.Split(strings.TrimSpace(string(m[1])), "\n")[2:]
	}
	check := func(section string, want []string) {
		got := rows(section)
		for _, w := range want {
			if !slices.ContainsFunc(got, func(row string) bool { return strings.HasPrefix(row, w) }) {
				t.Errorf("section %s lacks %q: make verify", section, w)
			}
		}
		if len(got) != len(want) {
			t.Errorf("section %s has %d rows, want %d: make verify", section, len(got), len(want))
		}
	}
	var posteriors, grid []string
	for _, name := range strings.Fields(gaussianPosteriors + " " + logisticPosteriors + " " + otherPosteriors) {
		posteriors = append(posteriors, "| `"+name+"` | ")
	}
	for _, c := range infertest.GridCases() {
		grid = append(grid, gridRow(c))
	}
	check("posteriors", posteriors)
	check("grid", grid)
}
