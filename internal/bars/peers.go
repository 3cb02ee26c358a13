package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// peerFile is the program in R that runs Stan and JAGS; its README defines what it measures.
var peerFile = filepath.Join("testdata", "multilevel", "peers.R")

// measure runs one sampler once.
func (s sample) measure(ctx context.Context, o options, w sampler, folder string, seed uint64) (measured, error) {
	if w.method != "" {
		return measure(ctx, folder, s.spec(w, o.panel, o.rows), seed)
	}
	m := measured{how: w.name, ess: figures{median: math.NaN(), logLik: math.NaN()}, process: math.NaN()}
	script := peerFile
	for range 2 { // tests run in this package's folder
		if _, err := os.Stat(script); err != nil {
			script = filepath.Join("..", script)
		}
	}
	cmd := exec.CommandContext(ctx, "Rscript", script, filepath.Join(o.panel, "..", "multilevel"), w.name, s.peer,
		strconv.Itoa(w.warmup), strconv.Itoa(w.draws), strconv.FormatUint(seed, 10))
	if os.Getenv("STAN_PROGRAMS") == "" { // where compiled programs are kept
		cmd.Env = append(os.Environ(), "STAN_PROGRAMS="+filepath.Join(folder, "stan"))
	}
	cmd.Stderr = io.Discard
	out, err := cmd.Output()
	if err != nil {
		return m, fmt.Errorf("sampling in R, with rstan, rstanarm, rjags, lme4 and jsonlite: %w", err)
	}
	got := struct{ Warmup, Sampling, Least float64 }{}
	if err := json.Unmarshal(out, &got); err != nil {
		return m, err
	}
	m.warmup, m.sampling, m.ess.least = got.Warmup, got.Sampling, got.Least
	return m, nil
}

// peerBars prints auto against Stan and JAGS on grouped data; bars are of rstanarm.
func peerBars(w io.Writer, results []result) {
	head := "\nGrouped data: seconds to an effective sample size of 100 of the least of coefficients, sds, correlations " +
		"and effects, set-up and warm-up in.\n\n" +
		"| data | auto | rstanarm: ratio (bar) | rstan: ratio | jags: ratio |\n|---|---|---|---|---|\n"
	for _, r := range results {
		if r.model == "" || len(r.runs["auto"]) == 0 {
			continue
		}
		fmt.Fprint(w, head)
		head = ""
		of := func(name string) float64 { return middles(r.runs[name], whole).least }
		far := func(name string) float64 { return short(middles(r.runs[name], sizes).least) }
		plain := func(name string) string {
			if ratio := of(name) / of("auto"); !math.IsNaN(ratio) {
				return seconds(of(name)) + ": " + three(ratio) + " ×"
			}
			return "–"
		}
		fmt.Fprintf(w, "| %s, %s | %s | %s: %s | %s | %s |\n", r.name, r.size, seconds(of("auto")), seconds(of("rstanarm")),
			cell(of("rstanarm")/of("auto"), r.bars.least, max(far("auto"), far("rstanarm"))), plain("rstan"), plain("jags"))
	}
}
