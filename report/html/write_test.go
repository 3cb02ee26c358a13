package html

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// hostile are names that data may have.
var hostile = []string{
	`</script><img src=x onerror="window.broken=1">`, `<!--<script>window.broken=1</script>`, `"'; DROP TABLE fit; --`,
	"größe \u202e reversed \u2028 line", `javascript:window.broken=1`, "{{.Page}} ${window.broken=1} \\ \x00 \t",
}

// sample is a page with something of everything, named by name.
func sample(name string, coefficients int) *Page {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	code := 1
	c := Coefficients{}
	for i := range coefficients {
		x := Number(math.Sin(float64(i)))
		c.Name, c.Kind = append(c.Name, fmt.Sprintf("%s %d", name, i)), append(c.Kind, "coefficient")
		for _, column := range []*[]Number{&c.Mean, &c.Median} {
			*column = append(*column, x)
		}
		c.SD, c.RHat, c.Bulk, c.Tail = append(c.SD, 0.1), append(c.RHat, 1.001), append(c.Bulk, Number(400+i)),
			append(c.Tail, 500)
		c.Q025, c.Q25, c.Q75, c.Q975 = append(c.Q025, x-0.2), append(c.Q25, x-0.1), append(c.Q75, x+0.1),
			append(c.Q975, x+0.2)
	}
	s := Series{Prior: "half_student_t(3, 0.2)", Scale: 2, Divergent: []Number{0.1, -0.5}, Name: name, RHat: 1.002, Bulk: 321, Tail: 456, Draws: 100, Every: 1, Low: -1, High: 1,
		Lags: []int{0, 1, 2}, Grown: []int{200, 400}, GrownBulk: []Number{160, 321}, GrownTail: []Number{200, 456}}
	for k := range 4 {
		trace, ranks := make([]byte, 100), make([]int, 20)
		for i := range trace {
			trace[i] = byte((37*i + 11*k) % 255)
			ranks[i%20]++
		}
		s.Trace, s.Ranks, s.Auto = append(s.Trace, trace), append(s.Ranks, ranks), append(s.Auto, []Number{1, 0.4, 0.1})
	}
	imputed := s
	imputed.Imputations = 2
	detail := &Detail{Coefficients: c, Series: []Series{s, imputed}, Missing: []string{},
		Checks: []Check{{Statistic: "mean", Observed: 0.5, Mean: 0.4, SD: 0.1, Q025: 0.2, Q975: 0.6, P: 0.3, Replicates: 100,
			Note: name}},
		Bins: []Bin{{Low: 0, High: 1, Observed: 3, Quantiles: [5]Number{1, 2, 3, 4, 5}},
			{Low: 1, High: Number(math.NaN()), Observed: 9, Quantiles: [5]Number{0, 0, 1, 2, 3}}},
		LOO: &LOO{Rows: 3, ELPD: -6, SE: 1, P: 2, Looic: 12, Threshold: 0.7, High: 1, Shown: []int64{1, 2, 3},
			K: []Number{0.1, 0.9, Number(math.NaN())}, Pointwise: []Number{-1, -2, -3},
			PIT: [][4]Number{{0.25, 0.4, 0.1, 0.35}, {0.5, 0.5, 0.3, 0.7}, {0.75, 0.6, 0.65, 0.9}}},
		ByLevel: []LevelCheck{{Variable: name, Statistic: "mean", Levels: 30, Outside: 1, Expected: 2.9, Level: []string{name, "b"},
			Rows: []int64{3, 4}, Observed: []Number{9, 2}, Of: [][5]Number{{0, 1, 2, 3, 4}, {1, 2, 3, 4, 5}}}},
		Over: []OverCheck{{Variable: name, Expected: 0.2, X: []Number{1, 2}, Rows: []int64{3, 4}, Outside: []int64{0, 1},
			Observed: []Number{2, 9}, Mean: [][5]Number{{0, 1, 2, 3, 4}, {1, 2, 3, 4, 5}},
			Single: [][5]Number{{0, 1, 2, 3, 4}, {1, 2, 3, 4, 5}}}},
		Energy: &Energy{High: 3, Marginal: []int{1, 4, 1}, Transition: []int{2, 2, 2}, BFMI: []Number{0.9, 1}},
		Groups: []Group{{Grouping: name, Levels: 30, Effects: 60, RHatOf: name, BulkOf: name}},
		Pooled: &Pooled{Words: name, Count: 2, Imputations: []string{name, "b"}, Rows: []PooledRow{{Name: name, Mean: 1,
			Within: 2, Between: 1, Total: 2.3, DF: 9, RIV: 0.3, FMI: 0.2, RHat: 1.002, Across: 1.1,
			Of: [5]Number{-1, 0, 1, 2, 3}, Each: [][3]Number{{-1, 0, 2}, {0, 2, 3}}}, {Name: "other"}}},
		Incomplete: gapsOf(name),
		Curves: []Curve{{Smooth: name, Level: name, X: []Number{0, 1, 2}, Of: [][5]Number{{0, 1, 2, 3, 4}, {1, 2, 3, 4, 5},
			{0, 1, 2, 3, 4}}}},
		Mixture: &Mixture{Rows: 40, Switches: []int64{0, 3}, Components: []Component{
			{Weight: Interval{0.4, 0.3, 0.5}, Rows: 16, Best: [10]int64{9: 14, 5: 2}},
			{Weight: Interval{0.6, 0.5, 0.7}, Rows: 24, Best: [10]int64{9: 20, 8: 4}}}},
		Terms: []Term{termOf(name, 30, 30), termOf(name, 2000, 84)}}
	for i, given := range []string{name, "other"} {
		for x := range 3 {
			detail.Effects = append(detail.Effects,
				Effect{Effect: name, Kind: "prediction", Variable: name, Level: "1", X: Number(x), Given: given,
					Mean: Number(x + i), Q025: Number(x - 1), Q975: Number(x + 2)},
				Effect{Effect: name + " pairwise", Kind: "ratio", Variable: name, Level: name, X: Number(math.NaN()), Given: given,
					Mean: 1.5, Q025: 0.5, Q975: 2})
		}
	}
	fit := Fit{ID: 1, Dataset: name, Key: name, Model: name, Sampler: name, Action: "computed", Verdict: "fail",
		Reasons: []string{name, "two"}, Why: []string{name, "two"}, Advice: []string{"draw longer"},
		Method: "cggibbs", Family: "bernoulli", Link: "logit", Formula: name, Rows: 200, Columns: 3, Parameters: coefficients,
		Chains: 4, Warmup: 100, Draws: 100,
		RHatMax: 1.2, ESSMin: 99, Seconds: 3, Setup: 1, WarmupTime: 1, Sampling: 1, Created: at, Detail: detail}
	erred := Fit{Dataset: name, Model: "m", Sampler: "s", Action: "error", Verdict: "error",
		Reasons: []string{"line one\nhint: " + name}, Why: []string{name}, Advice: []string{},
		RHatMax: Number(math.NaN()), ESSMin: Number(math.NaN()), Seconds: Number(math.NaN())}
	passed := fit
	passed.Sampler, passed.Verdict, passed.Reasons, passed.Why, passed.Advice = "other", "pass", []string{}, []string{}, []string{}
	passed.Detail = &Detail{Coefficients: c, Series: []Series{}, Missing: []string{"There are no plots: " + name}, Checks: []Check{}}
	none := Number(math.NaN())
	cost := Cost{Sampler: name, Method: "nuts", Verdict: "pass", Fits: 8, PerSec: Interval{100, 80, 120},
		MinSec: Interval{50, none, none}, ToESS: Interval{0.5, 0.4, 0.6}, ToMin: Interval{1, none, none}}
	other := cost
	other.Sampler, other.ToESS, other.PerSec = "other", Interval{2, 1, 3}, Interval{20, 10, 30}
	run := Run{ID: "r1", Pipeline: name, Started: at, Seconds: 12, ExitCode: &code, Seed: "7", Program: "p",
		Counts: map[string]int{"fail": 1, "error": 1}}
	return &Page{Title: name, Ledger: name, Scope: "one run", Made: at, Run: &run, Runs: []Run{run, run},
		Said: []Said{{Headline: name, Verdict: "fail", Example: name, Advice: []string{name}, Fits: []int{1, 2, 1, 2, 1, 2, 1}}},
		Results: []Result{{Model: name, Link: "logit", Fits: 2, Forests: []Forest{
			{Name: name, Kind: "coefficient", Fit: []int{1, 2}, Of: [][5]Number{{-1, 0, 0.5, 1, 2}, {none, none, none, none, none}}},
			{Name: "sd", Kind: "group_sd", Fit: []int{1}, Of: [][5]Number{{1, 2, 3, 4, 5}}}}}},
		Fits: []Fit{erred, fit, passed}, Pages: 3, Agreement: Agreement{Pairs: 1, Differ: 1, Failed: 1}, Notes: []string{name},
		Pairs: []Pair{{Dataset: name, Model: name, Rows: 200, Columns: 3, A: cost, B: other, Agreement: "differ", ZMax: 9,
			ZLimit: 4, Worst: name, Replicates: 8, Ratio: Interval{4, 3, 5}, RatioMin: Interval{4, none, none},
			RatioLogLik: Interval{none, none, none}}},
		LOO: []Ranked{{Dataset: name, Model: name, Sampler: name, ELPD: -6, Note: name},
			{Dataset: name, Model: "m", Sampler: "s", Diff: -2, SE: 1, ELPD: -8}},
		Courses: []Course{{Fit: 1, Name: []string{name}, Created: [][]time.Time{{at, at.AddDate(0, 0, 1)}},
			Of: [][][5]Number{{{0, 1, 2, 3, 4}, {1, 2, 3, 4, 5}}}}},
		Drift: []Drift{{Dataset: name, Key: name, Model: name, Sampler: name, ID: 1, Created: at, Verdict: "pass", Shift: 1.5,
			ShiftOf: name, SDRatio: 1.1, RowsBefore: 100, Rows: 90, Response: none, Centre: 0.2, CentreOf: name,
			Changed: "data"}}}
}

