// Opens a data set and reads some of its rows: `node use-rows.js FILE CACHE ROWS`. Prints times, memory and bytes as JSON.
// A process of its own, so that its memory is that of a world with this data set.
import { readFileSync } from 'node:fs';

import { createRandom } from '../../dist/random/create-random.js';
import { openDataSet } from '../../dist/data/open-data-set.js';
import { rowAt } from './write-rows.js';

const [files, cacheDirectory, reads] = process.argv.slice(2);
const say = (message) => console.error(message);
const host = { cacheDirectory, log: { info: say, warn: say }, signal: new AbortController().signal };
const splits = { train: 'train', validation: { of: 'train', share: 0.01 } };
const random = createRandom(1);

/** Bytes that this process has read of any file so far; undefined where the system does not count them. */
function bytesRead() {
  try {
    return Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))[1]);
  } catch {
    return undefined;
  }
}

/** Microseconds of a call, from `count` calls. */
async function microseconds(count, call) {
  const start = performance.now();
  for (let place = 0; place < count; place += 1) await call(place);
  return (1000 * (performance.now() - start)) / count;
}

const columns = { question: 'string', answer: 'string' };
const readBefore = bytesRead();
const [start, processor] = [performance.now(), process.cpuUsage()];
const data = await openDataSet({ files, columns, id: 'id', splits, labels: ['level'] }, host);
const seconds = (performance.now() - start) / 1000;
const { user, system } = process.cpuUsage(processor);
const read = readBefore === undefined ? undefined : bytesRead() - readBefore;
const memory = 1024 * process.resourceUsage().maxRSS;

const { train } = data.splits;
const check = async (id) => {
  const { question } = await data.row(id);
  const row = rowAt(Number.parseInt(question, 10));
  if (row.id !== id || row.question !== question) throw new Error(`the row of ${id} is another one: ${question}`);
};
const id = await microseconds(Number(reads), () => train.random(random));
const anyRow = await microseconds(Number(reads), () => check(train.random(random)));
const nextRow = await microseconds(Number(reads), (place) => check(train.id(place % train.count)));
const about = await data.about(train.id(0));
if (!/^level \d$/.test(about.labels.level)) throw new Error(`labels are missing: ${JSON.stringify(about)}`);
const splitCounts = Object.fromEntries(Object.entries(data.splits).map(([name, split]) => [name, split.count]));
await data.close();
const report = { rows: data.count, splitCounts, seconds, processorSeconds: (user + system) / 1e6, memory, read };
console.log(JSON.stringify({ ...report, files: data.files, id, anyRow, nextRow }));
