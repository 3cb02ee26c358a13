package cggibbs

import (
	"math"
	"strings"

	"glmbatch/infer"
)

// tune rounds the subspaces and finds their step sizes, in a pilot from the penalised point.
func (s *basisSetup) tune() error {
	k, peak := s.fresh(infer.NewStream(0, "cggibbs", "subspace")), s.target.Penalised()
	k.place(peak[:s.target.Cols()], peak[s.target.Cols():])
	err := s.reround(k, func(h [][]float64) bool {
		for i, d := range s.subspaces {
			d.addCurvature(k.point.Point, h[i])
		}
		return true
	})
	if err != nil {
		return err
	}
	k.layMoves()
	err = s.reround(k, func(h [][]float64) bool {
		for i := range curvatureSettle + curvatureSweeps {
			if !k.sweep() {
				return false
			}
			for c, d := range s.subspaces {
				if i >= curvatureSettle {
					d.addCurvature(k.point.Point, h[c])
				}
			}
		}
		for c := range h {
			for at := range h[c] {
				h[c][at] /= curvatureSweeps
			}
		}
		return true
	})
	if err != nil {
		return err
	}
	k.layMoves()
	s.tuneSteps(k)
	var words []string
	for _, d := range s.subspaces {
		words = append(words, d.words())
	}
	s.words += ", then " + strings.Join(words, ", then ")
	return nil
}

// reround rounds the subspaces by curvatures that are to be found; they stay where these are not.
func (s *basisSetup) reround(k *basisKernel, find func(h [][]float64) bool) error {
	h := make([][]float64, len(s.subspaces))
	for i, d := range s.subspaces {
		h[i] = make([]float64, d.size*d.size)
	}
	if !find(h) {
		return nil
	}
	for i, d := range s.subspaces {
		if err := d.round(s.target, h[i]); err != nil {
			return err
		}
	}
	return nil
}

// tuneSteps lessens step sizes until enough of the steps are accepted.
func (s *basisSetup) tuneSteps(k *basisKernel) {
	for range stepTrials {
		for _, m := range k.jointly {
			m.transitions, m.accepted = 0, 0
		}
		for range stepSweeps {
			if !k.sweep() {
				return
			}
		}
		enough := true
		for i, d := range s.subspaces {
			m := k.jointly[i]
			d.accepted = m.accepted / math.Max(1, float64(m.transitions))
			if d.gram == nil && d.accepted < stepAccepted {
				d.step *= stepFactor
				enough = false
			}
		}
		if enough {
			return
		}
	}
}
