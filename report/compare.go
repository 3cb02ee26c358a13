package report

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Comparison is two samplers on one posterior, SamplerA before SamplerB by name.
type Comparison struct {
	Pipeline string `json:"pipeline"`
	Dataset  string `json:"dataset"`
	Group    string `json:"key"`
	Model    string `json:"model"`
	A        Cost   `json:"a"`
	B        Cost   `json:"b"`
	// Agreement is agree, differ or unknown, as the view comparison has it over
	// all coefficients and log_lik: ZMax exceeds ZLimit by chance with probability
	// at most 0.001.
	Agreement   string  `json:"agreement"`
	Compared    int     `json:"compared"`
	NotCompared int     `json:"not_compared"`
	ZMax        Number  `json:"z_max"`
	ZLimit      Number  `json:"z_limit"`
	Worst       *string `json:"worst"`
	// Pairs is the number of replicates that both have, and the ratios are those
	// of B's time to A's, by pairs of these: above 1, A is sooner.
	Pairs       int      `json:"pairs"`
	RatioMedian Interval `json:"ratio_median"`
	RatioMin    Interval `json:"ratio_min"`
	RatioLogLik Interval `json:"ratio_log_lik"`
}

// Cost is the cost of one sampler for one posterior: of the newest fit and its replicates, medians with intervals.
// Seconds are those of one core, set-up and warm-up included.
type Cost struct {
	Sampler string `json:"sampler"`
	Method  string `json:"method"`
	Verdict string `json:"verdict"` // of the newest fit
	Fits    int    `json:"fits"`    // the newest fit and its replicates
	// Bulk ESS per second, median and minimum over parameters, dispersions included.
	ESSPerSecond    Interval `json:"ess_per_second_median"`
	MinESSPerSecond Interval `json:"ess_per_second_min"`
	// Seconds to a bulk ESS of 100; a fit that has not reached it counts as longer
	// than any other.
	ToMedian Interval `json:"to_ess100_median"`
	ToMin    Interval `json:"to_ess100_min"`
	ToLogLik Interval `json:"to_ess100_log_lik"`
	// Evaluations of log densities and gradients of the newest fit, warm-up
	// included.
	Evaluations int64 `json:"evaluations"`
	Gradients   int64 `json:"gradients"`

	fit                    int64
	median, least, density map[int]float64 // seconds to ESS 100 by replicate
}

// Comparisons returns every pair of samplers of every posterior whose data set
// and model match these globs (* and ?); empty ones match all. A data set is matched by
// its name or by name/key. If pipeline is not empty, they are of its fits alone. It reads summaries, no draws.
//
// It returns a *MissingError without a ledger.
func (l *Ledger) Comparisons(ctx context.Context, pipeline, dataset, model string) (out []Comparison, err error) {
	err = l.readTables(ctx, func(c *sql.Conn) error {
		costs, err := readCosts(ctx, c)
		if err != nil {
			return err
		}
		if out, err = readPairs(ctx, c, costs, pipeline, dataset, model); err != nil {
			return err
		}
		return readWork(ctx, c, out)
	})
	return out, err
}

// readCosts sums the view replicates up by name.
func readCosts(ctx context.Context, c *sql.Conn) (map[name]*Cost, error) {
	costs := map[name]*Cost{}
	rates := map[name][2][]float64{}
	var all []struct {
		name
		Replicate       int
		FitID           int64
		Method, Verdict string
		Seconds         float64
		Median          float64 `db:"ess_median"`
		Least           float64 `db:"ess_min"`
		ToMedian        float64 `db:"to_ess100_median"`
		ToMin           float64 `db:"to_ess100_min"`
		ToLogLik        float64 `db:"to_ess100_log_lik"`
	}
	err := read(ctx, c, &all, `SELECT dataset, key, model, sampler, pipeline, replicate, fit_id, method, verdict,
		seconds, ess_median, ess_min, to_ess100_median, to_ess100_min, to_ess100_log_lik FROM replicates`)
	for _, r := range all {
		k := r.name
		cost := costs[k]
		if cost == nil {
			cost = &Cost{Sampler: k.Sampler, Method: r.Method, median: map[int]float64{}, least: map[int]float64{},
				density: map[int]float64{}}
			costs[k] = cost
		}
		if r.Replicate == 1 {
			cost.fit, cost.Verdict = r.FitID, r.Verdict
		}
		cost.Fits++
		cost.median[r.Replicate], cost.least[r.Replicate], cost.density[r.Replicate] = reached(r.ToMedian),
			reached(r.ToMin), reached(r.ToLogLik)
		of := rates[k]
		rates[k] = [2][]float64{append(of[0], float64(r.Median/r.Seconds)), append(of[1], float64(r.Least/r.Seconds))}
	}
	for k, cost := range costs {
		cost.ESSPerSecond, cost.MinESSPerSecond = medianInterval(rates[k][0]), medianInterval(rates[k][1])
		cost.ToMedian, cost.ToMin, cost.ToLogLik = medianOf(cost.median), medianOf(cost.least), medianOf(cost.density)
	}
	return costs, err
}

