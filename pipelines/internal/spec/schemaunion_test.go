package spec

import (
	"fmt"
	"strings"

	laws "glmbatch/infer/family"
	"glmbatch/infer/prior"
)

// anyScalar is a value that is taken as it is written.
var anyScalar = object{{"type", []string{"string", "number", "boolean"}}}

func (Text) jsonSchema(*generator, field) object { return anyScalar }

func (Vars) jsonSchema(*generator, field) object {
	return object{
		{"type", []string{"object", "null"}},
		{"propertyNames", object{{"pattern", "^[A-Za-z_][A-Za-z0-9_]*$"}}},
		{"additionalProperties", anyScalar},
	}
}

func (Names) jsonSchema(*generator, field) object {
	return anyOf(anyScalar, object{{"type", "array"}, {"minItems", 1}, {"items", anyScalar}})
}

func (Separator) jsonSchema(*generator, field) object {
	return anyOf(object{{"enum", []string{",", ";", "|", "tab"}}}, object{{"type", []string{"string", "number"}}})
}

func (Sparse) jsonSchema(*generator, field) object {
	return anyOf(object{{"type", "boolean"}}, object{{"const", "auto"}}, template)
}

func (Refresh) jsonSchema(*generator, field) object {
	return anyOf(object{{"type", "integer"}, {"minimum", 1}}, object{{"const", "never"}}, template)
}

func (Until) jsonSchema(g *generator, _ field) object {
	return anyOf(object{{"const", "gates"}}, g.structure(typeOf[Until]()), template)
}

func (LOO) jsonSchema(g *generator, _ field) object {
	return anyOf(object{{"type", "boolean"}}, g.structure(typeOf[LOO]()), template)
}

func (Gate) jsonSchema(_ *generator, f field) object {
	limit := anyOf(bounded("number", f, false), object{{"const", "off"}}, template)
	both := object{{"type", "object"}, {"properties", object{{"warn", limit}, {"fail", limit}}},
		{"additionalProperties", false}}
	return anyOf(bounded("number", f, false), object{{"const", "off"}}, both, template)
}

func (Family) jsonSchema(g *generator, _ field) object {
	return anyOf(object{{"enum", familyNames()}}, object{{"type", "string"}, {"pattern", `[\s{]`}},
		g.structure(typeOf[Family]()))
}

func (CoefficientPrior) jsonSchema(_ *generator, f field) object {
	return priorSchema(kindsFor(f), "normal(0, 2.5)")
}

func (DispersionPrior) jsonSchema(_ *generator, f field) object {
	if laws.RealDispersion(f.key) {
		return priorSchema(realPriors, "normal(0, 4)")
	}
	return priorSchema(dispersionPriors, "half_cauchy(5)")
}

func (LKJPrior) jsonSchema(*generator, field) object {
	return anyOf(object{{"type", "string"}, {"pattern", lkjText.String()}, {"examples", []string{"lkj(2)"}}}, template)
}

func (ConjugatePrior) jsonSchema(*generator, field) object {
	return anyOf(object{{"type", "string"}, {"examples", []string{"gamma(2, 0.1)"}}}, template)
}

func (NamedPrior) jsonSchema(*generator, field) object {
	all := priorKinds(func(i prior.Info) bool { return i.Coefficient || i.Dispersion })
	return priorSchema(append(all, "lkj"), "normal(0, 2.5)")
}

func (Derivation) jsonSchema(*generator, field) object {
	return object{{"type", "string"}, {"minLength", 1},
		{"examples", []string{"glu - bmi", "exp(10 * glu)", "mean(age = 40, race = 'white')"}}}
}

func (CheckStatistic) jsonSchema(*generator, field) object {
	return object{{"type", "string"}, {"minLength", 1}, {"examples", []string{"mean(y == 0)", "quantile(y, 0.99)"}}}
}

func (Effect) jsonSchema(g *generator, _ field) object {
	return anyOf(object{{"type", "string"}, {"minLength", 1}, {"examples", []string{"age", "treatment:sex"}}},
		g.structure(typeOf[Effect]()), template)
}

func (EffectAt) jsonSchema(g *generator, f field) object { return Names{}.jsonSchema(g, f) }

// priorSchema is text that begins with one of the kinds.
func priorSchema(kinds []prior.Kind, example string) object {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
		if k == prior.RegularisedHorseshoe {
			names[i] = "regulari[sz]ed_horseshoe"
		}
	}
	return anyOf(object{
		{"type", "string"},
		{"pattern", fmt.Sprintf(`^\s*(%s)\s*(\(|$)`, strings.Join(names, "|"))},
		{"examples", []string{example, "flat"}},
	}, template)
}

func (Duration) jsonSchema(*generator, field) object {
	return anyOf(object{{"type", "string"}, {"pattern", "^[0-9.]+(ns|us|µs|ms|s|m|h)"}, {"examples", []string{"90s", "30m", "1h30m"}}}, template)
}

func (Bytes) jsonSchema(*generator, field) object {
	return anyOf(object{{"type", "string"}, {"pattern", bytesText.String()}, {"examples", []string{"500MB", "2GB"}}}, template)
}

// familyNames lists what may be written: each family, and with each link.
func familyNames() []string {
	var list []string
	for _, f := range laws.Table() {
		list = append(list, f.Name)
		for _, link := range f.Links {
			list = append(list, f.Name+"("+link.Name+")")
		}
	}
	return list
}

func (ResponseFamily) jsonSchema(*generator, field) object {
	return anyOf(object{{"enum", familyNames()}}, object{{"type", "string"}, {"pattern", `[\s{]`}})
}
