// Counts the first key of each line of a MONITOR capture with DuckDB and prints the 20 most frequent.
// Usage: node duckdb.mjs FILE THREADS
import { DuckDBInstance } from '@duckdb/node-api';

const [file, threads] = process.argv.slice(2);
const instance = await DuckDBInstance.create(':memory:', { threads });
const connection = await instance.connect();
const result = await connection.runAndReadAll(`
  SELECT split_part(line, '"', 4) AS key, count(*) AS n
  FROM read_csv('${file.replaceAll("'", "''")}', columns = {'line': 'VARCHAR'}, delim = chr(1),
                header = false, quote = '', escape = '', auto_detect = false)
  WHERE key <> '' GROUP BY key ORDER BY n DESC LIMIT 20`);
for (const [key, n] of result.getRows()) console.log(`${n} ${key}`);
