package html

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// Page is the content of one report. Lists that are empty are said to be so on the
// page.
type Page struct {
	Title  string    `json:"title"`
	Ledger string    `json:"ledger"` // name of the file, without its folder
	Scope  string    `json:"scope"`  // description of these fits
	Made   time.Time `json:"made"`   // of the newest fact in the page: no clock is asked
	Run    *Run      `json:"run,omitempty"`
	Runs   []Run     `json:"runs"`  // of the same pipeline, the newest first
	Fits   []Fit     `json:"fits"`  // as they are to be read: failures first
	Pages  int       `json:"pages"` // how many of Fits, from the first, have a page of their own
	Pairs  []Pair    `json:"pairs"` // some of Agreement.Pairs
	LOO    []Ranked  `json:"loo"`
	Drift  []Drift   `json:"drift"` // by name, the newest first
	Notes  []string  `json:"notes"` // what was left out, and why

	Said    []Said   `json:"-"`       // reasons of verdicts, the worst first; the page has them as text
	Results []Result `json:"results"` // by model

	Agreement Agreement `json:"agreement"`

	Courses []Course `json:"courses,omitempty"` // of fits over runs, those that moved most first
}

// Course is the coefficients of a fit over runs. Entry i of every list is of one coefficient, the oldest run first.
type Course struct {
	Fit     int           `json:"fit"` // place in Page.Fits
	Name    []string      `json:"name"`
	Created [][]time.Time `json:"created"`
	Of      [][][5]Number `json:"of"` // 2.5, 25, 50, 75 and 97.5 %
}

// Said is a reason that the verdicts of some fits have, with other numbers and names.
type Said struct {
	Headline string   `json:"headline"`
	Verdict  string   `json:"verdict"` // the worst of the fits
	Example  string   `json:"example"` // the reason as the first fit has it
	Advice   []string `json:"advice"`
	Fits     []int    `json:"fits"` // places in Page.Fits
}

// Result holds the estimates of a coefficient in the fits of a model.
type Result struct {
	Model   string   `json:"model"`
	Link    string   `json:"link"`
	Fits    int      `json:"fits"`
	Forests []Forest `json:"forests"`
}

// Forest is one quantity over the fits that have it.
type Forest struct {
	Name string      `json:"name"`
	Kind string      `json:"kind"`
	Fit  []int       `json:"fit"` // places in Page.Fits
	Of   [][5]Number `json:"of"`  // 2.5, 25, 50, 75 and 97.5 %
}

// Run is one call of the program.
type Run struct {
	ID       string         `json:"id"`
	Pipeline string         `json:"pipeline"`
	Started  time.Time      `json:"started"`
	Seconds  Number         `json:"seconds"`
	ExitCode *int           `json:"exit_code"` // nil: it did not end
	Seed     string         `json:"seed"`
	Program  string         `json:"program"`
	Counts   map[string]int `json:"counts"` // fits by verdict
}

// Fit is one fit: a row of the overview, and a page of its own.
type Fit struct {
	ID          int64     `json:"id"`                 // in the ledger; 0 if it is not stored
	Pipeline    string    `json:"pipeline,omitempty"` // empty if all fits are of one
	Dataset     string    `json:"dataset"`
	Key         string    `json:"key,omitempty"`
	Model       string    `json:"model"`
	Sampler     string    `json:"sampler"`
	Action      string    `json:"action"`
	Verdict     string    `json:"verdict"` // pass, warn, fail, error, or empty
	Reasons     []string  `json:"reasons"`
	Advice      []string  `json:"advice"`
	Why         []string  `json:"why"`             // the reasons in few words, each once
	Stale       bool      `json:"stale,omitempty"` // a newer attempt at it failed
	Method      string    `json:"method"`
	Family      string    `json:"family"`
	Link        string    `json:"link"`
	Formula     string    `json:"formula"`
	Rows        int64     `json:"rows"`
	Columns     int       `json:"columns"`
	Parameters  int       `json:"parameters"`
	Chains      int       `json:"chains"`
	Warmup      int       `json:"warmup"`
	Draws       int       `json:"draws"` // per chain
	Divergences int       `json:"divergences"`
	RHatMax     Number    `json:"rhat_max"`
	ESSMin      Number    `json:"ess_min"`
	Seconds     Number    `json:"seconds"` // of one core: set-up, warm-up and sampling
	Setup       Number    `json:"setup"`
	WarmupTime  Number    `json:"warmup_time"`
	Sampling    Number    `json:"sampling"`
	Created     time.Time `json:"created"`
	Detail      *Detail   `json:"-"` // an element of its own in the page; nil: none
}

