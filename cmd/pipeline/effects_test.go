package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// effects in every form, with what it held in notes, and its errors by exit code; nothing is wider than a terminal.
func TestEffects(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", "few.csv", "type,npreg,glu,bmi,ped,age\nYes,0,90,24,0.2,25\nNo,8,170,39,0.9,50\n")
	mustCall(t, "run", "quickstart", "--quiet")
	code, out, notes := call(t, "effects", "quickstart", "age")
	lines := strings.Split(out, "\n")
	if code != 0 || len(lines) != 24 || !strings.Contains(notes, "note: held at npreg = 3.57, glu = 123.97") {
		t.Errorf("exit %d, notes %q\n%s", code, notes, out)
	}
	for _, line := range lines {
		if len([]rune(line)) > 80 {
			t.Errorf("wider than 80 columns: %s", line)
		}
	}
	var rows []struct {
		Contrast          string
		Mean, P_direction float64
	}
	raw := mustCall(t, "effects", "quickstart", "age", "--data", "few.csv", "--average", "--contrast", "reference", "--step", "10",
		"--as", "odds_ratio", "--format", "json")
	if err := json.Unmarshal([]byte(raw), &rows); err != nil || len(rows) != 1 || rows[0].Contrast != "+10" ||
		!(rows[0].Mean > 1 && rows[0].Mean < 2) || rows[0].P_direction < 0.9 {
		t.Errorf("%v, %+v", err, rows)
	}
	for says, args := range map[string][]string{
		"did you mean": {"agee"},
		"--at":         {"age", "--at", "glu"},
		"--workers":    {"age", "--workers", "-1"},
		"parquet":      {"age", "--format", "xml"},
		"no variable":  {},
	} {
		if code, _, errs := call(t, append([]string{"effects", "quickstart"}, args...)...); code != 2 || !strings.Contains(errs, says) {
			t.Errorf("%q: exit %d, want 2 and %q\n%s", args, code, says, errs)
		}
	}
}