// gapsOf are an incomplete column of numbers, one of levels, and the response.
func gapsOf(name string) []Incomplete {
	none, q := Number(math.NaN()), [5]Number{0, 1, 2, 3, 4}
	cells := []Cell{{Row: 7, Level: name, Mean: 0.5, Quantiles: q, RHat: 1.2}, {Row: 8, Level: "b", Mean: 0.9, Quantiles: q,
		RHat: none}}
	number := Incomplete{Variable: name, Formula: name, Family: "poisson", Observed: 40, Missing: 25, RHat: 1.2, Bulk: 90,
		Cells: cells, Bins: []CellBin{{Low: none, High: 0, Mean: 0.5, Quantiles: q},
			{Low: 0, High: 1, Observed: 30, Mean: 6, Quantiles: q}, {Low: 1, High: 2, Observed: 10, Mean: 8.5, Quantiles: q},
			{Low: 2, High: 3, Mean: 10, Quantiles: q}}}
	levels := Incomplete{Variable: name + " 2", Formula: name, Family: "multinomial", Observed: 4, Missing: 2, RHat: none,
		Bulk: none, Cells: cells, Bins: []CellBin{{Level: name, Low: none, High: none, Observed: 1, Mean: 0.5, Quantiles: q},
			{Level: "b", Low: none, High: none, Observed: 3, Mean: 1.5, Quantiles: q}}}
	response := number
	response.Response, response.Variable, response.Missing = true, name+" 3", 2
	return []Incomplete{number, levels, response}
}

