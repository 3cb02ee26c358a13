# The commands of this repository. "make" lists them.

SHELL       := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

GO          ?= go
MODULE      := glmbatch
BIN         := bin/pipeline
RELEASE     := $(shell sed -n 's/^const Release = "\(.*\)"/\1/p' pipelines/version.go)
VERSION     := $(shell git describe --exact-match --tags 2>/dev/null | grep -x "v$(RELEASE)" || echo "$(RELEASE)+$$(git describe --always --dirty 2>/dev/null || echo unversioned)")
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
# The last release of Temporal's command line, with a server and its page, that can be installed by name.
TEMPORALCLI := github.com/temporalio/cli/cmd/temporal@v1.5.1
# An S3 gateway in front of a folder, which heeds conditional puts.
VERSITYGW   := github.com/versity/versitygw/cmd/versitygw@v1.8.0
# What is built and tested without cgo: the samplers and the arithmetic below them.
PURE        := ./infer/... ./discrete/... $(addprefix ./internal/,vec simd linalg variate state)
FUZZTIME    ?= 30s
KILLS       ?= 200
FITS        ?= 1000
# A package whose tests take longer hangs; on a quiet machine the slowest takes two minutes.
TIMEOUT     ?= 30m
# Fifteen tests hold the engine: without the tables of a debugger, and by gold where it is, they are linked in two thirds
# of the time. A package more than there are processors, since tests wait for disks and clocks. make lint vets them.
TESTLINK    := -s -w $(if $(shell command -v ld.gold),-extldflags=-fuse-ld=gold)
TESTFLAGS   := -vet=off -ldflags='$(TESTLINK)' -timeout=$(TIMEOUT) -p=$$(($$(getconf _NPROCESSORS_ONLN) + 1))
# Tests begin in this order, and last in the order of the list: the longest must not be what all others wait for.
LONGEST     := $(addprefix $(MODULE)/,cmd/pipeline pipelines internal/doctest report pipelines/internal/run \
	pipelines/internal/check)
PURELONGEST := $(addprefix $(MODULE)/infer/,cggibbs impute collapsed groups infertest)
# first lists a list of packages, those that are named first.
first = { printf '%s\n' $(1); $(2); } | awk '!seen[$$0]++'
# Kernels in these tests live for a few steps, on heaps of 4 MB: at Go's own measure, 100, the collector took half of
# the processor time of infer/cggibbs.
TESTGOGC    ?= 400
COUNT       ?= 1
ifeq ($(origin SEED),undefined)
SEED        := $(shell od -An -N7 -tu8 /dev/urandom | tr -d ' ')
endif

# Every target below with a "## help" behind its name is listed by "make help".
.PHONY: help build dist run test stat study verify kill soak lint arm64 forms race bench mutants pinned fuzz golden reference figures e2e morning papers netcdf compat temporal stores slurm ci clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/pipeline (the first time takes about a minute: it links the DuckDB engine)
	$(GO) build -trimpath -ldflags "-X $(MODULE)/pipelines.version=$(VERSION)" -o $(BIN) ./cmd/pipeline

dist: ## build what people download into bin/dist: stripped programs for linux on amd64 and arm64, with checksums
	GO='$(GO)' .ci/dist '$(VERSION)' bin/dist

run: build ## build, then run the quickstart: real data in, posteriors.duckdb out, in this folder
	$(BIN) run quickstart

test: ## run every test: infer and its arithmetic without cgo, then all other packages (make lint vets them)
	CGO_ENABLED=0 $(GO) build $(PURE)
	CGO_ENABLED=0 GOGC=$(TESTGOGC) $(GO) test $(TESTFLAGS) $$($(call first,$(PURELONGEST),$(GO) list $(PURE)))
	$(GO) test $(TESTFLAGS) $$($(call first,$(LONGEST),$(GO) list ./... | grep -vxF "$$($(GO) list $(PURE))"))

stat: ## run the statistical tests in full, for hours, with a fresh seed (SEED=… repeats one)
	@echo "stat: SEED=$(SEED)"
	GLMBATCH_STAT=1 GLMBATCH_SEED=$(SEED) $(GO) test -count=1 -timeout=8h $(PURE) ./transform/... ./pipelines/...

