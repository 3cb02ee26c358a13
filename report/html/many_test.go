package html

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

// manyFits is a page of n fits that fail, each for a long cause of its own, of which the first have a page.
func manyFits(n, pages int) *Page {
	p := sample("many", 3)
	detail := p.Fits[1].Detail
	p.Fits, p.Pages, p.Said, p.Results, p.Courses = nil, pages, nil, []Result{}, nil
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range n {
		x := Number(math.Sin(float64(i)))
		f := Fit{ID: int64(i + 1), Dataset: fmt.Sprintf("hospital-%05d", i/10), Model: "m", Sampler: fmt.Sprint("s", i%10),
			Action: "computed", Verdict: "fail", Reasons: []string{}, Advice: []string{},
			Why: []string{fmt.Sprintf("%-100d", i)}, Method: "cggibbs", Family: "gaussian", Link: "identity", Formula: "y ~ x",
			Rows: 12, Columns: 2, Parameters: 3, Chains: 4, Warmup: 100, Draws: 100, RHatMax: 1.5 + x, ESSMin: 200 + 100*x,
			Seconds: 2 + x, Setup: Number(math.NaN()), WarmupTime: Number(math.NaN()), Sampling: Number(math.NaN()),
			Created: at.Add(time.Duration(i) * time.Second)}
		if i < pages {
			f.Detail = detail
		}
		p.Fits = append(p.Fits, f)
	}
	return p
}

// A page of 20,000 fits has less than 5 MB, with 1 MB for the pages of single fits, which report limits.
func TestManyFits(t *testing.T) {
	page := written(t, manyFits(20_000, 0))
	if len(page) > 4_000_000 {
		t.Errorf("the overview of 20,000 fits has %d bytes", len(page))
	}
	if n := strings.Count(page, "<tr><td"); n != plainRows || !strings.Contains(page, "19800 more fits") {
		t.Errorf("%d fits are rows of the text", n)
	}
}

// Columns hold the same values as objects, in each of their three forms.
func TestColumns(t *testing.T) {
	type value struct {
		Same, Few, Each string
		Some            *int `json:",omitempty"`
	}
	var values []value
	for i := range 300 {
		v := value{Same: "</script>", Few: strings.Repeat("w", 20+i%3), Each: fmt.Sprint(i)}
		if i%2 == 1 {
			v.Some = &i
		}
		values = append(values, v)
	}
	packed, err := columns(values)
	must(t, err)
	b, err := json.Marshal(packed)
	must(t, err)
	var back struct {
		Rows    int
		Columns map[string]struct {
			All      json.RawMessage
			Of, Each []json.RawMessage
			At       []int
		}
	}
	must(t, json.Unmarshal(b, &back))
	c := back.Columns
	if back.Rows != 300 || c["Same"].All == nil || len(c["Few"].Of) != 3 || len(c["Few"].At) != 300 || len(c["Each"].Each) != 300 {
		t.Fatalf("the columns are %.300s", b)
	}
	for i, v := range values {
		var got value
		for _, err := range []error{json.Unmarshal(c["Same"].All, &got.Same), json.Unmarshal(c["Few"].Of[c["Few"].At[i]], &got.Few),
			json.Unmarshal(c["Each"].Each[i], &got.Each), json.Unmarshal(c["Some"].Each[i], &got.Some)} {
			must(t, err)
		}
		if !reflect.DeepEqual(got, v) {
			t.Errorf("value %d is %+v, want %+v", i, got, v)
		}
	}
}

// In a browser a page of many fits lists every one; a fit without a page has its row and a command.
func TestBrowserListsManyFits(t *testing.T) {
	b := openBrowser(t)
	b.open(manyFits(20_000, 2), "")
	status := func() string { return b.text("#run .tools [role=status]:last-child") }
	if s := status(); s != "20000 rows" {
		t.Errorf("the table has %s", s)
	}
	for _, width := range []int{1280, 400} {
		b.size(width)
		b.shot(fmt.Sprint("many-", width))
	}
	b.press("/")
	for _, key := range strings.Split("hospital-01999 s7", "") {
		b.press(key)
	}
	if s := status(); s != "1 of 20000 rows" {
		t.Errorf("after the filter the table has %s", s)
	}
	b.eval(`document.querySelector("#overview-table tbody a").click()`, nil)
	b.wait(`document.querySelector("#view h2") && document.querySelector("#view code")`)
	if s := b.text("#view h2") + ", " + b.text("#view p.note"); s != "hospital-01999 × m × s7, This report has pages of its "+
		"first 2 fits. A report with a page of this one: pipeline report --fit 19998" {
		t.Errorf("the fit is shown as %q", s)
	}
	b.shot("many-fit-400")
	b.eval(`location.hash = "#fit-1"`, nil)
	b.wait(`document.querySelectorAll("#view figure svg").length > 0`)
	for _, line := range b.trouble {
		t.Errorf("%.400s", line)
	}
}
