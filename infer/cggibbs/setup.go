package cggibbs

import (
	"fmt"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// shared is the part that set-ups have in common, read-only once they are made.
type shared struct {
	target *glm.Target
	opts   Options
	widths []float64 // initial slice width of each coordinate
	scan   *scan
	words  string // what was chosen, and why; empty if there was no choice
}

// Explain returns what was chosen, and why; the empty text if there was no choice.
func (s *shared) Explain() string { return s.words }

// because adds why the set-up was chosen.
func (s *shared) because(why string) {
	if s.words == "" {
		s.words = "coordinate: " + why
		return
	}
	s.words += "; " + why
}

// Certificates returns what is proved of a scan for some coefficients.
func (s *shared) Certificates() []infer.Certificate { return s.scan.certificates(s.opts.Focus) }

// New returns the sampler of a posterior. Cost: O(n) for each coefficient with a
// flat prior. It returns an *OptionError for an impossible option.
func New(target *glm.Target, opts Options) (infer.Setup, error) {
	opts, err := opts.filled()
	if err != nil {
		return nil, err
	}
	if opts.Kernels == "vector" {
		target = target.Vectorised()
	}
	switch {
	case prior.Selects(target.Model().Coefficients):
		return newSelecting(target, opts)
	case opts.Basis == "auto":
		return newAuto(target, opts)
	case opts.Basis == "mixture":
		return newMixed(target, opts)
	}
	if err := checkBlocks(target, opts.Blocks); err != nil {
		return nil, err
	}
	if opts.Basis != "coordinate" || opts.Update != "" && opts.Update != "doubling" || opts.followed() ||
		opts.Blocks != nil {
		return newBasis(target, opts)
	}
	s := newSetup(target, opts)
	if s.scan.words != "" {
		s.words = "coordinate; " + s.scan.words
	}
	return s, nil
}

// instead returns the coordinate sampler because the one that was asked for cannot be made.
func instead(target *glm.Target, opts Options, why string) infer.Setup {
	opts.Basis, opts.Update, opts.Joint, opts.Slow, opts.Blocks = "coordinate", "doubling", "off", "off", nil
	s := newSetup(target, opts)
	s.words = "coordinate, for " + why
	return s
}

// checkStream returns an error if a chain has no random stream.
func checkStream(c infer.Chain) error {
	if c.Stream == nil {
		return fmt.Errorf("cggibbs: chain %d has no random stream", c.Index)
	}
	return nil
}
