package assess

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/mixture"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/report/record"
)

// labels reports how the numbers of a mixture's components, as they were sampled, have moved: how often their order
// changed in each chain, and which order they mostly had. It warns where it changed within a chain, for then
// components overlap in what they are numbered by.
func (d *Drawn) labels(m plan.Labelled, out *Extras) error {
	keys, w := m.Keys(), d.Window
	if len(keys) == 0 {
		return nil
	}
	chains := len(d.Draws.Spool.Chains)
	draws := make([][][]float64, chains) // by chain and component
	for i, key := range keys {
		block := &infer.Columns{First: key, Params: 1, Chains: chains, Draws: w.Draws(),
			Values: make([]float64, chains*w.Draws())}
		if err := d.Draws.Fill(block, w); err != nil {
			return err
		}
		for c := range draws {
			if i == 0 {
				draws[c] = make([][]float64, len(keys))
			}
			draws[c][i] = block.Values[c*w.Draws() : (c+1)*w.Draws()]
		}
	}
	total := 0
	for c, of := range draws {
		s := mixture.Switches(of)
		total += s.Switches
		out.Diagnostics = append(out.Diagnostics, record.Diagnostic{Name: "label_switches", Chain: c,
			Value: float64(s.Switches),
			Note:  "in most draws the components in their order were sampled as " + orderWords(s)})
	}
	out.Diagnostics = append(out.Diagnostics, record.Diagnostic{Name: "label_switches", Chain: -1, Value: float64(total)})
	if total > 0 && m.OrderedBy() != "" {
		out.Warnings = append(out.Warnings, fmt.Sprintf("labels switched: the order of the components changed %d times in "+
			"%d draws; they overlap in %s, by which they are numbered, so that a number stands for no group of rows alone",
			total, chains*w.Draws(), m.OrderedBy()))
	}
	return nil
}

func orderWords(s mixture.Switching) string {
	var list []string
	for _, c := range s.Commonest {
		list = append(list, strconv.Itoa(c+1))
	}
	return strings.Join(slices.Clip(list), ", ")
}
