package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"glmbatch/report/judge"
)

// A fit needs attention by the newest run of each name in each pipeline: errors, also of names that never
// succeeded, broken gates, and fits that are gone; not fits that have passed since, nor warnings.
func TestNeedsAttention(t *testing.T) {
	l := open(t, Options{})
	try := func(dataset string, place int, pipeline string, grade judge.Grade) *Fit {
		f := nightFit(place, func(f *Fit) {
			f.Dataset, f.Place, f.Pipeline, f.RunID = dataset, place, pipeline, fmt.Sprint("run ", place)
			f.Fingerprint = fmt.Sprint(dataset, place, pipeline)
			f.Created = night.Add(time.Duration(place) * time.Hour)
			f.Verdict = judge.Verdict{Grade: grade, Reasons: []string{"why it is so\nhint: mend " + dataset}}
		})
		if grade == judge.ErrorGrade {
			f = &Fit{Key: f.Key, Fingerprint: f.Fingerprint, Pipeline: pipeline, RunID: f.RunID, Place: place, Status: Erred,
				Error: "why it is so", Verdict: f.Verdict, Created: f.Created}
		}
		return f
	}
	store(t, l,
		try("good", 1, "p", judge.Pass), try("warned", 1, "p", judge.Warn), try("failed", 1, "p", judge.Fail),
		try("erred", 1, "p", judge.Pass), try("erred", 2, "p", judge.ErrorGrade), try("never", 1, "p", judge.ErrorGrade),
		try("healed", 1, "p", judge.ErrorGrade), try("healed", 2, "p", judge.Pass), try("gone", 1, "p", judge.Pass),
		try("gone", 2, "p", judge.Pass), try("good", 1, "q", judge.ErrorGrade))
	must(t, l.Write(t.Context(), func(s *Session) error {
		return execute(t.Context(), s.c, "DELETE FROM fit WHERE dataset = 'gone' AND place = 2")
	}))
	want := map[string]string{"p/erred": "error", "p/failed": "fail", "p/gone": "gone", "p/never": "error", "q/good": "error"}
	for _, pipeline := range []string{"", "p"} {
		rows, err := l.NeedsAttention(t.Context(), pipeline)
		must(t, err)
		got := map[string]string{}
		for _, r := range rows {
			name := r.Pipeline + "/" + r.Dataset
			got[name] = r.State
			shown := strings.Contains(r.Remedy, "views show the fit of 2026")
			if wants := r.Dataset == "erred" || r.Dataset == "gone"; shown != wants || wants != (r.State != "fail" && r.Created != nil) {
				t.Errorf("%s: remedy %q, created %v", name, r.Remedy, r.Created)
			}
			if r.State == "error" && (r.Reason != "why it is so" || !strings.HasPrefix(r.Remedy, "mend "+r.Dataset+"; then pipeline retry")) {
				t.Errorf("%s: reason %q, remedy %q", name, r.Reason, r.Remedy)
			}
			if r.State == "fail" && !strings.Contains(r.Remedy, fmt.Sprint("pipeline show ", r.ID)) {
				t.Errorf("%s: remedy %q does not name fit %d", name, r.Remedy, r.ID)
			}
		}
		for name, state := range want {
			if wants := pipeline == "" || strings.HasPrefix(name, pipeline); wants && got[name] != state || !wants && got[name] != "" {
				t.Errorf("of %q: %s is %q, want %q", pipeline, name, got[name], state)
			}
		}
		if pipeline == "" && len(got) != len(want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// The reasons of an attempt are those of the first replicate with the worst verdict, in whatever order they were stored.
func TestReasonsOfReplicates(t *testing.T) {
	l := open(t, Options{})
	var fits []*Fit
	for replicate := 40; replicate > 0; replicate-- {
		fits = append(fits, nightFit(1, func(f *Fit) {
			f.Dataset, f.Replicate, f.Fingerprint = "d", replicate, fmt.Sprint(replicate)
			f.Verdict = judge.Verdict{Grade: judge.Fail, Reasons: []string{fmt.Sprint("replicate ", replicate)}}
			if replicate == 1 {
				f.Verdict.Grade = judge.Warn
			}
		}))
	}
	store(t, l, fits...)
	rows, err := l.NeedsAttention(t.Context(), "")
	must(t, err)
	if len(rows) != 1 || rows[0].Reason != "replicate 2" {
		t.Errorf("%d rows, the first for %q, want replicate 2", len(rows), rows[0].Reason)
	}
}
