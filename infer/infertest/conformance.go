package infertest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
)

// steps is the length of the chains that Conformance compares.
const steps = 60

// Conformance checks the contract of a sampler, exactly, on one posterior. It has no false alarms.
//
// Power: it sees a difference of one bit in a position or an Info within 60
// iterations, from each of them on.
func Conformance(t TB, target *glm.Target, sampler Sampler) {
	t.Helper()
	setup, err := sampler(target)
	if err != nil {
		t.Fatalf("setup: %v", err)
		return
	}
	data, model := target.Data(), target.Model()
	Conforms(t, setup, Posterior{Parameters: target.Parameters(),
		LogDensity: func(theta []float64) (logLik, logPrior float64) { return logDensity(data, model, theta) },
		Other:      func() ([]byte, error) { return narrower(target, sampler) }})
}

// Posterior describes the posterior of a setup for Conforms.
type Posterior struct {
	Parameters []infer.Parameter
	// LogDensity returns log likelihood and log prior density at a position, as in Info.
	LogDensity func(theta []float64) (logLik, logPrior float64)
	// Other returns the state of a chain of another posterior, as that without the last column; an error where there
	// is none.
	Other func() ([]byte, error)
}

// Conforms is Conformance of any posterior.
func Conforms(t TB, setup infer.Setup, of Posterior) {
	t.Helper()
	s := &suite{TB: t, Posterior: of, setup: setup}
	s.parameters()
	serial := make([][]trace, 3)
	for c := range serial {
		serial[c] = s.run(s.kernel(c), steps)
	}
	s.repeatable(serial)
	s.concurrent(serial)
	s.resumes(serial[0])
	s.damage()
	s.densities(serial)
	s.moves(serial)
}

// suite is one run of Conformance.
type suite struct {
	TB
	Posterior
	setup infer.Setup
}

// trace is one iteration.
type trace struct {
	position []float64
	info     infer.Info
}

// differs reports whether two iterations differ by a bit.
func (a trace) differs(b trace) bool {
	for i, v := range a.position {
		if math.Float64bits(v) != math.Float64bits(b.position[i]) {
			return true
		}
	}
	return a.info != b.info
}

// kernel starts chain c of 3.
func (s *suite) kernel(c int) infer.Kernel {
	k, err := s.setup.Kernel(infer.Chain{Index: c, Count: 3, Stream: infer.NewStream(7, "conformance", strconv.Itoa(c))})
	if err != nil {
		s.Fatalf("chain %d: %v", c, err)
	}
	return k
}

// position reads the current point of k.
func (s *suite) position(k infer.Kernel) []float64 {
	p := make([]float64, len(s.setup.Parameters()))
	k.Position(p)
	return p
}

// run advances k and returns what it saw. It must not call Fatalf: it also
// runs in goroutines.
func (s *suite) run(k infer.Kernel, n int) []trace {
	out := make([]trace, n)
	for i := range out {
		info, err := k.Step()
		if err != nil {
			s.Errorf("iteration %d: %v", i, err)
			return out[:i]
		}
		out[i] = trace{s.position(k), info}
	}
	return out
}

// same reports the first iteration at which two chains differ.
func (s *suite) same(what string, got, want []trace) {
	s.Helper()
	if len(got) != len(want) {
		s.Errorf("%s: %d iterations, want %d", what, len(got), len(want))
		return
	}
	for i := range got {
		if got[i].differs(want[i]) {
			s.Errorf("%s: iteration %d is %v with %+v, want %v with %+v",
				what, i, got[i].position, got[i].info, want[i].position, want[i].info)
			return
		}
	}
}

func (s *suite) parameters() {
	got, want := s.setup.Parameters(), s.Parameters
	if fmt.Sprint(got) != fmt.Sprint(want) {
		s.Errorf("parameters %v, want %v", got, want)
	}
	k := s.kernel(0)
	if k.Start() == "" {
		s.Errorf("Start says nothing")
	}
	first := s.position(k)
	for j := range first {
		first[j]++
	}
	if again := s.position(k); again[0] == first[0] {
		s.Errorf("Position hands out the kernel's own memory")
	}
}