// termOf is a term of a grouping with levels levels, shown of them from both ends and between.
func termOf(name string, levels, shown int) Term {
	t := Term{Grouping: name, Term: name, Levels: levels, Mean: 1, SD: 0.1, Quantiles: [5]Number{0.5, 0.8, 1, 1.2, 2},
		ICC: Interval{0.3, 0.1, 0.5}}
	e := &t.Effects
	for i := range shown {
		x := Number(i)/Number(shown) - 0.5
		e.Rank, e.Level = append(e.Rank, 1+i*(levels-1)/(shown-1)), append(e.Level, fmt.Sprintf("%s %d", name, i))
		e.Mean, e.Median, e.Told = append(e.Mean, x), append(e.Median, x), append(e.Told, x*x)
		e.Q025, e.Q25, e.Q75, e.Q975 = append(e.Q025, x-0.2), append(e.Q25, x-0.1), append(e.Q75, x+0.1), append(e.Q975, x+0.2)
	}
	return t
}

func written(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	must(t, Write(&b, p))
	return b.String()
}

var scriptElement = regexp.MustCompile(`(?s)<script([^>]*)>(.*?)</script>`)

// A hostile name adds no element: the page has the same tags whatever it is, and
// what its data elements hold is the name again.
func TestNamesStayNames(t *testing.T) {
	tag := regexp.MustCompile(`<[a-zA-Z!/][^\s>]*`)
	tags := func(page string) []string {
		return tag.FindAllString(scriptElement.ReplaceAllString(page, "<script$1></script>"), -1)
	}
	want := strings.Join(tags(written(t, sample("plain", 3))), " ")
	for _, name := range hostile {
		page := written(t, sample(name, 3))
		if got := strings.Join(tags(page), " "); got != want {
			t.Errorf("%q changes the elements of the page", name)
		}
		var back Page
		for _, m := range scriptElement.FindAllStringSubmatch(page, -1) {
			if strings.Contains(m[1], `id="data-page"`) {
				if err := json.Unmarshal([]byte(m[2]), &back); err != nil {
					t.Fatalf("%q: %v", name, err)
				}
			}
		}
		if back.Title != name || back.Fits[1].Formula != name || back.Drift[0].ShiftOf != name {
			t.Errorf("%q is read back as %q", name, back.Title)
		}
	}
}

