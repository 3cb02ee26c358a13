package state

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

// inner is a part with a codec of its own.
type inner struct{ text string }

func (p *inner) MarshalBinary() ([]byte, error) { return []byte(p.text), nil }

func (p *inner) UnmarshalBinary(data []byte) error {
	if bytes.Contains(data, []byte("!")) {
		return errors.New("a part is refused")
	}
	p.text = string(data)
	return nil
}

// chain has a part of each kind.
type chain struct {
	Saver
	iteration          int64
	key                uint64
	flags              byte
	labels             []byte
	one                float64
	cache, at, effects []float64
	list               []float64
	short, sized, rest inner
	sum                float64 // of cache and effects
}

func newChain(at ...float64) *chain {
	k := &chain{labels: make([]byte, 2), cache: make([]float64, 2), at: at, effects: make([]float64, 2)}
	k.Saver = NewSaver("x", 3, k.parts)
	return k
}

func (k *chain) parts(c *Codec) {
	flags := c.Flags(k.flags, 3)
	c.Count("iteration", &k.iteration)
	c.Word(&k.key)
	c.Same("rows", len(k.at))
	c.Bytes(k.labels)
	one := c.Float(k.one)
	c.Check(func() error {
		if one < 0 {
			return fmt.Errorf("one is %v", one)
		}
		return nil
	})
	if flags&1 != 0 {
		c.Floats("cached numbers", k.cache)
	}
	c.Finite("places", k.at)
	effects := c.Finite("effects", append([]float64(nil), k.effects...))
	c.Exchange(func() {
		for i := range effects {
			k.effects[i], effects[i] = effects[i], k.effects[i]
		}
	})
	list := c.List("directions", k.list, 3)
	c.Short(&k.short)
	c.Sized(&k.sized)
	c.Rest(&k.rest)
	c.Then(func() { k.flags, k.one, k.list, k.sum = flags, one, list, k.cache[0]+k.effects[0] })
}

// filled is a chain in the middle of its run.
func filled() *chain {
	k := newChain(1, math.Copysign(0, -1), 5e-324)
	k.iteration, k.key, k.flags, k.labels, k.one = 7, math.MaxUint64, 1, []byte{4, 5}, 0.5
	k.cache, k.effects, k.list = []float64{math.Inf(1), 2}, []float64{3, 4}, []float64{8}
	k.short, k.sized, k.rest, k.sum = inner{"short"}, inner{"sized"}, inner{"rest"}, math.Inf(1)
	return k
}

// values prints a chain without its saver.
func values(k *chain) string {
	all := *k
	all.Saver = Saver{}
	return fmt.Sprintf("%+v %v", all, math.Signbit(k.at[1]))
}

func TestRoundTrip(t *testing.T) {
	for _, flags := range []byte{0, 1} {
		from, to := filled(), newChain(0, 0, 0)
		if from.flags = flags; flags == 0 { // the cache is not saved
			from.cache, from.sum = []float64{0, 0}, 3
		}
		data, err := from.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := to.UnmarshalBinary(data); err != nil || values(to) != values(from) {
			t.Errorf("flags %d: %v: read %s, want %s", flags, err, values(to), values(from))
		}
		if again, _ := to.MarshalBinary(); !bytes.Equal(again, data) {
			t.Errorf("flags %d: the state that was read is written in other bytes", flags)
		}
	}
}

// The bytes are little-endian words; lists are led by their lengths.
func TestBytes(t *testing.T) {
	s := NewSaver("x", 9, func(c *Codec) {
		c.Floats("numbers", []float64{1})
		c.Short(&inner{"ab"})
	})
	want := []byte{9, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 2, 'a', 'b'}
	if got, err := s.MarshalBinary(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	s = NewSaver("x", 9, func(c *Codec) { c.Short(&inner{strings.Repeat("a", 256)}) })
	if _, err := s.MarshalBinary(); err == nil || !strings.Contains(err.Error(), "a part of 256 bytes") {
		t.Errorf("a long part: %v", err)
	}
}

// A damaged state is refused, and leaves the chain as it was.
func TestRefused(t *testing.T) {
	saved := func(change func(k *chain)) []byte {
		k := filled()
		change(k)
		data, err := k.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	good := saved(func(*chain) {})
	to := newChain(0, 0, 0)
	before := values(to)
	for what, c := range map[string]struct {
		data []byte
		want string
	}{
		"version":          {append([]byte{4}, good[1:]...), "x: chain state has version 4, this sampler reads 3"},
		"iteration":        {saved(func(k *chain) { k.iteration = -2 }), "x: chain state is damaged: iteration -2"},
		"flags":            {saved(func(k *chain) { k.flags = 9 }), "damaged: flags 0x9"},
		"another length":   {saved(func(k *chain) { k.at = k.at[:2] }), "x: chain state has 2 rows, this fit has 3"},
		"another cache":    {saved(func(k *chain) { k.cache = k.cache[:1] }), "1 cached numbers, this fit has 2"},
		"not finite":       {saved(func(k *chain) { k.at[2] = math.NaN() }), "damaged: one of its places is NaN"},
		"a list too long":  {saved(func(k *chain) { k.list = make([]float64, 4) }), "damaged: 4 directions"},
		"a refused number": {saved(func(k *chain) { k.one = -1 }), "x: chain state is damaged: one is -1"},
		"a refused part":   {saved(func(k *chain) { k.short.text = "!" }), "a part is refused"},
	} {
		err := to.UnmarshalBinary(c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
	for cut := range len(good) - len("rest") {
		if to.UnmarshalBinary(good[:cut]) == nil {
			t.Errorf("%d of %d bytes are taken", cut, len(good))
		}
	}
	if now := values(to); now != before {
		t.Errorf("refused states have changed the chain from %s to %s", before, now)
	}
	s := NewSaver("x", 1, func(*Codec) {})
	if err := s.UnmarshalBinary([]byte{1, 2}); err == nil || !strings.Contains(err.Error(), "1 bytes too many") {
		t.Errorf("a longer state: %v", err)
	}
}