study: ## run what make test leaves out: pages and pipelines of studies, long comparisons with Stan and JAGS, figures of papers
	GLMBATCH_STUDIES=1 $(GO) test -count=1 -timeout=2h -run '^TestDocumentation$$/^docs$$/^(comparing|evidence|missing|mixtures|prediction|priors)' ./internal/doctest
	GLMBATCH_STUDIES=1 $(GO) test -count=1 -timeout=2h -run '^Test(PinnedShipped|Wheel|Modes|KindsAndQuestions|StanPosteriors|\w+Against(Stan|JAGS)|\w+Like(Brms|JAGS))$$' \
		./cmd/pipeline ./pipelines ./pipelines/internal/plan ./infer/infertest
	GLMBATCH_STUDIES=1 $(GO) test -count=1 -timeout=2h -run '^Test(Invariance|Hamiltonian)$$' ./infer/model
	GLMBATCH_STAT=1 $(GO) test -count=1 -timeout=2h -run 'Figure3Learning|Entities' ./discrete/...

verify: ## write and print the tables of docs/evidence/verification.md: posteriors, the grid of models, R's fits
	GLMBATCH_VERIFY=$(CURDIR)/docs/evidence/verification.md $(GO) test -count=1 -p 1 -timeout=2h -run '^TestVerify' ./infer/glm ./infer/infertest
	@cat docs/evidence/verification.md

kill: ## kill 200 processes at random moments and fail every operation on the disk (SEED=… for the moments; KILLS=… below 100: a short form)
	@echo "kill: SEED=$(SEED)"
	GLMBATCH_KILLS=$(KILLS) GLMBATCH_SEED=$(SEED) $(GO) test -count=1 -p 1 -v -timeout=2h \
		-run '^Test(Killed|ShardsAndGatherKilled|ShardsAreOneRun|TornWrites|DamagedWorkFolder|FullDisk|ReadOnlyPlace|RunOnAFailingDisk|EveryOperationFails)$$' ./pipelines ./pipelines/internal/run ./pipelines/internal/spool

soak: ## fit a thousand data sets in one run, skip them all, change a tenth; then the same of fewer under the race detector (FITS=…)
	GLMBATCH_SOAK=$(FITS) $(GO) test -count=1 -v -timeout=2h -run '^TestSoak$$' ./pipelines
	$(GO) test -race -count=1 -v -timeout=2h -run '^TestSoak$$' ./pipelines

