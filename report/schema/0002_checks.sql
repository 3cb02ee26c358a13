-- Predictive checks by group, over numbers and of statistics that a spec names, and leave-one-out probability integral transforms.

ALTER TABLE ppc ADD COLUMN expression VARCHAR;
COMMENT ON COLUMN ppc.expression IS 'Expression over the responses y, of a statistic that the spec names (run: {ppc: {statistics: …}}).';
ALTER TABLE pointwise ADD COLUMN pit DOUBLE;
COMMENT ON COLUMN pointwise.pit IS 'LOO-PIT: probability of a response up to the observation''s, given the others; of whole numbers a random place from that of smaller ones on.';

CREATE TABLE loo_pit (
    fit_id BIGINT NOT NULL,
    z      DOUBLE NOT NULL,
    ecdf   DOUBLE NOT NULL,
    low    DOUBLE NOT NULL,
    high   DOUBLE NOT NULL
);
COMMENT ON TABLE loo_pit IS 'Shares of pointwise.pit up to evenly spaced places, with a simultaneous band (Säilynoja, Bürkner and Vehtari 2022). Where the model is right they are about uniform.';
COMMENT ON COLUMN loo_pit.fit_id IS 'The fit.';
COMMENT ON COLUMN loo_pit.z IS 'Place between 0 and 1.';
COMMENT ON COLUMN loo_pit.ecdf IS 'Share of the observations whose transform is at most z; z where they are uniform.';
COMMENT ON COLUMN loo_pit.low IS 'Lower end of the band, which holds the shares of uniform values at all places in 95 % of data sets.';
COMMENT ON COLUMN loo_pit.high IS 'Upper end of it.';

CREATE TABLE ppc_group (
    fit_id     BIGINT NOT NULL,
    variable   VARCHAR NOT NULL,
    level      VARCHAR NOT NULL,
    statistic  VARCHAR NOT NULL,
    rows       BIGINT NOT NULL,
    observed   DOUBLE,
    mean       DOUBLE,
    q05        DOUBLE,
    q25        DOUBLE,
    median     DOUBLE,
    q75        DOUBLE,
    q95        DOUBLE,
    p_value    DOUBLE,
    expected   DOUBLE,
    replicates INTEGER NOT NULL
);
COMMENT ON TABLE ppc_group IS 'Predictive checks by group: a statistic of the response in each level of a column, among those of replicated data (run: {ppc: {by: …}}).';
COMMENT ON COLUMN ppc_group.fit_id IS 'The fit.';
COMMENT ON COLUMN ppc_group.variable IS 'The column.';
COMMENT ON COLUMN ppc_group.level IS 'Its level.';
COMMENT ON COLUMN ppc_group.statistic IS 'mean, sd or zeros (share of zeros).';
COMMENT ON COLUMN ppc_group.rows IS 'Observations of the level.';
COMMENT ON COLUMN ppc_group.observed IS 'The statistic of the data.';
COMMENT ON COLUMN ppc_group.mean IS 'Its mean over the replicated data sets.';
COMMENT ON COLUMN ppc_group.q05 IS '5 % quantile over them.';
COMMENT ON COLUMN ppc_group.q25 IS '25 % quantile.';
COMMENT ON COLUMN ppc_group.median IS 'Median.';
COMMENT ON COLUMN ppc_group.q75 IS '75 % quantile.';
COMMENT ON COLUMN ppc_group.q95 IS '95 % quantile.';
COMMENT ON COLUMN ppc_group.p_value IS 'Share of the replicates above the observed value, those equal to it by half.';
COMMENT ON COLUMN ppc_group.expected IS 'Share of the replicates outside their own 5 to 95 %: 0.1, or less where values are equal.';
COMMENT ON COLUMN ppc_group.replicates IS 'Replicated data sets.';

