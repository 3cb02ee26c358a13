package transform

import (
	"fmt"
	"strings"

	"glmbatch/infer/glm"
	"glmbatch/internal/words"
)

// dependent warns of columns that are linear combinations of others, apart from constant columns, copies and the
// penalised columns of smooths, which have warnings of their own. See glm.Dependences for its cost.
func (b *builder) dependent() error {
	var columns []int
	for j, p := range b.plan {
		if p.term < 0 || !p.asIs && !b.unit[j].constant && !b.copies[j] {
			columns = append(columns, j)
		}
	}
	var found []string
	for _, d := range glm.Dependences(b.out.Data.X, columns) {
		var of []string
		for _, j := range d.Of {
			if b.plan[j].term >= 0 {
				of = append(of, b.plan[j].name)
			}
		}
		found = append(found, fmt.Sprintf("%s of %s", b.plan[d.Column].name, words.List(of)))
	}
	if len(found) == 0 {
		return nil
	}
	const most = 6
	text := strings.Join(found[:min(most, len(found))], "; ")
	if len(found) > most {
		text += fmt.Sprintf("; and %d more", len(found)-most)
	}
	b.warn("%d of %d columns are linear combinations of others (%s): the data determine only sums of these "+
		"coefficients, and the prior divides the sums", len(found), len(b.plan)-b.intercepts(), text)
	return nil
}
