-- What the pictures of the report rest on besides summaries.

CREATE TABLE ppc_bin (
    fit_id   BIGINT NOT NULL,
    bin      INTEGER NOT NULL,
    low      DOUBLE,
    high     DOUBLE,
    observed DOUBLE NOT NULL,
    q025     DOUBLE,
    q25      DOUBLE,
    median   DOUBLE,
    q75      DOUBLE,
    q975     DOUBLE
);
COMMENT ON TABLE ppc_bin IS 'The response beside replicated data as histograms: how many observations fall into each class (run: {ppc: true}).';
COMMENT ON COLUMN ppc_bin.fit_id IS 'The fit.';
COMMENT ON COLUMN ppc_bin.bin IS '1, 2, … from below.';
COMMENT ON COLUMN ppc_bin.low IS 'The class has values from here; NULL for the first, which has all below high.';
COMMENT ON COLUMN ppc_bin.high IS 'The class has values below this; NULL for the last.';
COMMENT ON COLUMN ppc_bin.observed IS 'Observations of the data in the class.';
COMMENT ON COLUMN ppc_bin.q025 IS '2.5 % quantile of their number over the replicated data sets.';
COMMENT ON COLUMN ppc_bin.q25 IS '25 % quantile.';
COMMENT ON COLUMN ppc_bin.median IS 'Median.';
COMMENT ON COLUMN ppc_bin.q75 IS '75 % quantile.';
COMMENT ON COLUMN ppc_bin.q975 IS '97.5 % quantile.';
