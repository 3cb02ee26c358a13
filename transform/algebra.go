package transform

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// term is one term of the linear predictor: the variables that it multiplies,
// as indices in increasing order. Several are an interaction.
type term []int

// key tells terms apart.
func (t term) key() string {
	b := make([]byte, 0, 2*len(t))
	for _, v := range t {
		b = binary.AppendUvarint(b, uint64(v))
	}
	return string(b)
}

// union is the term of all variables of two terms: a:a is a.
func (t term) union(u term) term {
	out := slices.Concat(t, u)
	slices.Sort(out)
	return slices.Compact(out)
}

// contains reports whether the term has all variables of another.
func (t term) contains(u term) bool {
	for _, v := range u {
		if _, found := slices.BinarySearch(t, v); !found {
			return false
		}
	}
	return true
}

// termSet is a set of terms that remembers their order.
type termSet struct {
	terms []term
	at    map[string]int // key → index into terms; absent once removed
}

func (s *termSet) add(t term) {
	if s.at == nil {
		s.at = make(map[string]int)
	}
	key := t.key()
	if _, there := s.at[key]; there {
		return
	}
	s.at[key] = len(s.terms)
	s.terms = append(s.terms, t)
}

func (s *termSet) remove(t term) { delete(s.at, t.key()) }

// live returns the terms that were not removed, in order.
func (s *termSet) live() []term {
	var out []term
	for i, t := range s.terms {
		if j, there := s.at[t.key()]; there && i == j {
			out = append(out, t)
		}
	}
	return out
}

// byDegree sorts terms as R does: main effects, then pairs, and so on, each in
// the order in which they came.
func byDegree(terms []term) []term {
	slices.SortStableFunc(terms, func(a, b term) int { return len(a) - len(b) })
	return terms
}

// maxTerms bounds the work that crossings ask for.
const maxTerms = 1 << 20

// cross evaluates an operator between two sets of terms by R's rules:
//
//	a:b     every term of a with every term of b
//	a*b     a + b + a:b
//	a/b     a + each term of b with all variables of a
//	a%in%b  each term of a with all variables of b
func (s *selector) cross(n *node, added bool) (*termSet, error) {
	left, err := s.inner(n.args[0], added)
	if err != nil {
		return nil, err
	}
	right, err := s.inner(n.args[1], added)
	if err != nil {
		return nil, err
	}
	set := new(termSet)
	if n.text == "*" || n.text == "/" {
		for _, t := range left {
			set.add(t)
		}
	}
	switch n.text {
	case "*":
		for _, t := range right {
			set.add(t)
		}
	case "/":
		left = together(left)
	case "%in%":
		right = together(right)
	}
	return set, s.product(set, n.pos, left, right)
}

// together makes one term of all variables of some terms.
func together(terms []term) []term {
	if len(terms) == 0 {
		return nil
	}
	var all term
	for _, t := range terms {
		all = all.union(t)
	}
	return []term{all}
}

// product adds every term of left with every term of right.
func (s *selector) product(set *termSet, pos int, left, right []term) error {
	if s.work += len(left) * len(right); s.work > maxTerms {
		return s.fail(pos, fmt.Sprintf("the formula makes more than %d terms", maxTerms), "cross fewer columns")
	}
	for _, t := range left {
		for _, u := range right {
			set.add(t.union(u))
		}
	}
	return nil
}

// inner evaluates an operand of a crossing, where offsets have no place.
func (s *selector) inner(n *node, added bool) ([]term, error) {
	s.crossing++
	set, err := s.terms(n, added)
	s.crossing--
	if err != nil {
		return nil, err
	}
	return set.live(), nil
}

// maxPower is the largest exponent of a crossing.
const maxPower = 20

// crossed evaluates (a + b)^k: all crossings of k terms at most.
func (s *selector) crossed(n *node, added bool) (*termSet, error) {
	k, ok := n.args[1].number()
	if !ok || k < 1 || k > maxPower || k != float64(int(k)) {
		return nil, s.fail(n.args[1].pos, fmt.Sprintf("the power of terms is a whole number from 1 to %d", maxPower),
			"a square of numbers is written I(x^2)")
	}
	base, err := s.inner(n.args[0], added)
	if err != nil {
		return nil, err
	}
	set := new(termSet)
	for _, t := range base {
		set.add(t)
	}
	for range int(k) - 1 {
		next := new(termSet)
		if err := s.product(next, n.pos, base, set.live()); err != nil {
			return nil, err
		}
		if len(next.terms) == len(set.terms) {
			break
		}
		set = next
	}
	return set, nil
}
