package cggibbs

import (
	"encoding/binary"
	"fmt"
	"math"

	"glmbatch/infer/glm"
	"glmbatch/internal/state"
)

// jointStateVersion leads a serialised kernel with joint moves.
//
// Layout, little-endian: version (1 byte), iteration (8), number of parameters (8),
// u and the logs of dispersions (8 each), log likelihood there (8), stream length (1),
// stream; then the proposals that are still in the queue, none where the next
// iteration begins with a guard: coordinates (8 each), log likelihoods, log weights
// (8 each, with their lengths).
const jointStateVersion = 3

// MarshalBinary returns the whole state of the chain: O(k), whatever the number of
// rows, since a guard makes the cached predictor anew and nothing else looks at it.
func (k *jointKernel) MarshalBinary() ([]byte, error) {
	stream, err := k.stream.MarshalBinary()
	if err != nil {
		return nil, err
	}
	if len(stream) > math.MaxUint8 {
		return nil, fmt.Errorf("cggibbs: stream state of %d bytes", len(stream))
	}
	out := []byte{jointStateVersion}
	out = binary.LittleEndian.AppendUint64(out, uint64(k.iteration))
	out = binary.LittleEndian.AppendUint64(out, uint64(k.target.Dim()))
	out = state.AppendFloats(out, k.u)
	out = binary.LittleEndian.AppendUint64(out, math.Float64bits(k.point.Value().LogLik))
	out = append(out, byte(len(stream)))
	out = append(out, stream...)
	if at := k.queued(0); at > 0 {
		out = state.AppendFloats(out, k.queue.u[at*len(k.u):])
		out = state.AppendFloats(out, k.queue.logLik[at:])
		out = state.AppendFloats(out, k.queue.weights[at:])
	}
	return out, nil
}

// UnmarshalBinary restores a state that MarshalBinary wrote, on a kernel fresh
// from an equal Setup. On an error the kernel is as it was.
func (k *jointKernel) UnmarshalBinary(data []byte) error {
	r := state.NewReader("cggibbs", data)
	if version := r.Byte(); r.Err() == nil && version != jointStateVersion {
		return fmt.Errorf("cggibbs: chain state has version %d, joint moves read %d", version, jointStateVersion)
	}
	iteration, parameters := int64(r.Word()), r.Word()
	u := r.Finite(len(k.u), "coordinates")
	logLik := math.Float64frombits(r.Word())
	stream := r.Bytes(int(r.Byte()))
	if r.Err() == nil && iteration < 0 {
		return fmt.Errorf("cggibbs: chain state is damaged: iteration %d", iteration)
	}
	rest, at := queue{}, int(k.decided(iteration, 0)%jointBatch)
	if at > 0 {
		rest.u = r.Finite((jointBatch-at)*len(k.u), "proposed coordinates")
		rest.logLik = r.Floats(jointBatch-at, "log likelihoods of proposals")
		rest.weights = r.Floats(jointBatch-at, "weights of proposals")
	}
	switch {
	case r.Err() != nil:
		return r.Err()
	case r.Rest() > 0:
		return fmt.Errorf("cggibbs: chain state is damaged: %d bytes too many", r.Rest())
	case parameters != uint64(k.target.Dim()):
		return fmt.Errorf("cggibbs: chain state has %d parameters, this fit has %d", parameters, k.target.Dim())
	}
	for _, v := range append(append([]float64{logLik}, rest.logLik...), rest.weights...) {
		if !(v <= math.MaxFloat64) {
			return fmt.Errorf("cggibbs: chain state is damaged: a log density is %v", v)
		}
	}
	if err := plausible([]float64{logLik}, []float64{k.logLikAt(u)}); err != nil {
		return err
	}
	if err := k.stream.UnmarshalBinary(stream); err != nil {
		return err
	}
	k.iteration = iteration
	copy(k.queue.u[at*len(u):], rest.u)
	copy(k.queue.logLik[at:], rest.logLik)
	copy(k.queue.weights[at:], rest.weights)
	point := glm.NewPoint(k.frame.Like)
	point.Place(u, logLik)
	k.point, k.taken = glm.NewCurved(point), -1
	k.arrive()
	return nil
}

// logLikAt returns the log likelihood at a point.
func (k *jointKernel) logLikAt(u []float64) float64 {
	var out [1]float64
	k.batch.LogLiks(u, out[:])
	return out[0]
}