CREATE TABLE ppc_over (
    fit_id     BIGINT NOT NULL,
    variable   VARCHAR NOT NULL,
    bin        INTEGER NOT NULL,
    low        DOUBLE NOT NULL,
    high       DOUBLE NOT NULL,
    x          DOUBLE NOT NULL,
    rows       BIGINT NOT NULL,
    observed   DOUBLE,
    q05        DOUBLE,
    q25        DOUBLE,
    median     DOUBLE,
    q75        DOUBLE,
    q95        DOUBLE,
    expected   DOUBLE,
    y05        DOUBLE,
    y25        DOUBLE,
    y50        DOUBLE,
    y75        DOUBLE,
    y95        DOUBLE,
    outside    BIGINT NOT NULL,
    replicates INTEGER NOT NULL
);
COMMENT ON TABLE ppc_over IS 'Predictive checks over a number: the response in classes of it, among replicated ones (run: {ppc: {over: …}}).';
COMMENT ON COLUMN ppc_over.fit_id IS 'The fit.';
COMMENT ON COLUMN ppc_over.variable IS 'The column of numbers.';
COMMENT ON COLUMN ppc_over.bin IS '1, 2, … by the number.';
COMMENT ON COLUMN ppc_over.low IS 'Smallest number of the class.';
COMMENT ON COLUMN ppc_over.high IS 'Largest number of the class.';
COMMENT ON COLUMN ppc_over.x IS 'Mean number of the class.';
COMMENT ON COLUMN ppc_over.rows IS 'Observations of the class.';
COMMENT ON COLUMN ppc_over.observed IS 'Mean response of the class.';
COMMENT ON COLUMN ppc_over.q05 IS '5 % quantile of the mean response over replicated data sets.';
COMMENT ON COLUMN ppc_over.q25 IS '25 % quantile of it.';
COMMENT ON COLUMN ppc_over.median IS 'Median.';
COMMENT ON COLUMN ppc_over.q75 IS '75 % quantile of it.';
COMMENT ON COLUMN ppc_over.q95 IS '95 % quantile of it.';
COMMENT ON COLUMN ppc_over.expected IS 'Share of the replicates outside q05 to q95.';
COMMENT ON COLUMN ppc_over.y05 IS '5 % quantile of single replicated responses.';
COMMENT ON COLUMN ppc_over.y25 IS '25 % quantile of them.';
COMMENT ON COLUMN ppc_over.y50 IS 'Their median.';
COMMENT ON COLUMN ppc_over.y75 IS '75 % quantile of them.';
COMMENT ON COLUMN ppc_over.y95 IS '95 % quantile of them.';
COMMENT ON COLUMN ppc_over.outside IS 'Observations outside y05 to y95; a tenth of rows, or fewer where responses are whole numbers, where the model is right.';
COMMENT ON COLUMN ppc_over.replicates IS 'Replicated data sets.';

CREATE VIEW ppc_misfit AS
SELECT f.dataset, f.key, f.model, f.sampler, c.variable, c.statistic, count(*) AS levels,
       count(*) FILTER (c.observed < c.q05 OR c.observed > c.q95) AS outside, sum(c.expected) AS expected,
       arg_max(c.level, abs(c.observed - c.mean) / nullif(c.q95 - c.q05, 0)) AS worst, c.fit_id
FROM latest f JOIN ppc_group c ON c.fit_id = f.fit_id
GROUP BY ALL
ORDER BY outside DESC, f.dataset, f.key, f.model, f.sampler, c.variable, c.statistic;
COMMENT ON VIEW ppc_misfit IS 'Predictive checks by group, summed up: in how many levels the data lie outside the 90 % interval of replicated data, and in how many they are expected to.';
COMMENT ON COLUMN ppc_misfit.variable IS 'The column.';
COMMENT ON COLUMN ppc_misfit.statistic IS 'mean, sd or zeros (share of zeros).';
COMMENT ON COLUMN ppc_misfit.levels IS 'Levels with rows.';
COMMENT ON COLUMN ppc_misfit.outside IS 'Levels whose statistic lies outside 5 to 95 % of the replicates.';
COMMENT ON COLUMN ppc_misfit.expected IS 'How many chance alone puts there.';
COMMENT ON COLUMN ppc_misfit.worst IS 'The level farthest out, in widths of its interval.';

CREATE VIEW coefficient_nights AS
SELECT n.dataset, n.key, n.model, n.sampler, s.name AS parameter, n.created, s.mean, s.sd, s.q025, s.q25, s.median, s.q75, s.q975, s.kind,
       n.fit_id, n.pipeline, row_number() OVER (PARTITION BY n.pipeline, n.dataset, n.key, n.model, n.sampler, s.name
                                                ORDER BY f.place DESC, n.created DESC, n.fit_id DESC) AS night
FROM predecessor n
JOIN fit f ON f.fit_id = n.fit_id
JOIN summary s ON s.fit_id = n.fit_id
WHERE s.kind IN ('coefficient', 'derived', 'group_sd')
ORDER BY n.dataset, n.key, n.model, n.sampler, parameter, night;
COMMENT ON VIEW coefficient_nights IS 'Coefficients of every complete fit that the ledger has, night after night: a forest of one of them is WHERE parameter = … .';
COMMENT ON COLUMN coefficient_nights.night IS '1 for the newest fit of a name, 2 for the one before, ….';
COMMENT ON COLUMN coefficient_nights.mean IS 'Posterior mean.';
COMMENT ON COLUMN coefficient_nights.sd IS 'Posterior standard deviation.';
COMMENT ON COLUMN coefficient_nights.q025 IS '2.5 % quantile of the draws.';
COMMENT ON COLUMN coefficient_nights.q25 IS '25 % quantile of the draws.';
COMMENT ON COLUMN coefficient_nights.q75 IS '75 % quantile of the draws.';
COMMENT ON COLUMN coefficient_nights.q975 IS '97.5 % quantile of the draws.';
COMMENT ON COLUMN coefficient_nights.kind IS 'coefficient, derived or group_sd.';