func (s *suite) repeatable(serial [][]trace) {
	s.same("a second chain with the same stream", s.run(s.kernel(1), steps), serial[1])
	if len(serial[0]) > 0 && len(serial[1]) > 0 && !serial[0][0].differs(serial[1][0]) {
		s.Errorf("two chains with different streams are the same")
	}
	again, err := s.setup.Kernel(infer.Chain{Index: 0, Count: 3, Stream: infer.NewStream(7, "conformance", "0")})
	if err == nil && fmt.Sprint(s.position(again)) != fmt.Sprint(s.position(s.kernel(0))) {
		s.Errorf("the start of a chain is not fixed by its index and stream")
	}
}

// concurrent runs all chains at once, where under -race it also finds shared memory, and
// then in turn: chains as short as these may end before others begin.
func (s *suite) concurrent(serial [][]trace) {
	got, turns := make([][]trace, len(serial)), make([][]trace, len(serial))
	var wg sync.WaitGroup
	for c := range serial {
		k := s.kernel(c)
		wg.Go(func() { got[c] = s.run(k, steps) })
	}
	wg.Wait()
	kernels := make([]infer.Kernel, len(serial))
	for c := range kernels {
		kernels[c] = s.kernel(c)
	}
	for range steps {
		for c, k := range kernels {
			turns[c] = append(turns[c], s.run(k, 1)...)
		}
	}
	for c := range serial {
		s.same(fmt.Sprintf("chain %d beside others", c), got[c], serial[c])
		s.same(fmt.Sprintf("chain %d in turn with others", c), turns[c], serial[c])
	}
}

// fresh is the number of restored kernels that are new; the others are restored again, after they were elsewhere.
const fresh = 6

// resumes saves the chain at every iteration, the start included, restores it
// in a kernel that has been elsewhere, and compares the rest.
func (s *suite) resumes(want []trace) {
	if len(want) < steps {
		return
	}
	k := s.kernel(0)
	var other infer.Kernel
	for i := 0; ; i++ {
		state, err := k.MarshalBinary()
		if err != nil {
			s.Errorf("saving at iteration %d: %v", i, err)
			return
		}
		if twice, err := k.MarshalBinary(); err != nil || !bytes.Equal(state, twice) {
			s.Errorf("saving at iteration %d: two saves differ, error %v", i, err)
		}
		if i < fresh {
			other, err = s.setup.Kernel(infer.Chain{Index: 1, Count: 3, Stream: infer.NewStream(9, "elsewhere")})
			if err != nil {
				s.Fatalf("kernel: %v", err)
			}
		}
		s.run(other, i%3)
		if err := other.UnmarshalBinary(bytes.Clone(state)); err != nil {
			s.Errorf("restoring at iteration %d: %v", i, err)
			return
		}
		if i > 0 && fmt.Sprint(s.position(other)) != fmt.Sprint(want[i-1].position) {
			s.Errorf("restoring at iteration %d: position %v, want %v", i, s.position(other), want[i-1].position)
		}
		s.same(fmt.Sprintf("restored at iteration %d", i), s.run(other, min(12, steps-i)), want[i:min(i+12, steps)])
		if i == steps-1 {
			return
		}
		// The saved chain itself must continue undisturbed.
		s.same(fmt.Sprintf("saved at iteration %d and continued", i), s.run(k, 1), want[i:i+1])
	}
}

// densities compares Info with the package's own densities of the position.
func (s *suite) densities(serial [][]trace) {
	for c, chain := range serial {
		for i, it := range chain {
			logLik, logPrior := s.LogDensity(it.position)
			if off(it.info.LogLik, logLik) || off(it.info.LogPrior, logPrior) {
				s.Errorf("chain %d, iteration %d: Info has log likelihood %v and log prior %v, the position has %v and %v",
					c, i, it.info.LogLik, it.info.LogPrior, logLik, logPrior)
				return
			}
		}
	}
}

