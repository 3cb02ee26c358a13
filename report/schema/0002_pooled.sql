-- Fits of several imputations of one data set.

CREATE TABLE imputation (
    fit_id     BIGINT NOT NULL,
    name       VARCHAR NOT NULL,
    imputation INTEGER NOT NULL,
    source     VARCHAR NOT NULL,
    mean       DOUBLE,
    sd         DOUBLE,
    q025       DOUBLE,
    median     DOUBLE,
    q975       DOUBLE,
    rhat       DOUBLE,
    ess_bulk   DOUBLE,
    ess_tail   DOUBLE
);
COMMENT ON TABLE imputation IS 'What the draws of the chains of each imputation say of a parameter, in fits of data sets with each: imputation. Of which imputation a chain is stands in diagnostic, under the name imputation.';
COMMENT ON COLUMN imputation.fit_id IS 'The fit.';
COMMENT ON COLUMN imputation.name IS 'Name of the parameter.';
COMMENT ON COLUMN imputation.imputation IS '1, 2, ….';
COMMENT ON COLUMN imputation.source IS 'Its file, or its value in the column that tells imputations apart.';
COMMENT ON COLUMN imputation.mean IS 'Posterior mean.';
COMMENT ON COLUMN imputation.sd IS 'Posterior standard deviation.';
COMMENT ON COLUMN imputation.q025 IS '2.5 % quantile.';
COMMENT ON COLUMN imputation.median IS 'Median.';
COMMENT ON COLUMN imputation.q975 IS '97.5 % quantile.';
COMMENT ON COLUMN imputation.rhat IS 'Rank-normalised split R-hat.';
COMMENT ON COLUMN imputation.ess_bulk IS 'Bulk effective sample size.';
COMMENT ON COLUMN imputation.ess_tail IS 'Tail effective sample size.';

CREATE TABLE pooling (
    fit_id      BIGINT NOT NULL,
    place       INTEGER NOT NULL,
    name        VARCHAR NOT NULL,
    within      DOUBLE,
    between     DOUBLE,
    total       DOUBLE,
    riv         DOUBLE,
    missing_share DOUBLE,
    df          DOUBLE,
    fmi         DOUBLE,
    rhat_across DOUBLE
);
COMMENT ON TABLE pooling IS 'What all imputations say of a parameter by the rules of Rubin (1987).';
COMMENT ON COLUMN pooling.fit_id IS 'The fit.';
COMMENT ON COLUMN pooling.place IS '1, 2, … in the order of the parameters.';
COMMENT ON COLUMN pooling.name IS 'Name of the parameter.';
COMMENT ON COLUMN pooling.within IS 'Mean of the posterior variances given an imputation.';
COMMENT ON COLUMN pooling.between IS 'Variance of the posterior means over imputations.';
COMMENT ON COLUMN pooling.total IS 'within + (1 + 1/M)·between, of M imputations.';
COMMENT ON COLUMN pooling.riv IS 'Relative increase of the variance by what is missing: (1 + 1/M)·between/within.';
COMMENT ON COLUMN pooling.missing_share IS 'Share of total that is due to what is missing: lambda of mice.';
COMMENT ON COLUMN pooling.df IS 'Degrees of freedom of Barnard and Rubin (1999), complete data having rows less columns of the design.';
COMMENT ON COLUMN pooling.fmi IS 'Fraction of missing information: (riv + 2/(df + 3))/(riv + 1).';
COMMENT ON COLUMN pooling.rhat_across IS 'R-hat over the chains of all imputations: far from 1 where imputations differ, which is no fault of the chains.';

CREATE VIEW imputations AS
SELECT l.dataset, l.key, l.model, l.sampler, i.name AS parameter, i.imputation, i.source, i.mean, i.sd, i.q025, i.median, i.q975,
       i.rhat, i.ess_bulk, i.ess_tail, l.state, l.fit_id
FROM latest l
JOIN pooling p USING (fit_id)
JOIN imputation i ON i.fit_id = p.fit_id AND i.name = p.name
ORDER BY l.dataset, l.key, l.model, l.sampler, p.place, i.imputation;
COMMENT ON VIEW imputations IS 'What each imputation says of each parameter of the newest fits of data sets with each: imputation.';
COMMENT ON COLUMN imputations.parameter IS 'Its name.';
COMMENT ON COLUMN imputations.mean IS 'Posterior mean given the imputation.';
COMMENT ON COLUMN imputations.sd IS 'Posterior standard deviation given it.';
COMMENT ON COLUMN imputations.q025 IS '2.5 % quantile.';
COMMENT ON COLUMN imputations.q975 IS '97.5 % quantile.';
COMMENT ON COLUMN imputations.source IS 'File of the imputation, or its value in the column that tells imputations apart.';

CREATE VIEW pooled AS
SELECT l.dataset, l.key, l.model, l.sampler, p.name AS parameter, s.mean, s.sd, sqrt(p.total) AS sd_rubin, p.within, p.between, p.riv,
       p.missing_share, p.df, p.fmi, s.rhat, p.rhat_across, s.ess_bulk, s.ess_tail,
       (SELECT count(*) FROM imputation i WHERE i.fit_id = p.fit_id AND i.name = p.name) AS imputations, l.state, l.fit_id
FROM latest l
JOIN pooling p USING (fit_id)
JOIN summary s ON s.fit_id = p.fit_id AND s.name = p.name AND s.kind <> 'statistic'
ORDER BY l.dataset, l.key, l.model, l.sampler, p.place;
COMMENT ON VIEW pooled IS 'Pooled draws of the newest fits of data sets with each: imputation, and what Rubin''s rules say of each parameter.';
COMMENT ON COLUMN pooled.parameter IS 'Its name.';
COMMENT ON COLUMN pooled.mean IS 'Mean of all draws.';
COMMENT ON COLUMN pooled.sd IS 'Standard deviation of all draws.';
COMMENT ON COLUMN pooled.sd_rubin IS 'Square root of the total variance by Rubin''s rules, larger than sd: few imputations show less than all of their variance.';
COMMENT ON COLUMN pooled.rhat IS 'Largest R-hat of an imputation: gates look at it.';
COMMENT ON COLUMN pooled.imputations IS 'How many there are.';
