package report

import (
	"context"
	"reflect"
	"testing"

	"glmbatch/report/html"
	"glmbatch/report/judge"
)

// A reason of several fits appears once, the worst first, and each fit has its reasons in few words. Coefficients
// are gathered by model over the fits that have them.
func TestPageSaysOnceAndGathers(t *testing.T) {
	l := open(t, Options{})
	named := func(name string, grade judge.Grade, reasons ...string) *Fit {
		f := sampleFit("f-" + name)
		f.Dataset, f.Verdict, f.DrawsOf = name, judge.Verdict{Grade: grade, Reasons: reasons}, nil
		f.Summaries[1].Median = 7
		return f
	}
	other := named("d", judge.Pass)
	other.Model = "other"
	store(t, l, named("a", judge.Warn, "leave-one-out: the Pareto k of 2 of 7 rows", "leave-one-out: the Pareto k of 3"),
		named("b", judge.Warn, "leave-one-out: the Pareto k of 4 of 7 rows", "12 rows dropped"),
		named("c", judge.Fail, "R-hat 2 at glu exceeds 1.01 (1 of 5 parameters)"), other, named("e", judge.Warn, "12 rows dropped"))
	p, err := l.Page(context.Background(), PageOptions{Latest: true})
	must(t, err)
	var got []string
	for _, s := range p.Said {
		got = append(got, s.Verdict+" "+s.Headline)
	}
	if want := []string{"fail R-hat beyond its gate", "warn Pareto k too high", "warn … rows dropped"}; !reflect.DeepEqual(got, want) {
		t.Errorf("it says %q, want %q", got, want)
	}
	if s := p.Said[1]; !reflect.DeepEqual(s.Fits, []int{1, 2}) || len(s.Advice) != 1 || s.Example != p.Fits[1].Reasons[0] {
		t.Errorf("of Pareto k it says %+v", s)
	}
	if why := p.Fits[1].Why; !reflect.DeepEqual(why, []string{"Pareto k too high"}) {
		t.Errorf("the first fit that warns says %q", why)
	}
	for _, f := range p.Fits {
		if f.Verdict != "pass" && len(f.Advice) == 0 {
			t.Errorf("%s warns and does not say what to do", html.Name(f))
		}
	}
	if len(p.Results) != 2 || p.Results[0].Model != "diabetes" || p.Results[0].Fits != 4 || p.Results[1].Fits != 1 {
		t.Fatalf("results are %+v", p.Results)
	}
	if f := p.Results[0].Forests[1]; f.Name != "glu" || !reflect.DeepEqual(f.Fit, []int{0, 1, 2, 3}) || f.Of[3][2] != 7 {
		t.Errorf("glu is %+v", f)
	}
}