// Detail holds the content of the page of a fit in addition to its row.
type Detail struct {
	Coefficients Coefficients `json:"coefficients"`
	Series       []Series     `json:"series"`
	Missing      []string     `json:"missing"` // what cannot be shown, and why
	Checks       []Check      `json:"checks"`
	Bins         []Bin        `json:"bins,omitempty"` // of the response, with Checks
	LOO          *LOO         `json:"loo"`
	Discrete     *Discrete    `json:"discrete,omitempty"`   // of models of kind mrf
	Groups       []Group      `json:"groups,omitempty"`     // of models with group-level effects
	Terms        []Term       `json:"terms,omitempty"`      // of these
	Curves       []Curve      `json:"curves,omitempty"`     // of smooths
	Mixture      *Mixture     `json:"mixture,omitempty"`    // of mixtures
	Pooled       *Pooled      `json:"pooled,omitempty"`     // of several imputations
	Incomplete   []Incomplete `json:"incomplete,omitempty"` // columns of which missing cells were drawn
	Effects      []Effect     `json:"effects,omitempty"`    // of variables, of models that ask for them
	ByLevel      []LevelCheck `json:"by_level,omitempty"`   // predictive checks by group
	Over         []OverCheck  `json:"over,omitempty"`       // and over numbers
	Energy       *Energy      `json:"energy,omitempty"`     // of Hamiltonian chains
}

// LevelCheck compares a statistic of the response by level with replicated data. Entry i of every list is of one
// level.
type LevelCheck struct {
	Variable  string      `json:"variable"`
	Statistic string      `json:"statistic"`
	Levels    int         `json:"levels"`   // all of them; those farthest out are listed
	Outside   int         `json:"outside"`  // levels outside 90 % of the replicates
	Expected  Number      `json:"expected"` // how many chance puts there
	Level     []string    `json:"level"`
	Rows      []int64     `json:"rows"`
	Observed  []Number    `json:"observed"`
	Of        [][5]Number `json:"of"` // 5, 25, 50, 75 and 95 % of the replicates
}

// OverCheck compares the response in classes of a number with replicated data. Entry i of every list is of one
// class.
type OverCheck struct {
	Variable string      `json:"variable"`
	Expected Number      `json:"expected"` // classes whose mean chance puts outside
	X        []Number    `json:"x"`
	Rows     []int64     `json:"rows"`
	Outside  []int64     `json:"outside"`  // observations outside 90 % of single replicated responses
	Observed []Number    `json:"observed"` // mean
	Mean     [][5]Number `json:"mean"`     // 5, 25, 50, 75 and 95 % of replicated means
	Single   [][5]Number `json:"single"`   // and of single responses
}

// Energy counts energies of draws around the mean of their chain, and changes from draw to draw, in equal classes from
// −High to High.
type Energy struct {
	High       Number   `json:"high"`
	Marginal   []int    `json:"marginal"`
	Transition []int    `json:"transition"`
	BFMI       []Number `json:"bfmi"` // by chain
}

// Effect is the mean of the response at a value of a variable, or how two of them differ.
type Effect struct {
	Effect   string `json:"effect"` // as the spec asks for it
	Kind     string `json:"kind"`   // prediction, difference, ratio, odds_ratio
	Variable string `json:"variable"`
	Level    string `json:"level"`
	X        Number `json:"x"` // of a number
	Given    string `json:"given"`
	Mean     Number `json:"mean"`
	Q025     Number `json:"q025"`
	Q975     Number `json:"q975"`
}

// Term is a term of a grouping: the standard deviation of its effects among levels, and these.
type Term struct {
	Grouping  string    `json:"grouping"`
	Term      string    `json:"term"`
	Levels    int       `json:"levels"`
	Mean      Number    `json:"mean"` // of the standard deviation
	SD        Number    `json:"sd"`
	Quantiles [5]Number `json:"quantiles"` // 2.5, 25, 50, 75 and 97.5 % of it
	ICC       Interval  `json:"icc"`       // intraclass correlation: its mean and 95 % interval
	Effects   Effects   `json:"effects"`
}

// Curve is a smooth over a grid, on the scale of the linear predictor.
type Curve struct {
	Smooth string      `json:"smooth"`
	Level  string      `json:"level,omitempty"` // of the factor that it is by
	X      []Number    `json:"x"`
	Of     [][5]Number `json:"of"` // 2.5, 25, 50, 75 and 97.5 % at each x
}

// Mixture sums up the components of a mixture, in their order.
type Mixture struct {
	Components []Component `json:"components"`
	Rows       int64       `json:"rows"`     // those whose allocations are stored
	Switches   []int64     `json:"switches"` // of labels, by chain
}

