package pipelines

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// classic are the responses of data sets of R with the families that others fit, and
// what is proposed. docs/writing-a-spec.md has the reasons where the two differ.
var classic = []struct{ file, response, known, proposed string }{
	{"pima_tr", "type", "binomial", "bernoulli"},
	{"birthwt", "low", "binomial", "bernoulli"},
	{"quine", "Days", "negative_binomial", "negative_binomial"},
	{"warpbreaks", "breaks", "poisson", "negative_binomial"},
	{"esoph", "ncases", "binomial", "binomial"},
	{"insurance", "Claims", "poisson", "poisson"},
	{"infert", "case", "binomial", "bernoulli"},
	{"epil", "y", "poisson", "negative_binomial"},
	{"clotting", "lot1", "gamma", "poisson"},
	{"airquality", "Ozone", "gaussian", "negative_binomial"},
	{"mtcars", "mpg", "gaussian", "gaussian"},
	{"mtcars", "am", "binomial", "bernoulli"},
	{"vaso", "Y", "binomial", "bernoulli"},
	{"carrots", "success", "binomial", "beta_binomial"},
	{"possum", "Diversity", "poisson", "poisson"},
	{"wine", "rating", "cumulative", "cumulative"},
	{"housing", "Sat", "cumulative", "cumulative"},
	{"birthwt", "race", "categorical", "categorical"},
	{"cowles", "volunteer", "binomial", "bernoulli"},
}

func TestProposedFamilies(t *testing.T) {
	for _, c := range classic {
		p, err := Propose(t.Context(), filepath.Join("../testdata/classic", c.file+".csv"), ProposeOptions{Response: c.response})
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if p.Family != c.proposed {
			t.Errorf("%s, %s: proposed %s, want %s (others fit %s)\n%s", c.file, c.response, p.Family, c.proposed, c.known, p.Spec)
		}
	}
}

// Counts and shares with many zeros have a second source of them.
func TestProposedZeros(t *testing.T) {
	for want, of := range map[string]func(i int) float64{
		"zero_inflated_poisson":  func(i int) float64 { return []float64{0, 0, 4, 0, 3, 6, 9, 5, 0, 7}[(i*7)%10] },
		"negative_binomial":      func(i int) float64 { return []float64{0, 0, 1, 2, 1, 0, 1, 30, 2, 45}[(i*7)%10] },
		"zero_inflated_beta":     func(i int) float64 { return max(0, float64((i*29)%31)/31-0.2) },
		"zero_one_inflated_beta": func(i int) float64 { return min(1, max(0, float64((i*29)%31)/25-0.2)) },
	} {
		var b strings.Builder
		b.WriteString("y,x\n")
		for i := range 60 {
			fmt.Fprintf(&b, "%.5g,%d\n", of(i), (i*5)%13)
		}
		path := filepath.Join(t.TempDir(), "d.csv")
		must(t, os.WriteFile(path, []byte(b.String()), 0o600))
		p, err := Propose(t.Context(), path, ProposeOptions{Response: "y"})
		if err != nil || p.Family != want {
			t.Errorf("proposed %s, want %s: %v\n%s", p.Family, want, err, p.Spec)
		}
	}
}

// drawn are the data sets of which a few draws are taken; GLMBATCH_STAT=1 takes them of all.
var drawn = []string{"quine.csv", "mixed.csv"}

