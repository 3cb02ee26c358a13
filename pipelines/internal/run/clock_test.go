package run

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"glmbatch/pipelines/internal/exit"
	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/spool"
)

// leaping is a clock that is a year ahead at every other look.
func leaping() func() time.Time {
	var looks atomic.Int64
	began := time.Date(2026, 3, 29, 0, 30, 0, 0, time.UTC)
	return func() time.Time {
		n := looks.Add(1)
		return began.AddDate(int(n%2), 0, 0).Add(time.Duration(n) * time.Millisecond)
	}
}

// A clock that jumps while chains are drawn changes no bit: when a block ends, and
// when it is synced, decides nothing.
func TestClockLeapsDuringARun(t *testing.T) {
	whole := filepath.Join(volatile(t), "whole.duckdb")
	runOnDisk(t, whole, spool.Disk{})
	database := filepath.Join(volatile(t), "d.duckdb")
	config := configOf(t, database, diskSpec)
	config.Now = leaping()
	out, err := Run(t.Context(), config)
	if err != nil || out.ExitCode != exit.Pass {
		t.Fatalf("%v %+v", err, out)
	}
	if got, want := drawn(t, database), drawn(t, whole); got != want {
		t.Errorf("by a leaping clock %s, want %s", got, want)
	}
}

// Runs whose clocks go back a day, or a year ahead and back, or keep another zone, are distinguished by their
// order: each fit's predecessor is that of the run before.
func TestClockLeapsBetweenRuns(t *testing.T) {
	database := filepath.Join(volatile(t), "d.duckdb")
	east := time.FixedZone("east", 12*3600)
	clocks := []time.Time{
		time.Date(2026, 3, 29, 0, 30, 0, 0, time.UTC), time.Date(2026, 3, 28, 0, 30, 0, 0, time.UTC),
		time.Date(2027, 3, 29, 0, 30, 0, 0, time.UTC), time.Date(2026, 3, 29, 13, 0, 0, 0, east),
	}
	for n, at := range clocks {
		config := configOf(t, database, strings.Replace(diskSpec, "pipeline: disk", fmt.Sprintf("pipeline: disk\nseed: %d", n+1), 1))
		config.Now = func() time.Time { return at }
		if out, err := Run(t.Context(), config); err != nil || out.ExitCode != exit.Pass || out.Fits[0].Action != outcome.Computed {
			t.Fatalf("night %d: %v %+v", n+1, err, out)
		}
	}
	got := ask(t, database, `SELECT string_agg(concat(p.previous_fit_id, '>', p.fit_id), ' ' ORDER BY f.place) AS pairs,
		(SELECT fit_id FROM latest) AS newest, string_agg(strftime(f.created, '%d.%m.%y %H:%M'), ' ' ORDER BY f.place) AS utc
		FROM predecessor p JOIN fit f ON f.fit_id = p.fit_id`)
	if want := "pairs,newest,utc\n>1 1>2 2>3 3>4,4,29.03.26 00:30 28.03.26 00:30 29.03.27 00:30 29.03.26 01:00\n"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