// Component is one of a mixture.
type Component struct {
	Weight Interval `json:"weight"` // its mean and 95 % interval
	Rows   Number   `json:"rows"`   // expected: the sum of the rows' probabilities
	// Best counts the rows of which it is the most probable component, in ten equal classes of that probability.
	Best [10]int64 `json:"best"`
}

// Effects are levels from the smallest mean to the largest: all, or both ends and some between. Entry i of every column
// is of one level.
type Effects struct {
	Rank  []int    `json:"rank"` // 1, 2, … among all levels
	Level []string `json:"level"`
	Mean  []Number `json:"mean"`
	// share of the effect that the level's own rows determine: 1 − sd²/sd²(among levels)
	Told   []Number `json:"told"`
	Q025   []Number `json:"q025"`
	Q25    []Number `json:"q25"`
	Median []Number `json:"median"`
	Q75    []Number `json:"q75"`
	Q975   []Number `json:"q975"`
}

// Group sums up the group-level effects of a grouping, of which there may be too many for a table: those that mixed
// worst are among the Coefficients.
type Group struct {
	Grouping string `json:"grouping"`
	Levels   int64  `json:"levels"`
	Effects  int64  `json:"effects"`
	RHat     Number `json:"rhat"` // the largest
	RHatOf   string `json:"rhat_of"`
	Bulk     Number `json:"ess_bulk"` // the least
	BulkOf   string `json:"ess_bulk_of"`
}

// Coefficients are the summaries of a fit, a column each: entry i of every
// column is of parameter i.
type Coefficients struct {
	Name   []string `json:"name"`
	Kind   []string `json:"kind"`
	Mean   []Number `json:"mean"`
	SD     []Number `json:"sd"`
	Q025   []Number `json:"q025"`
	Q25    []Number `json:"q25"`
	Median []Number `json:"median"`
	Q75    []Number `json:"q75"`
	Q975   []Number `json:"q975"`
	RHat   []Number `json:"rhat"`
	Bulk   []Number `json:"ess_bulk"`
	Tail   []Number `json:"ess_tail"`
}

// Series begins the series of row i, which has its diagnostics; without a row
// (i < 0) they are unknown.
func (c *Coefficients) Series(name string, i int) Series {
	if i < 0 {
		none := Number(math.NaN())
		return Series{Name: name, RHat: none, Bulk: none, Tail: none}
	}
	return Series{Name: name, RHat: c.RHat[i], Bulk: c.Bulk[i], Tail: c.Tail[i]}
}

// Series is one quantity over the draws of all chains.
type Series struct {
	Name  string `json:"name"`
	RHat  Number `json:"rhat"`
	Bulk  Number `json:"ess_bulk"`
	Tail  Number `json:"ess_tail"`
	Draws int    `json:"draws"` // per chain
	// Imputations is the number of imputations of the chains, as many in turn of each; 0 if there is one.
	Imputations int `json:"imputations,omitempty"`
	// Prior is that of Scale times the quantity; empty if there is none.
	Prior string `json:"prior,omitempty"`
	Scale Number `json:"scale"`
	// Trace holds every Every-th draw of each chain, a byte each: 0 stands for Low
	// and 254 for High; 255 is a draw without a finite value.
	Every int      `json:"every"`
	Low   Number   `json:"low"`
	High  Number   `json:"high"`
	Trace [][]byte `json:"trace"` // base64 in JSON
	// Divergent are the values at draws whose trajectories diverged, some of them where there are many.
	Divergent []Number `json:"divergent,omitempty"`
	// Ranks counts, by chain, the draws in equal classes of their rank among all of their imputation.
	Ranks [][]int `json:"ranks"`
	// Lags and Auto are autocorrelations by chain.
	Lags []int      `json:"lags"`
	Auto [][]Number `json:"auto"`
	// Grown is the draws of all chains that GrownBulk and GrownTail had.
	Grown     []int    `json:"grown"`
	GrownBulk []Number `json:"grown_bulk"`
	GrownTail []Number `json:"grown_tail"`
}

// Check is one posterior predictive check.
type Check struct {
	Statistic  string `json:"statistic"`
	Observed   Number `json:"observed"`
	Mean       Number `json:"mean"`
	SD         Number `json:"sd"`
	Q025       Number `json:"q025"`
	Q975       Number `json:"q975"`
	P          Number `json:"p"`
	Replicates int    `json:"replicates"`
	Note       string `json:"note,omitempty"`
	Expression string `json:"expression,omitempty"` // of a statistic that the spec names
}

// Bin is a class of the response: observations in it, and the quantiles of their number over replicated data.
type Bin struct {
	Low       Number    `json:"low"` // null: unbounded
	High      Number    `json:"high"`
	Observed  Number    `json:"observed"`
	Quantiles [5]Number `json:"quantiles"` // 2.5, 25, 50, 75 and 97.5 %
}