// reached is a time, +Inf where the run has not shown it.
func reached(t float64) float64 {
	if math.IsNaN(t) {
		return math.Inf(1)
	}
	return t
}

// readPairs reads the view comparison.
func readPairs(
	ctx context.Context, c *sql.Conn, costs map[name]*Cost, pipeline, dataset, model string,
) (out []Comparison, err error) {
	var all []struct {
		Comparison
		SamplerA string
		SamplerB string
	}
	err = read(ctx, c, &all, `SELECT pipeline, dataset, key, model, sampler_a, sampler_b, agreement, compared,
		not_compared, z_max, z_limit, worst
		FROM comparison WHERE (?1 = '' OR dataset LIKE ?1 ESCAPE '!' OR concat(dataset, '/', key) LIKE ?1 ESCAPE '!')
		AND (?2 = '' OR model LIKE ?2 ESCAPE '!') AND (?3 = '' OR pipeline = ?3)
		ORDER BY dataset, key, model, sampler_a, sampler_b, pipeline`,
		globLike.Replace(dataset), globLike.Replace(model), pipeline)
	for i := range all {
		p := &all[i].Comparison
		of := name{p.Pipeline, Key{Dataset: p.Dataset, Group: p.Group, Model: p.Model, Sampler: all[i].SamplerA}}
		first := costs[of]
		of.Sampler = all[i].SamplerB
		second := costs[of]
		if first == nil || second == nil {
			return nil, fmt.Errorf("the views comparison and replicates contradict each other about %s", of.Key)
		}
		p.A, p.B = *first, *second
		p.RatioMedian, p.Pairs = ratio(p.A.median, p.B.median)
		p.RatioMin, _ = ratio(p.A.least, p.B.least)
		p.RatioLogLik, _ = ratio(p.A.density, p.B.density)
		out = append(out, *p)
	}
	return out, err
}

// globLike makes a pattern of LIKE with the escape ! out of a glob, in which * and ?
// are special and no other character is, as they are wherever fits are selected.
var globLike = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_", "*", "%", "?", "_")

// readWork adds what the newest fits evaluated.
func readWork(ctx context.Context, c *sql.Conn, pairs []Comparison) error {
	costs := map[int64][]*Cost{}
	var fits []string
	for i := range pairs {
		for _, cost := range []*Cost{&pairs[i].A, &pairs[i].B} {
			if costs[cost.fit] == nil {
				fits = append(fits, fmt.Sprint(cost.fit))
			}
			costs[cost.fit] = append(costs[cost.fit], cost)
		}
	}
	return scanRows(ctx, c, `SELECT fit_id, coalesce(sum(evaluations), 0)::BIGINT, coalesce(sum(gradients), 0)::BIGINT
		FROM chain
		WHERE fit_id IN (SELECT unnest(?::VARCHAR[])::BIGINT) GROUP BY fit_id`, func(rows *sql.Rows) error {
		var fit, evaluations, gradients int64
		if err := rows.Scan(&fit, &evaluations, &gradients); err != nil {
			return err
		}
		for _, cost := range costs[fit] {
			cost.Evaluations, cost.Gradients = evaluations, gradients
		}
		return nil
	}, list(fits))
}

// Interval is a median and its 95 % confidence interval, NaN if there are fewer than six values: with five, even
// the extremes miss the median with probability 1/16.
type Interval struct {
	Value Number `json:"value"`
	Low   Number `json:"low"`
	High  Number `json:"high"`
}

// medianInterval returns the median of independent values and the narrowest
// symmetric interval of order statistics that covers the law's median with
// probability at least 0.95, whatever the law: [x₍ₖ₎, x₍ₙ₊₁₋ₖ₎] misses it with
// probability 2·P(Bin(n, ½) < k). Infinite values are as good as any. It sorts.
//
// Source: Thompson (1936), doi:10.1214/aoms/1177732502.
func medianInterval(x []float64) Interval {
	nan := Number(math.NaN())
	out := Interval{nan, nan, nan}
	x = slices.DeleteFunc(x, math.IsNaN)
	n := len(x)
	if n == 0 {
		return out
	}
	slices.Sort(x)
	out.Value = Number((x[(n-1)/2] + x[n/2]) / 2)
	k, below, term := 0, 0.0, math.Pow(0.5, float64(n)) // term is P(Bin = k)
	for below += term; below <= 0.025; below += term {
		k++
		term *= float64(n-k+1) / float64(k)
	}
	if k > 0 {
		out.Low, out.High = Number(x[k-1]), Number(x[n-k])
	}
	return out
}

// medianOf is medianInterval over replicates.
func medianOf(m map[int]float64) Interval { return medianInterval(slices.Sorted(maps.Values(m))) }

// ratio is the median ratio of b's to a's times over the replicates of both,
// and how many these are. Replicates are independent, so their numbers make
// independent pairs. A pair of which neither reached its end counts as none.
func ratio(a, b map[int]float64) (Interval, int) {
	var all []float64
	for replicate, v := range a {
		if w, ok := b[replicate]; ok && !(math.IsInf(v, 0) && math.IsInf(w, 0)) {
			all = append(all, w/v)
		}
	}
	return medianInterval(all), len(all)
}