// For any file, init ends in a spec that is valid, or in an error of the call; a spec for sound data can be coded,
// and runs.
func TestProposalsRun(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../testdata/classic/*.csv", "../testdata/bad/*", "../testdata/ingest/*", "examples/*.csv", "../../shared/data/classic/*.csv"} {
		found, err := filepath.Glob(pattern)
		must(t, err)
		files = append(files, found...)
	}
	proposed := 0
	for _, file := range files {
		sound := strings.Contains(file, "classic") || strings.Contains(file, "examples")
		if strings.Contains(file, "shared") && os.Getenv("GLMBATCH_STAT") == "" {
			continue // the same files
		}
		t.Run(strings.TrimPrefix(filepath.ToSlash(file), "../"), func(t *testing.T) {
			dir := t.TempDir()
			p, err := Propose(t.Context(), file, ProposeOptions{Dir: dir})
			var asked *NoResponseError
			if errors.As(err, &asked) { // as the caller then does
				p, err = Propose(t.Context(), file, ProposeOptions{Dir: dir, Response: asked.Candidates[0]})
			}
			var usage *UsageError
			if errors.As(err, &usage) && !sound {
				return
			}
			must(t, err)
			proposed++
			checkProposal(t, dir, p, sound, sound && (slices.Contains(drawn, filepath.Base(file)) || os.Getenv("GLMBATCH_STAT") != ""))
		})
	}
	if proposed < 30 {
		t.Errorf("only %d of %d files have a proposal", proposed, len(files))
	}
}

// checkProposal validates a spec, codes the data and, if it is to draw, draws a little.
func checkProposal(t *testing.T, dir string, p *Proposal, sound, draw bool) {
	t.Helper()
	path := filepath.Join(dir, "s.yaml")
	must(t, os.WriteFile(path, append(slices.Clone(p.Spec), "run: {chains: 2, warmup: 10, draws: 20}\n"...), 0o644))
	out, err := Run(t.Context(), path, RunOptions{Workers: 1, DryRun: !draw})
	if err != nil {
		t.Fatalf("%v\n%s", err, p.Spec)
	}
	for _, f := range out.Fits {
		if f.Verdict == "error" && sound || f.Err != nil && strings.Contains(f.Err.Error(), "this program has a fault") {
			t.Errorf("%v\n%s", f.Reasons, p.Spec)
		}
	}
	for line := range strings.Lines(string(p.Spec)) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") && len([]rune(line)) > 110 {
			t.Errorf("a comment of %d columns: %s", len([]rune(line)), line)
		}
	}
}

// proposed is the proposal of init for a file with this text, and the path of the file.
func proposed(t *testing.T, text string) (p *Proposal, path string) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, "d.csv")
	must(t, os.WriteFile(path, []byte(text), 0o644))
	p, err := Propose(t.Context(), path, ProposeOptions{Dir: dir})
	must(t, err)
	return p, path
}

// Name and content determine the use of a column; a column that cannot be a predictor is left out with its reason.
func TestProposedRoles(t *testing.T) {
	var b strings.Builder
	b.WriteString("id,y,n,exposure,freq,when,site,one,leak,twin,x,name,half\n")
	for i := range 60 {
		x := float64((i*37)%23) / 7
		row := []any{i + 1, (i * 7) % 5, 9, 1 + i%3, 1 + i%2, "2026-01-02", i % 4, 3, 2*((i*7)%5) + 1, x, x, "p" + string(rune('a'+i%26)) + string(rune('a'+i/26)), ""}
		if i%3 == 0 {
			row[12] = i
		}
		writeRow(&b, row)
	}
	p, path := proposed(t, b.String())
	if p.Family != "binomial" || p.Formula != "y | trials(n) ~ site + twin" {
		t.Errorf("%s: %s", p.Family, p.Formula)
	}
	for _, want := range []string{"Left out: id, ", "Left out: exposure, since an exposure adds nothing to trials", "Left out: when, since it holds dates", "Left out: one, since it has one value", "Left out: leak, since it determines y",
		"Left out: x, since it is equal to a column before it", "Left out: name, since it is text that names rows", "Left out: half, since 40 of 60 cells are missing",
		"frequency_weights: freq", `path: "d.csv"`} {
		if !strings.Contains(strings.Join(strings.Fields(strings.ReplaceAll(string(p.Spec), "#", "")), " "), want) {
			t.Errorf("the spec lacks %q:\n%s", want, p.Spec)
		}
	}
	if _, err := Propose(t.Context(), path, ProposeOptions{Response: "name"}); err == nil || !strings.Contains(err.Error(), "more than 20 classes") {
		t.Errorf("a response of text: %v", err)
	}
	if _, err := Propose(t.Context(), path, ProposeOptions{Response: "z"}); err == nil || !strings.Contains(err.Error(), "its columns are id, y") {
		t.Errorf("a response that is not there: %v", err)
	}
}

// Times with a column that marks events, or censored rows, are proposed as censored, with the reason.
func TestCensoredTimesAreProposed(t *testing.T) {
	for names, want := range map[string][3]string{
		"time,status": {"weibull", "time | cens(status == 1) ~ x", "2 is an event and 1 censors the time"},
		"days,event":  {"weibull", "days | cens(event == 0) ~ x", "1 is an event and 0 censors the time"},
		"tte,cens":    {"weibull", "tte | cens(cens == 1) ~ x", "1 censors the time"},
		"x2,event":    {"bernoulli", "event ~ x2 + x", "event has two values"},
	} {
		var b strings.Builder
		b.WriteString(names + ",x\n")
		for i := range 40 {
			mark := (i * 7) % 3 % 2
			if strings.Contains(names, "status") {
				mark++
			}
			writeRow(&b, []any{1 + (i*37)%23, mark, (i * 11) % 17})
		}
		p, _ := proposed(t, b.String())
		if p.Family != want[0] || p.Formula != want[1] || !strings.Contains(strings.Join(p.Why, " "), want[2]) {
			t.Errorf("%s: %s, %s, %v", names, p.Family, p.Formula, p.Why)
		}
	}
}

func writeRow(b *strings.Builder, row []any) {
	for i, v := range row {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(b, v)
	}
	b.WriteByte('\n')
}

// Where no column is called like a response, and several can be it, init asks and guesses none.
func TestResponseIsAsked(t *testing.T) {
	for file, candidates := range map[string]string{
		"mtcars": "mpg cyl disp hp drat wt qsec vs am gear carb", "airquality": "Ozone Solar.R Wind Temp Month Day",
		"quine": "Eth Sex Lrn Days", "birthwt": "low age lwt smoke ptl ht ui ftv bwt",
	} {
		_, err := Propose(t.Context(), filepath.Join("../testdata/classic", file+".csv"), ProposeOptions{})
		var asked *NoResponseError
		if !errors.As(err, &asked) || strings.Join(asked.Candidates, " ") != candidates {
			t.Errorf("%s: %v", file, err)
		} else if !strings.Contains(err.Error(), "hint: --response names it") {
			t.Errorf("%s: no word of --response: %v", file, err)
		}
	}
	path := filepath.Join(t.TempDir(), "d.csv")
	var plants strings.Builder // of two types, as R's CO2: what a plant is of is no response
	plants.WriteString("plant,type,uptake\n")
	for i := range 60 {
		fmt.Fprintf(&plants, "p%d,%s,%d.5\n", i%6, []string{"north", "south"}[i%6/3], i*7%31)
	}
	for text, name := range map[string]string{plants.String(): "", strings.ReplaceAll(plants.String(), "plant,", "x,"): "",
		strings.NewReplacer("p0", "3", "p1", "1", "p2", "8", "p3", "5", "p4", "2", "p5", "9").Replace(plants.String()): "type"} {
		must(t, os.WriteFile(path, []byte(text), 0o644))
		if p, err := Propose(t.Context(), path, ProposeOptions{}); (err != nil) != (name == "") || err == nil && p.Response != name {
			t.Errorf("of what type a plant is: %v", err)
		}
	}
	for text, want := range map[string]string{"customer_id,age,bought\n": "bought", "x,age,bought\n": "", "id,bought,sold\n": ""} {
		for i := range 40 {
			text += fmt.Sprintf("%d,%d,%d\n", 1000+i*i%83, i*7%3%2+30*btoi(strings.Contains(text, "age")), i*i%5%2)
		}
		must(t, os.WriteFile(path, []byte(text), 0o644))
		if p, err := Propose(t.Context(), path, ProposeOptions{}); (err == nil) != (want != "") || err == nil && p.Response != want {
			t.Errorf("%s: response %v, error %v, want %q", text[:20], p, err, want)
		}
	}
	must(t, os.WriteFile(path, []byte("batch,result value\na,1.5\nb,2.5\nc,0.5\n"), 0o644))
	if p, err := Propose(t.Context(), path, ProposeOptions{}); err != nil || p.Response != "result value" {
		t.Errorf("one column alone can be the response: %v", err)
	}
}

// Columns that determine the response, or number something, are left out with their reason, and merely correlated
// ones stay.
func TestLeaksAreSeen(t *testing.T) {
	var b strings.Builder
	b.WriteString("y,grade,logy,exp_y,stratum,customer_id,subject,region,x,x_scaled,noise,rare\n")
	for i := range 120 {
		y := float64(1+(i*29)%4) + float64((i*i)%3)/2
		x := float64((i*37)%23)/7 + float64(i%5)/50
		row := []any{y, string(rune('p' + int(2*y))), math.Log(y), math.Exp(y), 1 + i%30, 1000 + i%40, 1 + i%60, 1 + i%3, x, 3*x - 2,
			(i * 53) % 17, []string{"no", "yes"}[btoi(i == 7)]}
		writeRow(&b, row)
	}
	p, _ := proposed(t, b.String())
	if want := "y ~ region + x + noise + rare + (1 | customer_id) + (1 | subject)"; p.Formula != want {
		t.Errorf("formula %q, want %q\n%s", p.Formula, want, strings.Join(p.Why, "\n"))
	}
	said := strings.Join(p.Why, "\n")
	for _, want := range []string{"response y: it is called like one", "family gaussian: y is a number", "left out grade: it determines y row by row", "left out logy: it determines y",
		"left out exp_y: it determines y", "left out stratum: it is called like the number of a stratum",
		"left out x_scaled: it equals an earlier column except for its unit"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	p, err := Propose(t.Context(), "../testdata/classic/infert.csv", ProposeOptions{})
	if err != nil || strings.Contains(p.Formula, "stratum") {
		t.Errorf("infert: %v, strata among the predictors: %s", err, p.Formula)
	}
}

// Columns of many levels with some rows each group the rows, whether text or numbers called like those of groups; what
// lies within what is said, and levels under two names are one grouping.
func TestProposedGroupings(t *testing.T) {
	var b strings.Builder
	b.WriteString("y,school,pupil_id,school_name,region,month,obs,visit_id,pair,word\n")
	for i := range 2400 {
		school := (i / 2) % 40
		row := []any{float64((i*29)%41) / 3, 100 + school, 7000 + i/2, fmt.Sprintf("S%d", school), string(rune('a' + school/10)), string(rune('a' + i%12)), i % 50,
			9000 + i%2000, i / 2, fmt.Sprintf("w%d", i%1100)}
		writeRow(&b, row)
	}
	p, path := proposed(t, b.String())
	if want := "y ~ region + (1 | school) + (1 | pupil_id) + (1 | month) + (1 | word)"; p.Formula != want {
		t.Errorf("formula %q, want %q\n%s", p.Formula, want, strings.Join(p.Why, "\n"))
	}
	said := strings.Join(p.Why, "\n")
	for _, want := range []string{"grouping school: 40 levels, 60 rows each", "grouping pupil_id: 1200 levels, 2 rows each", "pupil_id lies within school",
		"left out school_name: its levels are those of school under other names", "crossed: school, pupil_id, month, word; where", "left out obs: it is called like an identifier",
		"left out visit_id: it numbers the rows", "left out pair: it is called like the number of a stratum", "grouping word: 1100 levels, 2.18 rows each"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	if strings.Contains(said, "school lies within") {
		t.Errorf("pupils lie in schools, and it says\n%s", said)
	}
	spec := filepath.Join(filepath.Dir(path), "spec.yaml")
	must(t, os.WriteFile(spec, p.Spec, 0o600))
	if _, err := Validate(t.Context(), spec, Overrides{}, false); err != nil {
		t.Errorf("the proposal: %v", err)
	}
	if p, _ := proposed(t, "person,q,right\n"+strings.Repeat("1,a,1\n2,a,0\n3,a,1\n4,b,0\n5,b,0\n6,b,1\n7,c,1\n8,c,1\n9,c,0\n", 3)); p.Formula != "right ~ q + (1 | person)" {
		t.Errorf("a column of persons stands in the way of the response, or is none: %s", p.Formula)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A file with another separator and decimal mark is read by them, and the spec has both.
func TestProposedDialect(t *testing.T) {
	dir := t.TempDir()
	text := "y|x\n"
	for i := range 20 {
		text += fmt.Sprintf("%d,5|%d,25\n", i*i%13, i*7%19)
	}
	path := filepath.Join(dir, "d.csv")
	must(t, os.WriteFile(path, []byte(text), 0o644))
	p, err := Propose(t.Context(), path, ProposeOptions{Dir: dir, Separator: "|", Decimal: ","})
	if err != nil || p.Formula != "y ~ x" || !strings.Contains(string(p.Spec), `{path: "d.csv", separator: "|", decimal: ","}`) {
		t.Fatalf("%+v, error %v", p, err)
	}
	for _, o := range []ProposeOptions{{Separator: "||"}, {Decimal: ";"}} {
		if _, err := Propose(t.Context(), path, o); err == nil || !strings.Contains(err.Error(), "it is ") {
			t.Errorf("%+v: error %v", o, err)
		}
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
