// Files with rows of questions and answers, about 200 bytes each. Row n is computed from n.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

import { fileWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';

const words =
  'apples baskets boxes buys carries cents costs each friends gives has he how many pays she shop takes they'.split(
    ' ',
  );
/** As pandas and polars make them: much larger than a page. */
const groupRows = 250_000;
const columns = ['id', 'question', 'answer', 'level'];

/** A row; ids are not in order. */
export function rowAt(n) {
  const text = Array.from({ length: 16 }, (_, word) => words[(n * (word + 3) + (n >>> word)) % words.length]).join(' ');
  return {
    id: `q-${((n * 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')}`,
    question: `${n}: ${text}?`,
    answer: `${text.slice(0, 40)} is ${n % 977}.\n#### ${n % 977}`,
    level: `level ${n % 5}`,
  };
}

/** Writes the rows as lines of JSON, or as Parquet where the name ends so. */
export async function writeRows(path, rows) {
  if (path.endsWith('.parquet')) return writeParquet(path, rows);
  const file = createWriteStream(path);
  for (let first = 0; first < rows; first += 10_000) {
    const end = Math.min(first + 10_000, rows);
    let text = '';
    for (let n = first; n < end; n += 1) text += `${JSON.stringify(rowAt(n))}\n`;
    if (!file.write(text)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}

async function writeParquet(path, rows) {
  const columnsOf = (data) =>
    columns.map((name) => ({ name, type: 'STRING', data: data.map((row) => row[name]), nullable: true }));
  const schema = schemaFromColumnData({ columnData: columnsOf([]) });
  const writer = new ParquetWriter({ writer: fileWriter(path), schema });
  for (let first = 0; first < rows; first += groupRows) {
    const data = Array.from({ length: Math.min(groupRows, rows - first) }, (_, place) => rowAt(first + place));
    await writer.write({ columnData: columnsOf(data), rowGroupSize: groupRows });
  }
  await writer.finish();
}
