package exchange

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/spec"
)

// hamiltonian are the columns with which CmdStan begins. lp__ is the log
// likelihood and the log prior density of the parameters as they are written: it
// has no Jacobian, which Stan's has for constrained parameters.
var hamiltonian = []statistic{
	{"lp__", func(i *infer.Info) float64 { return i.LogLik + i.LogPrior }},
	{"accept_stat__", func(i *infer.Info) float64 { return i.Accept }},
	{"stepsize__", func(i *infer.Info) float64 { return i.StepSize }},
	{"treedepth__", func(i *infer.Info) float64 { return float64(i.Depth) }},
	{"n_leapfrog__", func(i *infer.Info) float64 { return float64(i.Leapfrogs) }},
	{"divergent__", func(i *infer.Info) float64 { return map[bool]float64{true: 1}[i.Divergent] }},
	{"energy__", func(i *infer.Info) float64 { return i.Energy }},
}

// writeCmdStan writes a chain as CmdStan's sample method does, in the form that
// rstan::read_stan_csv and cmdstanr::as_cmdstan_fit read: comments with the
// settings, a header, a row a draw, and the seconds.
func writeCmdStan(w io.Writer, m *matrix) error {
	names := stanNames(m.Parameters)
	if _, err := io.WriteString(w, m.stanHead(names)); err != nil {
		return err
	}
	out := &rows{w: w, nan: "nan", inf: "inf"}
	for _, s := range hamiltonian {
		out.text(s.name)
	}
	for _, name := range names {
		out.text(name)
	}
	out.end()
	if out.err == nil {
		_, out.err = io.WriteString(w, m.stanStep())
	}
	for i := range m.Count {
		for _, s := range hamiltonian {
			out.statistic(m, i, s)
		}
		for p := range m.Parameters {
			out.number(m.values[p*m.Count+i])
		}
		out.end()
	}
	if out.err == nil {
		_, out.err = io.WriteString(w, m.stanTail())
	}
	return out.err
}

// stanNames are names that Stan could have: beta.1, beta.2, … for coefficients;
// others keep theirs where it is a word, and are scale.1 or derived.1 where not.
func stanNames(parameters []infer.Parameter) []string {
	taken := map[string]bool{}
	for _, p := range parameters {
		taken[p.Name] = !coefficient(p) && word(p.Name)
	}
	count := map[string]int{}
	out := make([]string, len(parameters))
	for i, p := range parameters {
		root := string(p.Kind)
		switch {
		case !coefficient(p) && word(p.Name):
			out[i] = p.Name
			continue
		case coefficient(p):
			root = "beta"
		}
		for taken[root] {
			root += "_"
		}
		count[root]++
		out[i] = root + "." + strconv.Itoa(count[root])
	}
	return out
}

// coefficient reports whether p is one of the linear predictor.
func coefficient(p infer.Parameter) bool {
	return p.Kind == infer.Coefficient || p.Kind == infer.Intercept
}

// word reports whether s can name a variable of Stan that is no array.
func word(s string) bool {
	letter := func(c rune) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
	for i, c := range s {
		if !letter(c) && (i == 0 || c != '_' && (c < '0' || '9' < c)) {
			return false
		}
	}
	return s != "" && !strings.HasSuffix(s, "__")
}

// stanHead are the comments before the header. The last of them say which
// parameter a column is.
func (m *matrix) stanHead(names []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# stan_version_major = 2
# stan_version_minor = 30
# stan_version_patch = 0
# model = %s
# method = sample (Default)
#   sample
#     num_samples = %d
#     num_warmup = %d
#     save_warmup = 0 (Default)
#     thin = 1 (Default)
%s# id = %d
# not written by Stan: the layout is Stan's, the draws are those of a fit of
# generalised linear models; lp__ is log_lik + log_prior, without Jacobians
`, comment(m.Title), m.Count, m.Warmup, m.stanAlgorithm(), m.chain+1)
	for i, p := range m.Parameters {
		fmt.Fprintf(&b, "# column %s is %s\n", names[i], comment(p.Name))
	}
	return b.String()
}

// trajectories reports whether the draws are those of Stan's kind of sampler.
func (m *matrix) trajectories() bool { return spec.MethodNamed(m.Method).Hamiltonian }

// stanAlgorithm are the comments about the sampler. Stan has no name for one without
// trajectories but fixed_param, by which readers know not to look for step sizes.
func (m *matrix) stanAlgorithm() string {
	if !m.trajectories() {
		return fmt.Sprintf("#     algorithm = fixed_param\n# drawn by %s, which is none of Stan's samplers\n",
			comment(m.Method))
	}
	engine := "nuts (Default)"
	if spec.MethodNamed(m.Method).Static {
		engine = "static"
	}
	return "#     adapt\n#       engaged = 1 (Default)\n#     algorithm = hmc (Default)\n#       hmc\n" +
		"#         engine = " + engine + "\n#         metric = diag_e (Default)\n"
}

// stanStep are the comments about adaptation; none of samplers without trajectories.
func (m *matrix) stanStep() string {
	if !m.trajectories() {
		return ""
	}
	step := 0.0
	if n := len(m.stats); n > 0 && !math.IsNaN(m.stats[n-1].StepSize) {
		step = m.stats[n-1].StepSize
	}
	ones := strings.Join(slices.Repeat([]string{"1"}, max(1, len(m.Parameters))), ", ")
	return fmt.Sprintf("# Adaptation terminated\n# Step size = %g\n# Diagonal elements of inverse mass matrix:\n# %s\n",
		step, ones)
}

// stanTail are the comments about time, of this chain an equal part.
func (m *matrix) stanTail() string {
	part := func(all float64) float64 {
		if math.IsNaN(all) {
			return 0
		}
		return all / float64(m.Chains)
	}
	warmup, sampling := part(m.WarmupSeconds), part(m.SamplingSeconds)
	return fmt.Sprintf("# \n#  Elapsed Time: %g seconds (Warm-up)\n"+
		"#                %g seconds (Sampling)\n#                %g seconds (Total)\n# \n", warmup, sampling,
		warmup+sampling)
}

// comment is s on one line: as it is, or quoted as in Go where it would not be
// read back.
func comment(s string) string {
	if strings.ContainsAny(s, "\r\n") || strings.HasPrefix(s, `"`) || strings.TrimSpace(s) != s {
		return strconv.Quote(s)
	}
	return s
}
