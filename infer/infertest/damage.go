package infertest

import (
	"bytes"
	"errors"
	"fmt"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
)

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
		s.refuses(fmt.Sprintf("state cut to %d of %d bytes", n, len(state)), state[:n])
	}
	s.refuses("state with a byte more", append(bytes.Clone(state), 0))
	version := bytes.Clone(state)
	version[0] ^= 0x80
	s.refuses("state of another version", version)
	if other, err := s.narrower(); err == nil {
		s.refuses("state of a model with a column less", other)
	}
	rng := infer.NewStream(11, "damage")
	for range 300 {
		flipped := bytes.Clone(state)
		bit := int(rng.Uint64() % uint64(8*len(flipped)))
		flipped[bit/8] ^= 1 << (bit % 8)
		s.survives(fmt.Sprintf("state with bit %d flipped", bit), flipped)
	}
}

// refuses wants an error.
func (s *suite) refuses(what string, state []byte) {
	s.Helper()
	defer s.caught(what)
	if err := s.kernel(2).UnmarshalBinary(state); err == nil {
		s.Errorf("%s was accepted", what)
	}
}

// survives wants no panic.
func (s *suite) survives(what string, state []byte) {
	s.Helper()
	defer s.caught(what)
	k := s.kernel(2)
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
func (s *suite) narrower() ([]byte, error) {
	data, model := *s.target.Data(), *s.target.Model()
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
	setup, err := s.sampler(target)
	if err != nil {
		return nil, err
	}
	k, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(7, "narrower")})
	if err != nil {
		return nil, err
	}
	return k.MarshalBinary()
}
