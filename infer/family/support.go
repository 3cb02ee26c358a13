package family

import (
	"fmt"
	"math"
)

// Support is the set of possible responses.
type Support struct {
	Words     string  // "0 or 1"
	limits    string  // what a float64 adds to Words
	Whole     bool    // whole numbers
	Low, High float64 // its ends, which belong to it if they are Whole
	Trials    bool    // High is the number of the row's trials
	Classes   bool    // numbers of classes, from 0 on; with Trials counts of classes
	Ordered   bool    // the classes have an order
	Zero      bool    // Low is 0 and belongs to it too
	One       bool    // and so does High, which is 1
}

// The supports of families.
var (
	real      = &Support{Words: "a finite number", Low: math.Inf(-1), High: math.Inf(1)}
	binary01  = &Support{Words: "0 or 1", Whole: true, High: 1}
	successes = &Support{Words: "a whole number from 0 to its trials", Whole: true, High: maxCount, Trials: true}
	counts    = &Support{Words: "a whole number, 0 or more", Whole: true, High: maxCount}
	positives = &Support{Words: "a number above 0", limits: ", between 1e-150 and 1e150", High: math.Inf(1)}
	classes   = &Support{Words: "the number of a class, from 0 on", Whole: true, High: MostClasses - 1, Classes: true}
	// orderedClasses are classes in their order.
	orderedClasses = &Support{Words: classes.Words, Whole: true, High: MostClasses - 1, Classes: true,
		Ordered: true}
	// countsOfClasses are counts whose sum is the trials of a row.
	countsOfClasses = &Support{Words: successes.Words, Whole: true, High: maxCount, Trials: true, Classes: true}
	// zeros are positives with 0.
	zeros = &Support{Words: "0, or a number above 0", limits: ", from 1e-150 to 1e150", High: math.Inf(1), Zero: true}
	// sharesAndZeros are shares with 0, and sharesAndEnds with 1 too.
	sharesAndZeros = &Support{Words: "a number from 0 to 1, 1 excluded", limits: notBetween, High: 1, Zero: true}
	sharesAndEnds  = &Support{Words: "a number from 0 to 1", limits: notBetween, High: 1, Zero: true, One: true}
	shares         = &Support{Words: "a number between 0 and 1, both excluded", limits: ", and not below 1e-150", High: 1}
)

// notBetween has the limits of shares with zeros.
const notBetween = ", and not between 0 and 1e-150"

// Limits of a response that must not be 0 or 1: the nearest float64 that is allowed.
const (
	LeastPositive = 1e-150
	MostPositive  = 1e150
	MostShare     = 1 - 0x1p-53
)

// MostClasses is the largest number of classes of a response.
const MostClasses = 100

// maxCount is the largest count up to which every whole number is a float64.
const maxCount = 1 << 53

// Probability reports whether the mean of a response, or of one trial, is a probability.
func (s *Support) Probability() bool { return s.Whole && !s.Classes && (s.High == 1 || s.Trials) }

// CountsClasses reports whether a response is how often each class occurs.
func (s *Support) CountsClasses() bool { return s.Classes && s.Trials }

// Counts reports whether responses are counts without an upper end.
func (s *Support) Counts() bool { return s.Whole && !s.Probability() && !s.Classes }

// Positive reports whether responses are measurements above 0, of any size.
func (s *Support) Positive() bool { return !s.Whole && !s.Zero && s.Low == 0 && math.IsInf(s.High, 1) }

// Share reports whether responses are numbers between 0 and 1.
func (s *Support) Share() bool { return !s.Whole && s.Low == 0 && s.High == 1 }

// Unit reports whether the mean of a response, or of one trial, lies between 0 and 1.
func (s *Support) Unit() bool { return s.Probability() || s.Share() }

// Mass reports whether single responses have a probability above 0 at y.
func (s *Support) Mass(y float64) bool { return s.Whole || s.Zero && y == 0 || s.One && y == 1 }

// Range returns the least and the largest float64 of the support, without ends that belong to it.
func (s *Support) Range() (low, high float64) {
	switch {
	case s.Whole:
		return 0, s.High
	case s.Share():
		return LeastPositive, MostShare
	case s.Low == 0:
		return LeastPositive, MostPositive
	}
	return -math.MaxFloat64, math.MaxFloat64
}

// holds reports whether y is a possible response of m trials.
func (s *Support) holds(y, m float64) bool {
	low, high := s.Range()
	if s.Trials {
		high = m
	}
	if s.Zero && y == 0 || s.One && y == 1 {
		return true
	}
	return y >= low && y <= high && (!s.Whole || y == math.Floor(y))
}

// DomainError names an impossible number of a data set.
type DomainError struct {
	What    string // "response", "trials", "offset" or "column …"
	Row     int    // 0-based row of the design
	Value   float64
	Allowed string // what the family allows
}

// Error names the row counted from 1, as people count.
func (e *DomainError) Error() string {
	return fmt.Sprintf("%s, row %d: %v is not allowed: %s", e.What, e.Row+1, e.Value, e.Allowed)
}

// AboveMaxCount reports whether v is a finite number that is too large for a count.
func AboveMaxCount(v float64) bool { return v > maxCount && !math.IsInf(v, 0) }

// Count states what is allowed where v is not: allowed, or the limit of counts that v exceeds.
func Count(v float64, allowed string) string {
	if AboveMaxCount(v) {
		return "counts have a limit of 2^53 = 9007199254740992, above which a float64 cannot hold every whole number"
	}
	return allowed
}

// IsCount reports whether v is a whole number, 0 or more, within the limit of counts.
func IsCount(v float64) bool { return counts.holds(v, 0) }

// CheckResponse checks every response, and the trials of a binomial, against
// the family's domain. The error is a *DomainError for the first bad row, or
// of another type if the lengths disagree or the family is unknown.
func CheckResponse(f Family, y, trials []float64) error {
	if trials != nil && len(trials) != len(y) {
		return fmt.Errorf("family: %d trials for %d responses", len(trials), len(y))
	}
	l := f.Distribution()
	if l == nil {
		return fmt.Errorf("unknown family %q", f.Name)
	}
	for i, v := range y {
		m := 1.0
		if trials != nil {
			m = trials[i]
		}
		if l.Support.Trials && !IsCount(m) {
			return &DomainError{"trials", i, m, Count(m, "the trials of a binomial are a whole number, 0 or more")}
		}
		if !l.Support.holds(v, m) {
			return &DomainError{"response", i, v, l.allowed(v, m)}
		}
	}
	return nil
}

// allowed describes the possible responses of m trials, of which v is not one.
func (l *Distribution) allowed(v, m float64) string {
	s := l.Support
	text := "a " + l.Name + " response is " + s.Words + s.limits
	switch {
	case s.Trials:
		return fmt.Sprintf("a %s response is a whole number from 0 to its %v trials", l.Name, m)
	case s.Counts():
		return Count(v, text)
	}
	return text
}