// The policy names the hash of each script that runs, and nothing else may run or
// be fetched.
func TestPolicy(t *testing.T) {
	page := written(t, sample("plain", 3))
	policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)[1]
	policy = strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(policy)
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe-eval") ||
		strings.Contains(policy, "http") {
		t.Errorf("the policy is %q", policy)
	}
	run := 0
	for _, m := range scriptElement.FindAllStringSubmatch(page, -1) {
		if strings.Contains(m[1], "application/json") {
			continue
		}
		run++
		sum := sha256.Sum256([]byte(m[2]))
		if hash := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, hash) {
			t.Errorf("script %d has the hash %s, which the policy does not name", run, hash)
		}
	}
	if n := strings.Count(policy, "'sha256-"); run != 3 || n != 3 {
		t.Errorf("%d scripts run, and the policy names %d", run, n)
	}
}

// Our scripts make no markup of text, run no text, and fetch nothing.
func TestScriptsAreTame(t *testing.T) {
	err := fs.WalkDir(files, "page", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text := file(path)
		for _, word := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(",
			"fetch(", "XMLHttpRequest", "import(", "@import", "url(", "src=", "setTimeout(\""} {
			if strings.Contains(text, word) {
				t.Errorf("%s has %s", path, word)
			}
		}
		if links := regexp.MustCompile(`https?://[^"' ]+`).FindAllString(text, -1); len(links) > 1 || len(links) == 1 &&
			links[0] != "http://www.w3.org/2000/svg" {
			t.Errorf("%s names %v", path, links)
		}
		if n := strings.Count(text, "\n"); n >= 500 {
			t.Errorf("%s has %d lines", path, n)
		}
		return nil
	})
	must(t, err)
}

// The charting library is the published one, and cannot end its own element.
func TestVendoredFilesAreThePublishedOnes(t *testing.T) {
	sums, err := os.ReadFile(filepath.Join("vendor", "SHA256SUMS"))
	must(t, err)
	lines := strings.Split(strings.TrimSpace(string(sums)), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d files have sums, want 4", len(lines))
	}
	for _, line := range lines {
		sum, name, _ := strings.Cut(line, "  ")
		if got := fmt.Sprintf("%x", sha256.Sum256([]byte(file("vendor/"+name)))); got != sum {
			t.Errorf("vendor/%s has the hash %s: it is not what vendor/fetch.sh fetched", name, got)
		}
		if strings.Contains(strings.ToLower(file("vendor/"+name)), "</script") {
			t.Errorf("vendor/%s holds the end of a script element", name)
		}
	}
}

// A page without fits explains that, and a page is a function of its data.
func TestEmptyPage(t *testing.T) {
	empty := &Page{Title: "t", Runs: []Run{}, Fits: []Fit{}, Pairs: []Pair{}, LOO: []Ranked{}, Drift: []Drift{},
		Notes: []string{}, Said: []Said{}, Results: []Result{}}
	if page := written(t, empty); !strings.Contains(page, "There are no fits to show") {
		t.Error("an empty page does not say that it is")
	}
	if first, again := written(t, sample("a", 10)), written(t, sample("a", 10)); first != again {
		t.Error("the same data gave two pages")
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{1.23456789: "1.2346", math.NaN(): "null", math.Inf(1): "null",
		-0.000012345678: "-0.000012346", 0: "0", math.MaxFloat64: "1.7976931348623157e+308", 404.86: "404.86"} {
		if got, err := json.Marshal(Number(v)); err != nil || string(got) != want {
			t.Errorf("%v is written %s, error %v, want %s", v, got, err, want)
		}
	}
}
