package main

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A bar is reached or missed, what was extrapolated is marked, what was not
// measured is a dash, and middles are medians.
func TestTables(t *testing.T) {
	run := func(how string, setup, warmup, sampling float64, ess figures) measured {
		return measured{how: how, setup: setup, warmup: warmup, sampling: sampling, ess: ess, process: 9}
	}
	results := []result{{
		sample: sample{name: "d", size: "2 × 3", bars: figures{30, 30, 200}},
		names:  []string{"auto", "reference", "nuts dense"},
		runs: map[string][]measured{
			"auto": {
				run("cggibbs rotated", 1, 0.5, 2, figures{200, 400, 100}),
				run("cggibbs rotated", 7, 7, 7, figures{1000, 1000, 1000}),
				run("cggibbs rotated", 0, 0.5, 2, figures{200, 400, 100}),
			},
			"reference":  {run("cggibbs", 1, 9, 40, figures{100, 400, 50})},
			"nuts dense": {run("nuts", 1, 9, 40, figures{math.NaN(), 400, 200})},
		},
	}}
	var got bytes.Buffer
	bars(&got, results)
	details(&got, results)
	want := []string{
		"| d, 2 × 3 | cggibbs rotated | 2.5, 2, 3.5 | 50, 20, ~90 | 20 × (30) MISS | 10 × (30) MISS | ~25.7 × (200) MISS |",
		"| d | auto: cggibbs rotated | 3 | 1 | 0.5 | 2 | 200, 400, 100 | 2.5, 2, 3.5 | 2, 1.5, 3 | 9 |",
		"| d | reference | 1 | 1 | 9 | 40 | 100, 400, 50 | 50, 20, ~90 | 41, 11, ~81 | 9 |",
		"| d | nuts dense | 1 | 1 | 9 | 40 | –, 400, 200 | –, 20, 30 | –, 11, 21 | 9 |",
	}
	for _, line := range want {
		if !strings.Contains(got.String(), line+"\n") {
			t.Errorf("the tables lack\n%s\nin\n%s", line, got.String())
		}
	}
	if c := cell(30, 30, 0); c != "30 × (30) PASS" {
		t.Errorf("a bar that is just reached is %q", c)
	}
}

// What R prints is measured, a program that fails is an error, and bars are of rstanarm.
func TestPeers(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	rscript := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "Rscript"), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s := sample{name: "g", size: "9 rows", model: "m", peer: "case", bars: figures{least: 20}}
	r := result{sample: s, runs: map[string][]measured{"auto": {{warmup: 0.1, sampling: 1, ess: figures{least: 1000}}}}}
	rscript(`[ -f "$1" ] && [ "$4 $5 $6 $7" = "case 7 8 3" ] && echo '{"warmup":1,"sampling":2,"least":200,"of":"x"}'`)
	for name, way := range map[string]sampler{"rstanarm": {"rstanarm", "", length{7, 8}}, "rstan": {"rstan", "", length{7, 8}}} {
		m, err := s.measure(t.Context(), options{panel: dir}, way, dir, 3)
		if err != nil {
			t.Fatal(err)
		}
		r.runs[name] = []measured{m}
	}
	r.runs["rstan"][0].warmup = 0
	var got bytes.Buffer
	peerBars(&got, []result{r, {sample: sample{name: "wide"}}})
	if want := "|\n| g, 9 rows | 0.2 | 2: 10 × (20) MISS | 1: 5 × | – |\n"; !strings.HasSuffix(got.String(), want) {
		t.Errorf("the table is\n%s\nwant\n%s", got.String(), want)
	}
	rscript("exit 1")
	if _, err := s.measure(t.Context(), options{}, sampler{name: "rstan"}, dir, 3); err == nil {
		t.Error("a program that fails is no error")
	}
}

// The command measures what the program does on data that it makes, and says
// what it leaves out.
func TestCommand(t *testing.T) {
	var out, log bytes.Buffer
	profile := filepath.Join(t.TempDir(), "profile")
	code := run(t.Context(), strings.Fields("-panel nowhere -data colon,poisson -rows 200 -length 0.5 -reps 2 -samplers "+
		"auto,reference -profile "+profile), &out, &log)
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, log.String())
	}
	for _, want := range []string{"| poisson, 200 × 21 synthetic | cggibbs ", "| poisson | auto: cggibbs ",
		"| poisson | reference | 1 | "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "| –") || strings.Contains(out.String(), "colon") ||
		!strings.Contains(log.String(), "colon is left out") {
		t.Errorf("the table:\n%sthe log:\n%s", out.String(), log.String())
	}
	if written, err := os.Stat(profile); err != nil || written.Size() == 0 {
		t.Errorf("no profile: %v", err)
	}
	for _, wrong := range []string{"-data colour", "-samplers stan", "-reps 0", "-fits 0",
		"-data poisson -profile nowhere/file", "colon"} {
		log.Reset()
		if code := run(t.Context(), strings.Fields(wrong), &out, &log); code != 2 || log.Len() == 0 {
			t.Errorf("%s: exit code %d, %q", wrong, code, log.String())
		}
	}
}

// Whole nights are measured with their parts: small fits, for auto and for single coordinates, fits that wait for
// their commit, and a tall one.
func TestNights(t *testing.T) {
	var out, log bytes.Buffer
	call := "-panel nowhere -data small,waiting,stored,tall -fits 3 -rows 300"
	if code := run(t.Context(), strings.Fields(call), &out, &log); code != 0 || !strings.Contains(log.String(), "stored is left out") {
		t.Fatalf("exit code %d:\n%s", code, log.String())
	}
	_, table, _ := strings.Cut(out.String(), "Whole nights")
	for _, want := range []string{"\n| small, 3 of 200 × 6 | auto | ", "\n| small, 3 of 200 × 6 | cggibbs | ",
		"\n| waiting, 2 of 200 × 6 | auto | ", "\n| tall, 1 of 300 × 21 | auto | "} {
		if !strings.Contains(table, want) {
			t.Errorf("the table of nights lacks %q:\n%s", want, table)
		}
	}
	if strings.Contains(table, "NaN") || strings.Contains(table, "Inf") || strings.Count(table, "| – |") != 3 {
		t.Errorf("the table of nights:\n%s", table)
	}
	var got bytes.Buffer
	printNights(&got, []night{{name: "n", size: "2 × 3", method: "m", fits: 1000, wall: 8, process: 14, setup: 1, sampling: 10,
		secondRun: secondRun{unchanged: 0.5, unchangedSeconds: 0.4}, values: 1e7, commit: 2, least: 0.7}})
	if want := "| n, 1000 of 2 × 3 | m | 8 | 14 | 10 | 0.1 × | 0.05 × | 0.25 × | 250 | 1.4 × | 4 | 2500 | 2 | 20 × |\n"; !strings.HasSuffix(
		got.String(), want) {
		t.Errorf("the table is\n%swant\n%s", got.String(), want)
	}
}

// TestMain lets the test's binary be the program that holds a ledger.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == holdFlag {
		main()
		return
	}
	os.Exit(m.Run())
}

// The panel's folder is found from the folder of the specs too, which is another
// one than the caller's.
func TestPanelFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("PANEL_DIR", "")
	here, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{"": "shared/data/panel", "-panel ../mine": "mine"} {
		o, err := parse(strings.Fields(args), io.Discard)
		if err != nil || o.panel != filepath.Join(here, want) {
			t.Errorf("%q: the panel is in %s, %v", args, o.panel, err)
		}
	}
}
