-- Fits that failed, and those that a later run could not draw, are left out: fits_are_good has them.
SELECT pipeline, dataset, key, model, sampler, parameter, mean, sd, q025, median, q975, verdict, created
FROM {{ source('ledger', 'coefficients') }}
WHERE verdict IN ('pass', 'warn') AND state = 'current'