lint: ## check format, vet, staticcheck, shell syntax, and the house rules of internal/arch
	@files=$$(git ls-files --cached --others --exclude-standard '*.go' 2>/dev/null || find . -name '*.go' -not -path './bin/*'); \
	bad=$$(for f in $$files; do test ! -f "$$f" || printf '%s\0' "$$f"; done | xargs -0 gofmt -l); \
	if [ -n "$$bad" ]; then printf 'not in gofmt form:\n%s\n' "$$bad" >&2; exit 1; fi
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	for f in .ci/* $$(find . -name '*.sh' -not -path './bin/*'); do bash -n "$$f"; done
	$(GO) test ./internal/arch
	GLMBATCH_REGENERATE=1 $(GO) test -run='^TestRegenerate$$' ./internal/simd

arm64: ## hold the bits of infer and its arithmetic on arm64, cross-compiled and under qemu-user (root installs it)
	.ci/arm64 $(PURE)

forms: ## say which forms of the kernels this processor has, and test each; AVX2 under qemu-user where it lacks it
	.ci/forms

race: ## run the tests under the race detector (PKG=./pipelines/... RUN=Conformance SKIP=Pinned for a part)
	$(GO) test -race -timeout=60m -run='$(or $(value RUN),.)' $(if $(SKIP),-skip='$(value SKIP)') $(or $(PKG),./...)

bench: ## print how soon auto is at its bars (DATA=colon,madelon or DATA=sleepstudy,radon SAMPLERS=auto,reference,rstan,rstanarm,jags REPS=5 LENGTH=1 PROFILE=file), or run benchmarks (PKG=./infer/... BENCH=regexp COUNT=n)
ifeq ($(PKG)$(BENCH),)
	$(GO) run ./internal/bars -reps '$(or $(REPS),5)' -length '$(or $(LENGTH),1)' -data '$(DATA)' -samplers '$(SAMPLERS)' -profile '$(PROFILE)'
else
	$(GO) test -run='^$$' -bench='$(or $(value BENCH),.)' -benchmem -count=$(COUNT) -timeout=2h $(or $(PKG),./...)
endif

mutants: ## plant faults in the code, one at a time, and print which the tests find (PART=3/12 for a part, ONLY=regexp of names or files, PINNED=1 for pinned draws)
	$(GO) run ./internal/mutants $(if $(PINNED),-pinned) -part '$(PART)' -only '$(value ONLY)'

pinned: ## print which share of the statements of each package of infer, and of plans, verdicts and predictions, pinned tests run (PROFILE=file keeps the profile)
	GO='$(GO)' .ci/pinned $(PROFILE)

fuzz: ## fuzz every target for FUZZTIME (30s each)
	GO='$(GO)' .ci/fuzz $(FUZZTIME)

golden: ## write the golden files anew; read the diff before you commit it
	@pkgs=$$(grep -rlE --include='*_test.go' 'flag\.Bool(Var)?\([^)]*"update"' . | xargs -n1 dirname | sort -u); \
	echo "golden: $$pkgs"; \
	for p in $$pkgs; do $(GO) test -count=1 "$$p" -update; done
	git diff --stat

reference: ## write docs/reference, docs/troubleshooting.md and docs/pipeline.schema.json from the program; read the diff
	$(GO) test -count=1 ./internal/trouble -update
	$(GO) test -count=1 ./pipelines/internal/spec ./report ./cmd/pipeline -run '^Test(Reference|SchemaIsCurrent)$$' -update
	git diff --stat -- docs

figures: ## draw the pictures of the manual again (docs/pictures), from the program; look at them
	$(GO) test -count=1 ./cmd/pipeline -run '^TestFigures$$' -update

e2e: build ## walk the program as a user does: run, query, rerun, break
	EXPECT_VERSION="$(VERSION)" .ci/e2e $(BIN)

morning: build ## play a morning on data sets of R that no test uses, beside emmeans and loo (skips what R lacks)
	.ci/morning $(BIN)

papers: build ## run the commands of docs/evidence/papers.md and compare their numbers (3 minutes)
	.ci/papers $(BIN)

netcdf: ## read an exported netCDF file with Python's netCDF4 and xarray (root installs them)
	.ci/netcdf

compat: ## open a ledger with clients of other engine versions of DuckDB (needs npm)
	report/compat/run.sh

temporal: build ## nights as workflows: build a Temporal server and the worker, disturb and measure nights on loopback (RUN=… for some; FITS=10000, SHARDS=5000 for large ones)
	$(GO) -C cluster/temporal vet -tags loopback ./...
	$(GO) -C cluster/temporal test ./...
	GOBIN=$(CURDIR)/bin $(GO) install $(TEMPORALCLI)
	$(GO) -C cluster/temporal build -trimpath -o $(CURDIR)/bin/glmbatch-temporal .
	$(GO) -C cluster/temporal test -tags loopback -c -o $(CURDIR)/bin/glmbatch-temporal.test .
	cd cluster/temporal && PIPELINE=$(CURDIR)/$(BIN) TEMPORAL=$(CURDIR)/bin/temporal GLMBATCH_TEMPORAL=$(CURDIR)/bin/glmbatch-temporal \
		GLMBATCH_FITS='$(if $(filter file,$(origin FITS)),,$(FITS))' GLMBATCH_SHARDS='$(SHARDS)' $(CURDIR)/bin/glmbatch-temporal.test \
		-test.v -test.timeout=90m -test.run='$(or $(value RUN),TestLoopback|TestLatency|TestHistories|TestMany)'

stores: build ## nights through an object store: build one and the mirror, disturb nights on loopback (minutes; RUN=… for some)
	$(GO) -C cluster/mirror vet -tags loopback ./...
	$(GO) -C cluster/mirror test ./...
	GOBIN=$(CURDIR)/bin $(GO) install $(VERSITYGW)
	$(GO) -C cluster/mirror build -trimpath -o $(CURDIR)/bin/glmbatch-mirror .
	PIPELINE=$(CURDIR)/$(BIN) VERSITYGW=$(CURDIR)/bin/versitygw GLMBATCH_MIRROR=$(CURDIR)/bin/glmbatch-mirror \
		$(GO) -C cluster/mirror test -tags loopback -count=1 -v -timeout=30m -run='$(or $(value RUN),TestLoopback)' .

slurm: build ## a night under Debian's Slurm on this machine, with processes killed, shards requeued and the node lost (as root)
	.ci/slurm $(BIN)

ci: ## what continuous integration runs
	.ci/run

clean: ## remove what build made
	rm -rf bin
