SELECT *
FROM {{ ref('effects') }}
WHERE median NOT BETWEEN q025 AND q975
