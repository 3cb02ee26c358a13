package pipelines

import (
	"context"
	"slices"

	"glmbatch/report"
)

// Names are what a shell may complete.
type Names struct {
	Fits, Datasets, Models, Samplers []string
}

// NamesOf lists the names of the fits of the ledger at database, without waiting for
// another process that holds it.
func NamesOf(ctx context.Context, database string) (*Names, error) {
	ledger, err := report.Open(database, report.Options{LockWait: -1, Later: true})
	if err != nil {
		return nil, err
	}
	keys, err := ledger.Names(ctx)
	if err != nil {
		return nil, err
	}
	n := &Names{}
	add := func(list *[]string, name string) {
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	for _, k := range keys {
		n.Fits = append(n.Fits, k.String())
		add(&n.Datasets, k.Dataset)
		if k.Group != "" {
			add(&n.Datasets, k.Dataset+"/"+k.Group)
		}
		add(&n.Models, k.Model)
		add(&n.Samplers, k.Sampler)
	}
	return n, nil
}