// off reports whether two log densities differ by more than rounding: 1e-8, or
// 1e-10 of a large one.
func off(a, b float64) bool {
	return !(math.Abs(a-b) <= max(1e-8, 1e-10*math.Abs(b)))
}

// moves checks that every coordinate moves in every chain, and stays finite.
func (s *suite) moves(serial [][]trace) {
	for c, chain := range serial {
		for j, p := range s.setup.Parameters() {
			moved := false
			for i, it := range chain {
				if math.IsNaN(it.position[j]) || math.IsInf(it.position[j], 0) {
					s.Errorf("chain %d, iteration %d: %s is %v", c, i, p.Name, it.position[j])
					return
				}
				moved = moved || it.position[j] != chain[0].position[j]
			}
			if !moved {
				s.Errorf("chain %d: %s did not move in %d iterations", c, p.Name, steps)
			}
		}
	}
}

// damage feeds damaged states to UnmarshalBinary: an error is wanted where the
// damage can be recognised, and never a panic, not even in the steps after.
func (s *suite) damage() {
	k := s.kernel(2)
	s.run(k, 5)
	state, err := k.MarshalBinary()
	if err != nil {
		s.Errorf("saving: %v", err)
		return
	}
	for n := range state {
		s.refuses(k, fmt.Sprintf("state cut to %d of %d bytes", n, len(state)), state[:n])
	}
	s.refuses(k, "state with a byte more", append(bytes.Clone(state), 0))
	version := bytes.Clone(state)
	version[0] ^= 0x80
	s.refuses(k, "state of another version", version)
	if other, err := s.Other(); err == nil {
		s.refuses(k, "state of a model with a column less", other)
	}
	rng := infer.NewStream(11, "damage")
	for range 300 {
		flipped := bytes.Clone(state)
		bit := int(rng.Uint64() % uint64(8*len(flipped)))
		flipped[bit/8] ^= 1 << (bit % 8)
		s.survives(k, fmt.Sprintf("state with bit %d flipped", bit), flipped)
	}
}

// refuses wants an error.
func (s *suite) refuses(k infer.Kernel, what string, state []byte) {
	s.Helper()
	defer s.caught(what)
	if err := k.UnmarshalBinary(state); err == nil {
		s.Errorf("%s was accepted", what)
	}
}

// survives wants no panic.
func (s *suite) survives(k infer.Kernel, what string, state []byte) {
	s.Helper()
	defer s.caught(what)
	if k.UnmarshalBinary(state) != nil {
		return
	}
	for range 3 {
		if _, err := k.Step(); err != nil {
			return
		}
	}
}

// caught turns a panic of the sampler into a verdict.
func (s *suite) caught(what string) {
	if p := recover(); p != nil {
		if _, ok := p.(stop); ok {
			panic(p)
		}
		s.Errorf("%s: panic: %v", what, p)
	}
}

// narrower returns the state of a chain of the same posterior without its last
// column.
func narrower(of *glm.Target, sampler Sampler) ([]byte, error) {
	data, model := *of.Data(), *of.Model()
	d := data.Cols() - 1
	if d < 1 {
		return nil, errors.New("a single column")
	}
	x := design.ToDense(data.X)
	data.X = &design.Dense{Rows: x.Rows, Cols: d, Values: x.Values[:d*x.Rows]}
	if data.Names != nil {
		data.Names = data.Names[:d]
	}
	if data.Intercept >= d {
		data.Intercept = -1
	}
	model.Coefficients = model.Coefficients[:d]
	target, err := glm.NewTarget(&data, model)
	if err != nil {
		return nil, err
	}
	setup, err := sampler(target)
	if err != nil {
		return nil, err
	}
	k, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(7, "narrower")})
	if err != nil {
		return nil, err
	}
	return k.MarshalBinary()
}
