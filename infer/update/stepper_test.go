package update_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/update"
)

// chain notes the moves that it makes.
type chain struct {
	update.Stepper
	made []string
	fail string // the move that fails
}

func (k *chain) moves(names ...string) (out update.Moves) {
	for _, name := range names {
		out = append(out, func() bool {
			k.made = append(k.made, name)
			k.Touched++
			return name != k.fail || k.Fail(name, math.Inf(1))
		})
	}
	return out
}

func newChain() *chain {
	k := &chain{}
	k.Updates = update.Schedule{First: k.moves("a"), Each: k.moves("b", "c"), Last: k.moves("d")}
	return k
}

func TestSchedule(t *testing.T) {
	k := newChain()
	if !k.Run(&k.Updates, 2) || !slices.Equal(k.made, []string{"a", "b", "c", "b", "c", "d"}) {
		t.Errorf("two turns made %v", k.made)
	}
	if info, err := k.Step(); err != nil || info.Touched != 4 || k.Iteration != 2 {
		t.Errorf("after two iterations: %+v, %v, iteration %d; want the effort of one turn", info, err, k.Iteration)
	}
}

// A failed move ends the iteration, which does not count.
func TestFailure(t *testing.T) {
	for fail, made := range map[string]int{"a": 1, "b": 2, "d": 4} {
		k := newChain()
		k.fail = fail
		_, err := k.Step()
		var bad *update.NonFiniteError
		if !errors.As(err, &bad) || bad.Parameter != fail || !math.IsInf(bad.Value, 1) || len(k.made) != made || k.Iteration != 0 {
			t.Errorf("move %s fails: %v after %v, iteration %d", fail, err, k.made, k.Iteration)
		}
		k.fail = ""
		if _, err := k.Step(); err != nil || k.Iteration != 1 {
			t.Errorf("after a failure: %v, iteration %d", err, k.Iteration)
		}
	}
}

func TestEffort(t *testing.T) {
	k := &chain{}
	broken := error(nil)
	part := func() bool {
		k.Accept = 0.25
		return k.Take(infer.Info{Evaluations: 3, Touched: 5}, broken)
	}
	proposals := func() bool {
		k.Tally(0.5)
		k.Tally(1)
		return true
	}
	k.Updates.First = update.Moves{part}
	if info, err := k.Step(); err != nil || info != (infer.Info{Evaluations: 3, Touched: 5, Accept: 0.25}) {
		t.Errorf("a part: %+v, %v", info, err)
	}
	k.Updates.Last = update.Moves{proposals}
	if info, err := k.Step(); err != nil || info != (infer.Info{Evaluations: 5, Touched: 5, Accept: 0.75}) {
		t.Errorf("a part and proposals: %+v, %v", info, err)
	}
	broken = errors.New("broken")
	if _, err := k.Step(); err != broken {
		t.Errorf("the error of a part: %v", err)
	}
}
