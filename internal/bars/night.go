package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"glmbatch/pipelines"
)

// nightName is what -data calls the night of small fits.
const nightName = "small"

// The night: a file for each fit, of rows × (columns and an intercept).
const nightRows, nightColumns, nightWorkers = 200, 5, 2

// night is what a run of many small fits took: seconds of the processor, except where the name says otherwise.
type night struct {
	method          string
	fits            int
	wall, process   float64
	setup, sampling float64 // sampling has its warm-up
	unchanged       float64 // of a second run, which skips all
	wallOfUnchanged float64
}

// rest is what is neither read, set up nor sampled: diagnosing and storing.
func (n night) rest() float64 { return n.process - n.sampling - n.setup - n.unchanged }

// nights measures a night for each method, in folders of their own.
func nights(ctx context.Context, folder string, fits int, stderr io.Writer) (out []night, failed bool) {
	for _, method := range []string{"auto", "cggibbs"} {
		n, err := measureNight(ctx, folder, method, fits)
		if err != nil {
			fmt.Fprintf(stderr, "bars: %s, %s: %v\n", nightName, method, err)
			failed = true
			continue
		}
		out = append(out, n)
	}
	return out, failed
}

func measureNight(ctx context.Context, folder, method string, fits int) (n night, err error) {
	dir, err := os.MkdirTemp(folder, "night-")
	if err != nil {
		return n, err
	}
	defer os.RemoveAll(dir)
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
		return n, err
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range fits {
		if err := os.WriteFile(filepath.Join(dir, "data", fmt.Sprintf("d%04d.csv", i)), nightData(r), 0o600); err != nil {
			return n, err
		}
	}
	spec := filepath.Join(dir, "night.yaml")
	if err := os.WriteFile(spec, []byte(nightSpec(method)), 0o600); err != nil {
		return n, err
	}
	n = night{method: method, fits: fits}
	if n.wall, n.process, err = runNight(ctx, spec, pipelines.Computed); err != nil {
		return n, err
	}
	var answer bytes.Buffer
	const spent = "SELECT sum(setup_seconds), sum(warmup_seconds) + sum(sampling_seconds) FROM fit"
	err = pipelines.Query(ctx, &answer, filepath.Join(dir, "night.duckdb"), spent, pipelines.QueryOptions{Format: "csv"})
	if err != nil {
		return n, err
	}
	setup, sampling, _ := strings.Cut(strings.Split(answer.String(), "\n")[1], ",")
	if n.setup, err = strconv.ParseFloat(setup, 64); err == nil {
		n.sampling, err = strconv.ParseFloat(sampling, 64)
	}
	if err == nil {
		n.wallOfUnchanged, n.unchanged, err = runNight(ctx, spec, pipelines.Skipped)
	}
	return n, err
}

// runNight runs a night, all of whose fits come to one action.
func runNight(ctx context.Context, spec, action string) (wall, process float64, err error) {
	began, spent := time.Now(), processSeconds()
	out, err := pipelines.Run(ctx, spec, pipelines.RunOptions{Workers: nightWorkers})
	wall, process = time.Since(began).Seconds(), processSeconds()-spent
	if err != nil {
		return wall, process, err
	}
	for _, f := range out.Fits {
		if f.Action != action {
			return wall, process, fmt.Errorf("%s: %s: %w", f.Name(), f.Action, f.Err)
		}
	}
	return wall, process, nil
}

// nightSpec fits each file by itself, with draws of a fixed number.
func nightSpec(method string) string {
	return strings.Join([]string{
		"pipeline: night",
		"database: night.duckdb",
		`datasets: {d: {path: "data/*.csv", each: file}}`,
		"models: {m: {formula: y ~ ., family: bernoulli, standardize: center_scale}}",
		"samplers: {s: {method: " + method + "}}",
		"run: {chains: 4, warmup: 250, draws: 250}",
		"gates: {rhat: off, ess_bulk: off, ess_tail: off, divergences: off}", "",
	}, "\n")
}

// nightData is a file of the night.
func nightData(r *rand.Rand) []byte {
	var b bytes.Buffer
	b.WriteString("y,x1,x2,x3,x4,x5\n")
	for range nightRows {
		eta, y := -0.8, 0
		var x [nightColumns]float64
		for j := range x {
			x[j] = r.NormFloat64()
			eta += 0.3 * x[j]
		}
		if r.Float64() < 1/(1+math.Exp(-eta)) {
			y = 1
		}
		fmt.Fprintf(&b, "%d,%.4f,%.4f,%.4f,%.4f,%.4f\n", y, x[0], x[1], x[2], x[3], x[4])
	}
	return b.Bytes()
}

// printNights prints nights with their parts, as ratios to sampling.
func printNights(w io.Writer, all []night) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(w, "Small fits: %d files of %d × %d, 4 × 250 draws after 250, on %d workers. Parts are processor time as "+
		"ratios to sampling.\n\n", all[0].fits, nightRows, nightColumns+1, nightWorkers)
	fmt.Fprint(w, "| method | wall, s | processor, s | sampling, ms a fit | set-up | reading, coding, hashing | "+
		"diagnosing, storing | all but sampling, ms a fit | unchanged, a second |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, n := range all {
		ms := 1e3 / float64(n.fits)
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s × | %s × | %s × | %s | %s |\n", n.method, three(n.wall), three(n.process),
			three(ms*n.sampling), seconds(n.setup/n.sampling), seconds(n.unchanged/n.sampling), seconds(n.rest()/n.sampling),
			three(ms*(n.process-n.sampling)), three(float64(n.fits)/n.wallOfUnchanged))
	}
}
