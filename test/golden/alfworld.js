// Compares the built ALFWorld plugin with recordings of the original (.jsonl or .jsonl.gz, with the domain and the
// grammar in `logic/` beside them):
//   npm run golden -- alfworld FILE-OR-FOLDER... [--logic FOLDER]
// Every step of every transcript must be equal: text, admissible commands, moves, score, and the end. A game that the
// original could not load must be refused here, too.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';

import { compareGame } from './alfworld/games.js';

function recordingsIn(path) {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => /\.jsonl(\.gz)?$/.test(name))
    .sort()
    .map((name) => join(path, name));
}

function readLines(file) {
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** The domain and the grammar of a recording. */
function readLogic(file, given) {
  const folders = given === undefined ? [join(dirname(file), 'logic'), join(dirname(dirname(file)), 'logic')] : [given];
  const folder = folders.find((each) => existsSync(join(each, 'alfred.pddl')));
  if (folder === undefined) throw new Error(`there is no alfred.pddl in ${folders.join(' or ')}`);
  const read = (name) => readFileSync(join(folder, name), 'utf8');
  return { domain: read('alfred.pddl'), grammar: read('alfred.twl2') };
}

/** Checks recordings and returns the exit code: 0 equal, 1 not, 2 a file cannot be compared. */
export async function run(given) {
  const { values, positionals } = parseArgs({
    args: given,
    options: { logic: { type: 'string' } },
    allowPositionals: true,
  });
  if (positionals.length === 0) {
    console.error('name recordings: npm run golden -- alfworld dataset.jsonl.gz ...');
    return 2;
  }
  const counts = new Map();
  let isEqual = true;
  const count = (kind, equal) => {
    const row = counts.get(kind) ?? { equal: 0, all: 0 };
    row.all += 1;
    if (equal) row.equal += 1;
    else isEqual = false;
    counts.set(kind, row);
  };
  // The problems, for recordings that play the games of another one again.
  const problems = new Map();
  for (const file of positionals.flatMap(recordingsIn)) {
    try {
      const logic = readLogic(file, values.logic);
      for (const line of readLines(file)) {
        const game = { ...problems.get(line.name), ...line };
        problems.set(line.name, game);
        for (const { place, kind, differences } of compareGame(game, logic)) {
          count(kind, differences.length === 0);
          for (const { field, theirs, ours } of differences) {
            console.log(`UNEQUAL ${line.name} ${place}: ${field}`);
            console.log(`    recorded ${theirs}`);
            console.log(`    ours     ${ours}`);
          }
        }
      }
    } catch (error) {
      console.error(`${file} is no recording of ALFWorld that can be compared: ${error.stack}`);
      return 2;
    }
  }
  for (const [kind, { equal, all }] of counts) {
    console.log(`${equal === all ? ' ' : '!'} ${kind.padEnd(24)} ${equal} of ${all}`);
  }
  return isEqual && counts.size > 0 ? 0 : 1;
}
