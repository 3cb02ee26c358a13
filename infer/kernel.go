package infer

import "encoding"

// Setup holds the read-only data that the chains of one fit share: the data, cached products, factorisations. It is
// made once per fit and safe for concurrent use by its kernels.
type Setup interface {
	// Parameters describes what Kernel.Position writes, in order.
	Parameters() []Parameter
	// Kernel returns one chain at its dispersed start, before any step.
	Kernel(c Chain) (Kernel, error)
}

// Simulator is a Setup that draws from its prior, and data given these parameters. A discrete system has no data: its
// Simulation is an independent draw of the state.
type Simulator interface {
	Setup
	Simulate(s *Stream) (Simulation, error)
}

// Simulation is a position drawn from the prior with the posterior of data that are drawn given it.
type Simulation struct {
	Position  []float64
	LogLik    float64 // of these data at the position, as in Info
	Posterior Setup
}

// ParameterKind determines how a parameter is treated downstream.
type ParameterKind string

// The kinds of parameters.
const (
	Intercept   ParameterKind = "intercept"
	Coefficient ParameterKind = "coefficient"
	Dispersion  ParameterKind = "dispersion"
	// Scale is a scale that a prior shares among coefficients; LocalScale is one
	// coefficient's own, of which there are as many as coefficients.
	Scale      ParameterKind = "scale"
	LocalScale ParameterKind = "local_scale"
	// GroupSD is a standard deviation of the effects of a grouping, GroupCorrelation a correlation of two of its
	// terms, GroupEffect the effect of one term for one level.
	GroupSD          ParameterKind = "group_sd"
	GroupCorrelation ParameterKind = "group_correlation"
	GroupEffect      ParameterKind = "group_effect"
	// ResidualCorrelation is a correlation of the residuals of two responses.
	ResidualCorrelation ParameterKind = "residual_correlation"
	// SmoothSD is the standard deviation of the penalised coefficients of a smooth, SmoothEffect one of these.
	SmoothSD     ParameterKind = "smooth_sd"
	SmoothEffect ParameterKind = "smooth_effect"
	// Monotonic is the mean of the steps of a monotonic effect, or the share of one in their sum: they follow from the
	// steps, which are coefficients.
	Monotonic ParameterKind = "monotonic"
	// Inclusion is whether a coefficient whose prior is spike_slab is other than 0: 0 or 1.
	Inclusion ParameterKind = "inclusion"
	// MixtureWeight is the weight of a component of a mixture. Unsorted is a parameter of a component as it was
	// sampled: its number may change from draw to draw.
	MixtureWeight ParameterKind = "mixture_weight"
	Unsorted      ParameterKind = "unsorted"
	// Occupied is the number of components of a Dirichlet process that have rows.
	Occupied ParameterKind = "occupied"
	// Probability is that of a category of a response, in a component of a mixture.
	Probability ParameterKind = "probability"
	// Imputation is a parameter of the model of an incomplete column, Imputed a missing cell or a missing response.
	Imputation ParameterKind = "imputation"
	Imputed    ParameterKind = "imputed"
)

// InclusionName returns the name of the indicator of a coefficient in the model.
func InclusionName(coefficient string) string { return "included[" + coefficient + "]" }

// Parameter names one entry of a position.
type Parameter struct {
	Name string
	Kind ParameterKind
	// Grouping, Level and Term are facts of the parameters of a grouping, so that no code parses names: the name of
	// the grouping, the level of an effect, and the term, "Intercept" or a column. A correlation has two terms,
	// Term and Term2. For a smooth, Term is that of the formula. For a component of a mixture, Level is its number
	// and Term a column. They are empty if they do not apply.
	Grouping, Level, Term, Term2 string
	// Predictor and Response are what a coefficient, effect or scalar belongs to: empty if there is only one.
	Predictor, Response string
}

// Chain identifies the chain that a Setup starts.
type Chain struct {
	Index  int // 0-based
	Count  int // chains of this fit; starts are fixed by (Index, Count)
	Warmup int // planned iterations of adaptation; kernels without any ignore it
	// Stream is owned by the kernel from here on and is part of its state.
	Stream *Stream
}

// Kernel is one chain of a Markov chain Monte Carlo sampler.
//
// MarshalBinary returns the whole state (position, random stream, caches whose rounding matters, adaptation,
// pending proposals), led by a version, and does not disturb it: a chain that was saved and restored continues with
// the same bits. UnmarshalBinary is called on a kernel fresh from the same Setup.
type Kernel interface {
	// Step advances the chain by one iteration.
	Step() (Info, error)
	// Position writes the current parameters to dst, on the scale of the
	// design as sampled; len(dst) is the number of Setup.Parameters.
	Position(dst []float64)
	// Start says in a few words how the starting point was drawn.
	Start() string

	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// Info holds the statistics of one iteration. Fields that a sampler does not have are zero; the ledger stores them
// all.
type Info struct {
	// LogLik and LogPrior are natural logarithms at the new position: the full
	// likelihood with its constants, and the prior density with its constants
	// (0 for a flat prior), on the scale of the design as sampled. A Compact
	// kernel's LogPrior is NaN in warm-up: it would need all that Expand makes.
	LogLik, LogPrior float64
	// Evaluations counts log density evaluations of this iteration, univariate
	// conditionals and full ones alike.
	Evaluations int64
	// Touched counts row entries of X (or n per pass over rows) that were read
	// by likelihood work in this iteration: the cost model's unit.
	Touched int64
	// Gradients counts full gradients.
	Gradients int64
	// Accept is the mean acceptance probability of Metropolis decisions.
	Accept float64
	// StepSize, Depth, Leapfrogs, Energy and Divergent belong to Hamiltonian samplers.
	StepSize  float64
	Energy    float64
	Depth     int32
	Leapfrogs int32
	Divergent bool
}

// Certificate is an error that is proved, or why there is none.
type Certificate struct {
	Method  string   // what proves it
	Bounded string   // what Bound is of
	Names   []string // of its parameters
	Updates int64    // of single coordinates after which it holds
	Bound   float64  // NaN if nothing is proved
	Note    string   // what it rests on, or why there is none
}

// Certifier is a Setup that proves something of its chains.
type Certifier interface {
	// Certificates returns the certificates that were asked for; nil if there are none.
	Certificates() []Certificate
}
