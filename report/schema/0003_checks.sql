-- Predictive checks: statistics of the response among those of replicated data.

CREATE TABLE ppc (
    fit_id     BIGINT NOT NULL,
    statistic  VARCHAR NOT NULL,
    observed   DOUBLE,
    mean       DOUBLE,
    sd         DOUBLE,
    q025       DOUBLE,
    q975       DOUBLE,
    p_value    DOUBLE,
    replicates INTEGER NOT NULL,
    note       VARCHAR
);

COMMENT ON TABLE ppc IS 'Posterior predictive checks, and prior predictive ones where fit.method is prior: a statistic of the response beside those of replicated data.';
COMMENT ON COLUMN ppc.fit_id IS 'The fit.';
COMMENT ON COLUMN ppc.statistic IS 'mean, sd, min, max, or zeros: the share of zeros.';
COMMENT ON COLUMN ppc.observed IS 'Of the data.';
COMMENT ON COLUMN ppc.mean IS 'Mean over the replicated data sets.';
COMMENT ON COLUMN ppc.sd IS 'Standard deviation over them.';
COMMENT ON COLUMN ppc.q025 IS '2.5 % quantile over them.';
COMMENT ON COLUMN ppc.q975 IS '97.5 % quantile over them.';
COMMENT ON COLUMN ppc.p_value IS 'Share of replicated data sets whose statistic is larger than the observed one, equal ones by half.';
COMMENT ON COLUMN ppc.replicates IS 'Replicated data sets that have the statistic.';
COMMENT ON COLUMN ppc.note IS 'Why some do not have it.';
