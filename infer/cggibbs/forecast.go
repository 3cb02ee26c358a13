package cggibbs

import (
	"fmt"

	"glmbatch/infer"
	"glmbatch/infer/glm"
)

// Sweeps describes how an iteration after warm-up updates the coefficients of a target, if they are updated one at
// a time and by nothing else.
type Sweeps struct {
	Target *glm.Target
	Random bool // coordinates and dispersions are drawn with replacement, as many as there are
	Times  int  // sweeps in an iteration
}

// SweepsOf returns the iteration of a set-up's chains, or else the reason why it is not a sweep over single
// coefficients; ok is false if the set-up is of another package.
func SweepsOf(s infer.Setup) (out *Sweeps, why string, ok bool) {
	switch s := s.(type) {
	case *setup:
		switch {
		case s.target.Scales() > 0:
			return nil, "coefficients under horseshoe priors move with their scales", true
		case len(s.chosen) > 0:
			return nil, "coefficients under spike_slab priors come and go", true
		}
		return sweepsOf(s.target, &s.opts, s.scan)
	case *basisSetup:
		switch {
		case s.opts.Basis != "coordinate":
			return nil, fmt.Sprintf("the coordinates of the basis %s are uncorrelated at the penalised point by construction",
				s.opts.Basis), true
		case s.slow != nil:
			return nil, "updates along slow directions follow each sweep", true
		case s.blocks != nil:
			return nil, "several coefficients move at a time", true
		}
		return sweepsOf(s.target, &s.opts, s.scan)
	case *reducedSetup:
		return nil, "the coordinates of the basis reduced are uncorrelated at the penalised point by construction", true
	case *seenSetup:
		return nil, "the chain moves in the reduced coordinates", true
	case *jointSetup:
		return nil, "all coordinates are proposed at once", true
	case *mixtureSetup:
		return nil, "the basis mixture is made anew in each iteration", true
	case *smoothSetup:
		return nil, "all coefficients move at once with the standard deviations of smooths", true
	}
	return nil, "", false
}

func sweepsOf(t *glm.Target, o *Options, s *scan) (*Sweeps, string, bool) {
	if s.every > 1 {
		return nil, "most iterations update a list of coefficients", true
	}
	return &Sweeps{Target: t, Random: s.random, Times: o.moves()}, "", true
}
