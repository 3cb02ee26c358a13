package infertest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"sync"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
)

// Flaw is a fault of the reference sampler that no wrapper can plant.
type Flaw string

// The flaws of Reference.
const (
	Sound      Flaw = ""
	StaleCache Flaw = "stale cache"       // moves of column 1 do not reach eta
	NoJacobian Flaw = "no sigma Jacobian" // log sigma is moved as if it were sigma
	NoOffset   Flaw = "no offset"         // eta is X·beta alone
	NoReject   Flaw = "no rejection"      // proposals are always accepted
	Stuck      Flaw = "stuck coordinate"  // the last parameter is never moved
	LostCache  Flaw = "cache not saved"   // a restored chain has another eta
	LostStream Flaw = "stream not saved"  // a restored chain has another stream
	BadSlices  Flaw = "unchecked state"   // damaged states panic
	Disturbing Flaw = "disturbing save"   // saving a chain moves its stream
	Shared     Flaw = "shared state"      // chains of one setup share their position
)

// Reference returns the plainest sampler there is, with one flaw or none:
// random-walk Metropolis, one coordinate at a time, on a cached eta. It is the
// control of this package's checks and carries their planted faults. Its
// densities are this package's own, not infer/glm's.
//
// Source: Metropolis et al. (1953), doi:10.1063/1.1699114.
func Reference(flaw Flaw) Sampler {
	return func(target *glm.Target) (infer.Setup, error) {
		return &referenceSetup{target: target, flaw: flaw, shared: make([]float64, target.Dim())}, nil
	}
}

type referenceSetup struct {
	target *glm.Target
	flaw   Flaw
	mutex  sync.Mutex // -race would find a race before any check
	shared []float64
}

func (s *referenceSetup) Parameters() []infer.Parameter { return s.target.Parameters() }

func (s *referenceSetup) Kernel(c infer.Chain) (infer.Kernel, error) {
	dim, n := s.target.Dim(), s.target.Rows()
	k := &reference{referenceSetup: s, rng: c.Stream, theta: make([]float64, dim), eta: make([]float64, n),
		newTheta: make([]float64, dim), newEta: make([]float64, n)}
	start := make([]float64, dim)
	for j, p := range s.target.Model().Coefficients {
		start[j] = p.Location + max(p.Scale, 1)*variate.Normal(c.Stream)
		if p.Kind == prior.Uniform {
			start[j] = drawPrior(p, c.Stream)
		}
	}
	if d := s.target.Cols(); dim > d {
		start[d] = math.Exp(variate.Normal(c.Stream))
	}
	return k, k.SetPosition(start)
}

type reference struct {
	*referenceSetup
	rng              *infer.Stream
	theta, eta       []float64
	logLik, logPrior float64 // at (theta, eta)
	newTheta, newEta []float64
}

func (k *reference) Start() string          { return "normal around the prior's location" }
func (k *reference) Position(dst []float64) { copy(dst, k.theta) }

// SetPosition makes theta the current point.
func (k *reference) SetPosition(theta []float64) error {
	copy(k.theta, theta)
	k.refresh()
	k.share(k.shared, k.theta)
	return nil
}

// share exchanges the position with the other chains, if that is the flaw.
func (k *reference) share(dst, src []float64) {
	if k.flaw == Shared {
		k.mutex.Lock()
		copy(dst, src)
		k.mutex.Unlock()
	}
}

// refresh computes eta and the densities from theta.
func (k *reference) refresh() {
	data := *k.target.Data()
	if k.flaw == NoOffset {
		data.Offset = nil
	}
	copy(k.eta, predictor(&data, k.theta))
	k.logLik, k.logPrior = k.densities(k.eta, k.theta)
}

// Step proposes a move of every coordinate in turn.
func (k *reference) Step() (infer.Info, error) {
	if k.flaw == Shared {
		k.share(k.theta, k.shared)
		k.refresh()
	}
	d := k.target.Cols()
	accepted := 0
	for j := range k.theta {
		if k.flaw == Stuck && j == len(k.theta)-1 {
			break
		}
		width := 1.0
		if j < d && k.target.Model().Coefficients[j].Kind == prior.Normal {
			width = k.target.Model().Coefficients[j].Scale
		}
		if j == d {
			width = 0.7
		}
		if k.move(j, width*variate.Normal(k.rng)) {
			accepted++
		}
	}
	k.share(k.shared, k.theta)
	return infer.Info{LogLik: k.logLik, LogPrior: k.logPrior, Accept: float64(accepted) / float64(len(k.theta))}, nil
}

// move proposes a change of coordinate j, on the log scale for sigma.
func (k *reference) move(j int, delta float64) bool {
	data, d := k.target.Data(), k.target.Cols()
	copy(k.newTheta, k.theta)
	copy(k.newEta, k.eta)
	jacobian := 0.0
	if j < d {
		k.newTheta[j] += delta
		for i, x := range data.X.Col(j) {
			k.newEta[i] += delta * x
		}
	} else {
		k.newTheta[j] *= math.Exp(delta)
		if k.flaw != NoJacobian {
			jacobian = delta
		}
	}
	logLik, logPrior := k.densities(k.newEta, k.newTheta)
	ratio := logLik + logPrior - k.logLik - k.logPrior + jacobian
	if u := k.rng.Float64(); !(math.Log(u) < ratio) && k.flaw != NoReject {
		return false
	}
	copy(k.theta, k.newTheta)
	if k.flaw == StaleCache && j == 1 {
		k.logPrior = logPrior
		return true
	}
	copy(k.eta, k.newEta)
	k.logLik, k.logPrior = logLik, logPrior
	return true
}

// densities evaluates at a given eta rather than at X·beta.
func (k *reference) densities(eta, theta []float64) (logLik, logPrior float64) {
	data, model := k.target.Data(), k.target.Model()
	disp := model.DispersionsAt(theta[data.Cols():])
	for k := range model.Family.Dispersions() {
		if p := model.DispersionPrior(k); p.Kind != prior.Constant {
			logPrior += priorDensity(p, disp[k])
		}
	}
	for j, p := range model.Coefficients {
		logPrior += priorDensity(p, theta[j])
	}
	for i, e := range eta {
		logLik += countedDensity(data, model.Family, i, e, disp)
	}
	return logLik, logPrior
}

// MarshalBinary writes a version, theta, eta and the stream.
func (k *reference) MarshalBinary() ([]byte, error) {
	if k.flaw == Disturbing {
		k.rng.Float64()
	}
	out := []byte{1}
	for _, v := range append(append([]float64(nil), k.theta...), k.eta...) {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	stream, err := k.rng.MarshalBinary()
	return append(out, stream...), err
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (k *reference) UnmarshalBinary(data []byte) error {
	size := 1 + 8*(len(k.theta)+len(k.eta))
	if k.flaw != BadSlices && (len(data) < size || data[0] != 1) {
		return errors.New("infertest: no state of this chain")
	}
	stream := new(infer.Stream)
	if err := stream.UnmarshalBinary(data[size:]); err != nil {
		return err
	}
	if again, err := stream.MarshalBinary(); err != nil || !bytes.Equal(again, data[size:]) {
		return errors.New("infertest: state with bytes left over")
	}
	values := make([]float64, len(k.theta)+len(k.eta))
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[1+8*i:]))
	}
	copy(k.theta, values)
	if k.flaw != LostCache {
		copy(k.eta, values[len(k.theta):])
	}
	k.logLik, k.logPrior = k.densities(k.eta, k.theta)
	k.share(k.shared, k.theta)
	if k.flaw != LostStream {
		*k.rng = *stream
	}
	return nil
}