// LOO is leave-one-out of a fit: its sums, and the Pareto k of some rows.
type LOO struct {
	Rows      int64    `json:"rows"`
	ELPD      Number   `json:"elpd"`
	SE        Number   `json:"se"`
	P         Number   `json:"p"`
	Looic     Number   `json:"looic"`
	Threshold Number   `json:"threshold"`
	High      int64    `json:"high"`
	Shown     []int64  `json:"shown"` // rows, ascending; all that are above Threshold are among them, up to a limit
	K         []Number `json:"k"`
	Pointwise []Number `json:"pointwise"`
	// PIT are shares of the probability integral transforms up to places, with a band: place, share, low, high.
	PIT [][4]Number `json:"pit,omitempty"`
}

// Pair is two samplers on one posterior.
type Pair struct {
	Pipeline    string   `json:"pipeline,omitempty"` // empty if all fits are of one
	Dataset     string   `json:"dataset"`
	Key         string   `json:"key,omitempty"`
	Model       string   `json:"model"`
	Rows        int64    `json:"rows"`
	Columns     int      `json:"columns"`
	A           Cost     `json:"a"`
	B           Cost     `json:"b"`
	Agreement   string   `json:"agreement"`
	ZMax        Number   `json:"z_max"`
	ZLimit      Number   `json:"z_limit"`
	Worst       string   `json:"worst"`
	NotCompared int      `json:"not_compared"`
	Replicates  int      `json:"replicates"`
	Ratio       Interval `json:"ratio"`         // B's time to median ESS 100 over A's
	RatioMin    Interval `json:"ratio_min"`     // the same for the least ESS
	RatioLogLik Interval `json:"ratio_log_lik"` // and for that of log_lik
}

// Agreement counts pairs of samplers.
type Agreement struct {
	Pairs  int `json:"pairs"`
	Differ int `json:"differ"`
	Failed int `json:"failed"` // pairs that differ, of which one failed its gates
}

// Add counts a pair.
func (a *Agreement) Add(p *Pair) {
	a.Pairs++
	if p.Agreement != "differ" {
		return
	}
	a.Differ++
	if p.A.Verdict == "fail" || p.B.Verdict == "fail" {
		a.Failed++
	}
}

// Cost is the cost of one sampler.
type Cost struct {
	Sampler string   `json:"sampler"`
	Method  string   `json:"method"`
	Verdict string   `json:"verdict"`
	Fits    int      `json:"fits"`
	PerSec  Interval `json:"per_second"`     // median bulk ESS a second
	MinSec  Interval `json:"min_per_second"` // least bulk ESS a second
	ToESS   Interval `json:"to_ess"`         // seconds to a median bulk ESS of 100
	ToMin   Interval `json:"to_min"`         // and to a least one
}

// Interval is a median with its 95 % interval; null where there are fewer than
// six values.
type Interval [3]Number

// Ranked is a model among those of one data set by leave-one-out.
type Ranked struct {
	Pipeline string `json:"pipeline,omitempty"` // empty if all fits are of one
	Dataset  string `json:"dataset"`
	Key      string `json:"key,omitempty"`
	Model    string `json:"model"`
	Sampler  string `json:"sampler"`
	Diff     Number `json:"diff"`
	SE       Number `json:"se"`
	ELPD     Number `json:"elpd"`
	Note     string `json:"note,omitempty"`
}

// Drift is a fit against the complete fit before it.
type Drift struct {
	Pipeline   string    `json:"pipeline,omitempty"` // empty if all fits are of one
	Dataset    string    `json:"dataset"`
	Key        string    `json:"key,omitempty"`
	Model      string    `json:"model"`
	Sampler    string    `json:"sampler"`
	ID         int64     `json:"id"`
	Created    time.Time `json:"created"`
	Verdict    string    `json:"verdict"`
	Shift      Number    `json:"shift"`
	ShiftOf    string    `json:"shift_of"`
	SDRatio    Number    `json:"sd_ratio"`
	SDRatioOf  string    `json:"sd_ratio_of"`
	RowsBefore int64     `json:"rows_before"`
	Rows       int64     `json:"rows"`
	Response   Number    `json:"response_shift"`
	Centre     Number    `json:"centre_shift"`
	CentreOf   string    `json:"centre_of"`
	Changed    string    `json:"changed"` // data, model, both or settings
}

// Number is a float64 that JSON shows with five digits, and as null where it is
// NaN or infinite.
type Number float64

// MarshalJSON writes the number.
func (n Number) MarshalJSON() ([]byte, error) {
	v := float64(n)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(rounded(v))
}

// rounded is v with five significant digits.
func rounded(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64)
	if err != nil { // rounds up to infinity
		return v
	}
	return r
}
