package impute

import (
	"encoding/binary"
	"fmt"

	"glmbatch/internal/state"
)

// stateVersion leads a serialised kernel.
//
// Layout, little-endian: version (1 byte), iteration (8), then z of the missing cells, column by column, the
// coefficients of each gaussian model with log sigma, the missing responses (each a number of numbers, 8, and these, 8
// each); then the chains of the other models (length, 8, and bytes), with the stream in each.
const stateVersion = 1

// MarshalBinary returns the whole state of the chain.
func (k *kernel) MarshalBinary() ([]byte, error) {
	out := []byte{stateVersion}
	out = binary.LittleEndian.AppendUint64(out, uint64(k.iteration))
	y := k.system
	for c, cells := range k.cells {
		z := make([]float64, len(cells))
		for i, q := range cells {
			z[i] = k.z[int(q)*y.width+y.first+c]
		}
		out = state.AppendFloats(out, z)
	}
	for _, f := range k.fits {
		out = state.AppendFloats(out, append(append([]float64(nil), f.alpha...), f.logSigma))
	}
	out = state.AppendFloats(out, k.predicted)
	for _, r := range k.readers {
		data, err := r.chain.MarshalBinary()
		if err != nil {
			return nil, err
		}
		out = binary.LittleEndian.AppendUint64(out, uint64(len(data)))
		out = append(out, data...)
	}
	return out, nil
}

// UnmarshalBinary restores a state that MarshalBinary wrote, on a kernel fresh from an equal Setup. After an error the
// kernel is not to be used.
func (k *kernel) UnmarshalBinary(data []byte) error {
	r := state.NewReader("impute", data)
	if version := r.Byte(); r.Err() == nil && version != stateVersion {
		return fmt.Errorf("impute: chain state has version %d, this program reads %d", version, stateVersion)
	}
	iteration := int64(r.Word())
	y := k.system
	for c, cells := range k.cells {
		z := r.Finite(len(cells), "cells")
		if r.Err() != nil {
			return r.Err()
		}
		for i, q := range cells {
			if u := z[i] + y.centre[c]; !k.problem.Columns[c].inside(u) || k.problem.Columns[c].Levels != nil &&
				(u < 0 || u >= float64(len(k.problem.Columns[c].Levels))) {
				return fmt.Errorf("impute: chain state is damaged: a cell of %v", u)
			}
			k.z[int(q)*y.width+y.first+c] = z[i]
			y.spell(k.z[int(q)*y.width : int(q+1)*y.width])
		}
	}
	for i := range k.fits {
		f := &k.fits[i]
		v := r.Finite(len(f.alpha)+1, "coefficients")
		if r.Err() != nil {
			return r.Err()
		}
		copy(f.alpha, v)
		f.logSigma = v[len(f.alpha)]
	}
	predicted := r.Floats(len(k.predicted), "responses")
	if r.Err() != nil {
		return r.Err()
	}
	if iteration < 0 {
		return fmt.Errorf("impute: chain state is damaged: iteration %d", iteration)
	}
	copy(k.predicted, predicted)
	k.rewriteAll()
	for _, q := range k.readers {
		length := r.Word()
		if length > uint64(r.Rest()) {
			return fmt.Errorf("impute: chain state is damaged: a part of %d bytes", length)
		}
		if err := q.chain.UnmarshalBinary(r.Bytes(int(length))); err != nil {
			return err
		}
		q.arrive()
	}
	switch {
	case r.Err() != nil:
		return r.Err()
	case r.Rest() > 0:
		return fmt.Errorf("impute: chain state is damaged: %d bytes too many", r.Rest())
	}
	y.precision(k.fits, k.q)
	k.iteration = iteration
	return nil
}
