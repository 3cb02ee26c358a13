package plan

import (
	"strings"

	"glmbatch/report/record"
)

// Choice selects the fits of a run: the selector's fits, of these, unless Keys is nil, the ones that the ledger
// names, and of these the run's share.
type Choice struct {
	Selector
	Keys  []record.Key
	Share Share
}

// names reports whether the keys have one that ok accepts.
func (c Choice) names(ok func(record.Key) bool) bool {
	if c.Keys == nil {
		return true
	}
	for _, k := range c.Keys {
		if ok(k) {
			return true
		}
	}
	return false
}

func (c Choice) dataset(name string, divided bool) bool {
	return c.Selector.dataset(name, divided) && c.names(func(k record.Key) bool { return k.Dataset == name })
}

// Unit reports whether fits of a unit are chosen.
func (c Choice) Unit(dataset, key string) bool {
	return c.Selector.unit(dataset, key) &&
		c.names(func(k record.Key) bool { return k.Dataset == dataset && within(key, k.Group) })
}

// model reports whether a model and sampler may be selected on some unit of a
// data set.
func (c Choice) model(dataset, model, sampler string) bool {
	return c.Selector.fit(model, sampler) && c.names(func(k record.Key) bool {
		return k.Dataset == dataset && k.Model == model && k.Sampler == sampler
	})
}

func (c Choice) fit(dataset, key, model, sampler string) bool {
	return c.Selector.fit(model, sampler) && c.names(func(k record.Key) bool {
		return k.Dataset == dataset && k.Model == model && k.Sampler == sampler && within(key, k.Group)
	})
}

// within reports whether a unit is, or is part of, the one that the ledger
// names: a file that could not be read stands for all of its groups.
func within(key, stored string) bool {
	return stored == "" || key == stored || strings.HasPrefix(key, stored+"/")
}
