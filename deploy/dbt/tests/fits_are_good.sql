-- Rows are fits that need a look.
SELECT dataset, key, model, sampler, verdict, state, reasons
FROM {{ source('ledger', 'latest') }}
WHERE verdict NOT IN ('pass', 'warn') OR state <> 'current'
