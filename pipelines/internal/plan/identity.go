package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"strings"

	"glmbatch/infer/prior"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/record"
)

// Identity is everything that decides a fit's draws. Its JSON is hashed; a new
// field changes every fingerprint, and must come with a new format number.
//
// Gates, workers, variables and paths are not in it: changed gates recompute
// the verdict only, and the data's content speaks for its place.
type Identity struct {
	Format  int    `json:"format"`
	Data    string `json:"data"` // hash of the used columns' values, in row order
	data    DataHash
	Dataset string `json:"dataset"`
	Key     string `json:"key"`
	Model   any    `json:"model"`
	Sampler any    `json:"sampler"`
	Length  any    `json:"length"`
	Chains  int    `json:"chains"`
	Keep    string `json:"keep"` // who asks for draws is not served by summaries
	Seed    uint64 `json:"seed"`
	// Replicate is 0 for the fit itself, so that asking for replicates does not
	// compute it again.
	Replicate int `json:"replicate,omitempty"`
	// Start is the earlier fit that the chains start from; absent without one.
	Start *startIdentity `json:"start,omitempty"`
	// Pooled is of data sets of several imputations; absent of others.
	Pooled   *pooledIdentity   `json:"pooled,omitempty"`
	Versions map[string]string `json:"versions"` // of each algorithm on the way; maps marshal sorted
}

// samplerIdentity holds the settings of a sampler that change its draws.
type samplerIdentity struct {
	Name, Method string
	Options      any
}

// identityFormat is raised when identity changes shape.
const identityFormat = 1

type modelIdentity struct {
	Name, Formula, Family, Standardize, Missing string
	Levels                                      map[string][]spec.Text
	Contrasts                                   map[string]string `json:",omitempty"`
	Coefficients, Intercept, At, Sigma          string
	ByName                                      []string
	Shape, Phi, Nu                              string   `json:",omitempty"`
	SD, Cor, SDS, LScale                        string   `json:",omitempty"` // of group-level effects, of smooths
	Rescor                                      string   `json:",omitempty"` // of correlated residuals
	FrequencyWeights, PrecisionWeights          string   `json:",omitempty"`
	Defaults                                    string   `json:",omitempty"` // the rules of priors that are left out
	Imputation                                  []string `json:",omitempty"`
	// Dispersions are the priors of dispersions that have no field above, by name.
	Dispersions map[string]string `json:",omitempty"`
	// Matrices are the names and hashes of those that the formula has.
	Matrices string `json:",omitempty"`
	// Custom defines the family, of a likelihood of a user's own.
	Custom string `json:",omitempty"`
	// Mixture is of models with components.
	Mixture *mixtureIdentity `json:",omitempty"`
	// Responses are the models of several responses.
	Responses []modelIdentity `json:",omitempty"`
	// MRF is of models of that kind, of which all but Name above is empty.
	MRF *mrfIdentity `json:",omitempty"`
}

// mixtureIdentity holds a model's settings of components.
type mixtureIdentity struct {
	Components       int
	Weights          float64
	Order, Conjugate string
	Items            []string  `json:",omitempty"`
	Known            []float64 `json:",omitempty"`
	Process          float64   `json:",omitzero"`
}

// mrfIdentity holds the settings of a model of kind mrf; those of its data are in the hash of the data.
type mrfIdentity struct {
	States                    int
	Labels                    []spec.Text
	Interaction               string
	Coupling                  float64
	Field, Observation, Truth string
	Fields, Watch             []string
	NoiseSD                   float64
	Means                     []float64
}

func identifyMRF(m *spec.Model) modelIdentity {
	return modelIdentity{Name: m.Name, MRF: &mrfIdentity{
		States: m.States, Labels: m.Labels, Interaction: m.Interaction, Coupling: *m.Coupling, Field: string(m.Field),
		Observation: m.Observation,
		Truth:       m.Truth, Fields: m.Fields, Watch: m.Watch, NoiseSD: m.Noise.SD, Means: m.Noise.Means,
	}}
}

