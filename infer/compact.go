package infer

// Explainer is a Setup that chose how to sample, and says in words what and why.
type Explainer interface {
	// Explain returns a sentence for the ledger.
	Explain() string
}

// Compact is a Setup whose chains are told by fewer numbers than they have
// parameters: a row holds an iteration, and Expand makes any parameters of it
// again, to the bit that Kernel.Position writes.
type Compact interface {
	Setup
	// Row describes the numbers of a row: first those that a chain samples, some of
	// them parameters, then statistics and what Expand needs besides.
	Row() []RowEntry
	// Expand writes the draws of parameters first to last−1 of Parameters to dst,
	// draw i of parameter p at dst[(p−first)*stride+i]; with a stride of
	// len(iterations) that is a Block. rows holds as many rows of Row, of the chain
	// with this key, at these 0-based iterations, none of them in its warm-up.
	Expand(dst []float64, stride int, rows []float64, key uint64, iterations []int64, first, last int)
}

// RowEntry names one number of a row.
type RowEntry struct {
	Name string
	Kind RowKind
}

// RowKind tells what a number of a row is for.
type RowKind string

// The kinds of row entries.
const (
	Shared    RowKind = "parameter" // a parameter of the same name
	Sampled   RowKind = "sampled"   // another coordinate of the chain, to be gated
	Statistic RowKind = "statistic" // a function of the sampled ones, to be gated
	Carried   RowKind = "carried"   // for Expand alone
)

// CompactKernel is a kernel of a Compact setup.
type CompactKernel interface {
	Kernel
	// Row writes the row of the current point to dst, len(Setup.Row). What is
	// Carried may be left out, as 0, in the first Chain.Warmup iterations, whose
	// draws nobody asks for.
	Row(dst []float64)
	// Key names the chain's own numbers in Expand. It is part of the state.
	Key() uint64
}
