package system

import (
	"fmt"
	"strconv"

	"glmbatch/discrete/mrf"
	"glmbatch/internal/words"
)

// Variables are the variables of a data set, with their names.
type Variables struct {
	Name string // the data set, for errors
	N    int    // variables
	// Rows and Columns are those of an image or grid, row by row; 0 of other data.
	Rows, Columns int
	IDs           []string         // nil: by number from 1, or by row and column
	Index         map[string]int32 // of IDs
}

// Field is a discrete Markov random field with the names of a data set and a model: what its samplers share.
type Field struct {
	*Variables
	ModelName   string // for errors
	Model       mrf.Model
	Interaction string // what joins neighbours: ising, potts or tables
	Edges       int
	States      int
	Labels      []string // of states
	// Observation is NaN if there is none, Truth −1 if it is unknown; both may be nil.
	Observation []float64
	Truth       []int16
	Watched     []int // variables whose states are kept
	Hash        string
	Words       string // the model as text
}

// ID names variable i: by its id, by its row and column in an image, or by its number, all
// from 1.
func (v *Variables) ID(i int) string {
	switch {
	case v.IDs != nil:
		return v.IDs[i]
	case v.Rows > 0:
		return strconv.Itoa(i/v.Columns+1) + "," + strconv.Itoa(i%v.Columns+1)
	}
	return strconv.Itoa(i + 1)
}

// Variable is the number of the variable with an id.
func (v *Variables) Variable(id string) (int, bool) {
	if v.IDs != nil {
		i, ok := v.Index[id]
		return int(i), ok
	}
	var r, c int
	if v.Rows > 0 {
		n, err := fmt.Sscanf(id, "%d,%d", &r, &c)
		if n != 2 || err != nil || r < 1 || r > v.Rows || c < 1 || c > v.Columns || v.ID((r-1)*v.Columns+c-1) != id {
			return 0, false
		}
		return (r-1)*v.Columns + c - 1, true
	}
	i, err := strconv.Atoi(id)
	return i - 1, err == nil && i >= 1 && i <= v.N && strconv.Itoa(i) == id
}

// maxKnown bounds the ids among which the nearest right one is sought.
const maxKnown = 10_000

// IDsHint says how variables are called.
func (v *Variables) IDsHint(id string) string {
	switch {
	case v.IDs != nil:
		return words.DidYouMean(id, "ids", v.IDs[:min(len(v.IDs), maxKnown)])
	case v.Rows > 0:
		return fmt.Sprintf("variables are called by row and column, from '1,1' to '%d,%d'", v.Rows, v.Columns)
	}
	return fmt.Sprintf("variables are called 1 to %d", v.N)
}

// Explain names the data set and the model in an error of the numeric core.
func (f *Field) Explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("dataset %q, model %q: %w", f.Name, f.ModelName, err)
}