func identifyModel(m *spec.Model) modelIdentity {
	id := modelIdentity{
		Name: m.Name, Formula: m.Formula, Family: m.Family.String(),
		Standardize: m.Standardize, Missing: m.Missing, Levels: m.Levels, Contrasts: m.Contrasts,
		Coefficients: m.Prior.Coefficients.String(),
		Intercept:    m.Prior.Intercept.Prior.String(),
		At:           m.Prior.Intercept.At,
		Sigma:        m.Prior.Sigma.String(),
		Shape:        m.Prior.Shape.String(),
		Phi:          m.Prior.Phi.String(),
		Nu:           m.Prior.Nu.String(),
		SD:           m.Prior.SD.String(),
		SDS:          m.Prior.SDS.String(),
		LScale:       m.Prior.LScale.String(),
		Cor:          m.Prior.Cor.String(),
		Rescor:       m.Prior.Rescor.String(),

		FrequencyWeights: m.FrequencyWeights, PrecisionWeights: m.PrecisionWeights,
		Defaults: defaultsOf(m), Custom: m.Family.Custom,
	}
	for name, law := range m.Prior.Others {
		if id.Dispersions == nil {
			id.Dispersions = map[string]string{}
		}
		id.Dispersions[name] = law.String()
	}
	if x := m.Mixture; m.Mixed() {
		id.Mixture = &mixtureIdentity{x.Components, mixtureWeights(m), x.Order, x.Conjugate.String(), nil, x.Known, x.Process}
		id.Defaults += mixtureDefaults
		for _, i := range x.Items {
			id.Mixture.Items = append(id.Mixture.Items, i.Name, i.Family, i.Conjugate.String())
		}
		if m.Classes() {
			id.Defaults = classesDefaults
		}
	}
	for _, i := range m.Imputation {
		id.Imputation = append(id.Imputation, i.Name, i.Formula, i.Family)
		id.Imputation = append(id.Imputation, i.Prior.Identity()...)
	}
	for _, n := range m.Prior.ByName {
		id.ByName = append(id.ByName, n.Pattern, n.String())
	}
	return id
}

// defaultsOf is the version of the rules of default priors, or empty if the model leaves no prior out.
func defaultsOf(m *spec.Model) string {
	if !m.HasDefaults() {
		return ""
	}
	if m.Prior.Shape.Kind == "" {
		return strings.TrimSpace(prior.DefaultsVersion + " " + m.Family.First().Version)
	}
	return prior.DefaultsVersion
}

// Question is the fingerprint that the fit would have without an earlier one to start from, shared by its
// replicates.
func (id Identity) Question() string {
	id.Start, id.Replicate = nil, 0
	return id.fingerprint()
}

// CaseHash is equal for fits whose chains step alike, whatever their lengths and seed.
func (id Identity) CaseHash() string {
	id.Length, id.Chains, id.Keep, id.Seed = nil, 0, "", 0
	return id.fingerprint()
}

// lengthIdentity holds the settings of run that determine the lengths of chains. The values of gates are left out on
// purpose, also if they are the target.
type lengthIdentity struct {
	Until                   spec.Until
	First, Max              int
	FixedWarmup, FixedDraws int
	// Growth is the version of the rules by which chains grow; empty of a fixed length.
	Growth string `json:",omitempty"`
}

// growthVersion names these rules: others are other lengths of the same chains.
const growthVersion = "growth/2"

func identifyLength(r spec.Run) lengthIdentity {
	if r.Fixed() {
		return lengthIdentity{FixedWarmup: r.Warmup, FixedDraws: r.Draws}
	}
	return lengthIdentity{Until: r.Until, First: r.First, Max: r.MaxIterations, Growth: growthVersion}
}

// SameDraws reports whether a stored fit has the draws that this one would have, although its fingerprint is another:
// an earlier program hashed the same data in the order of the file, or the ceiling of iterations was another and did
// not decide where the chains ended. A fit of other data, as each run may leave one, costs a comparison.
func (id *Identified) SameDraws(stored record.Stored) bool {
	if !id.Identity.data.Is(stored.DataHash) {
		return false
	}
	identity := id.Identity
	if stored.DataHash == identity.data.Older {
		identity.Data = identity.data.older(identity.Data)
	}
	current, before := map[string]json.RawMessage{}, maps.Clone(stored.Identity)
	if err := json.Unmarshal(identity.Record(), &current); err != nil {
		panic("plan: identity does not unmarshal: " + err.Error())
	}
	same := func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }
	if maps.EqualFunc(current, before, same) {
		return true
	}
	var now, then lengthIdentity
	if id.Schedule.fixedDraws > 0 || json.Unmarshal(current["length"], &now) != nil ||
		json.Unmarshal(before["length"], &then) != nil {
		return false
	}
	ceiling := then.Max
	now.Max, then.Max = 0, 0
	delete(current, "length")
	delete(before, "length")
	return now == then && maps.EqualFunc(current, before, same) &&
		id.Schedule.endsAlike(stored.Warmup+stored.Draws, ceiling)
}

// Record is the identity as the ledger keeps it: JSON with sorted maps.
func (id Identity) Record() []byte {
	id.Format = identityFormat
	data, err := json.Marshal(id)
	if err != nil {
		panic("plan: identity does not marshal: " + err.Error())
	}
	return data
}

// fingerprint is the hex SHA-256 of the identity's record.
func (id Identity) fingerprint() string {
	sum := sha256.Sum256(id.Record())
	return hex.EncodeToString(sum[:])
}
