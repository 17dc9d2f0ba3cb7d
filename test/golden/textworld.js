// Compares the built TextWorld plugin with recordings of the original: games that were compiled with Inform and played
// (.jsonl or .jsonl.gz, with the texts of the rules in `logic/` beside them), and stories played by an interpreter
// (a .jsonl.gz whose lines have `raw`, with the story beside it).
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { compareGame } from './textworld/games.js';

/** Of the steps with any commands, so many must be equal. */
const leastShare = 0.97;

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

/** The text of the rules of a game. */
function readLogic(file, digest) {
  const folders = [dirname(file), dirname(dirname(file))].map((folder) => join(folder, 'logic'));
  const found = folders.map((folder) => join(folder, `${digest}.twl`)).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`there is no ${digest}.twl in ${folders.join(' or ')}`);
  return readFileSync(found, 'utf8');
}

/** Counts by setting and class of steps. */
class Tally {
  counts = new Map();

  count(setting, kind, mustBeEqual, isEqual) {
    const key = `${setting}\t${kind}`;
    const row = this.counts.get(key) ?? { setting, kind, mustBeEqual, equal: 0, all: 0 };
    row.all += 1;
    if (isEqual) row.equal += 1;
    this.counts.set(key, row);
  }

  sum(rows = [...this.counts.values()]) {
    return rows.reduce(({ equal, all }, row) => ({ equal: equal + row.equal, all: all + row.all }), {
      equal: 0,
      all: 0,
    });
  }
}

function print(tally) {
  for (const row of tally.counts.values()) {
    const mark = row.equal === row.all ? ' ' : row.mustBeEqual ? '!' : '~';
    console.log(`${mark} ${row.setting.padEnd(28)} ${row.kind.padEnd(34)} ${row.equal} of ${row.all}`);
  }
}

/** Plays the games of a file; returns whether everything is equal that must be. */
function compareGames(file, lines, total) {
  const tally = new Tally();
  for (const line of lines) {
    if (line.game === undefined) continue;
    const json = { ...line.game, KB: { logic: readLogic(file, line.logic) } };
    for (const { place, kind, mustBeEqual, differences } of compareGame(line, json)) {
      tally.count(line.setting, kind, mustBeEqual, differences.length === 0);
      total.count('all settings', kind, mustBeEqual, differences.length === 0);
      for (const { field, theirs, ours } of differences) {
        console.log(`${mustBeEqual ? 'UNEQUAL' : 'unequal'} ${line.setting} ${line.seed} ${place}: ${field}`);
        console.log(`    recorded ${theirs}`);
        console.log(`    ours     ${ours}`);
      }
    }
  }
  console.log(`${file}:`);
  print(tally);
  return [...tally.counts.values()].every((row) => !row.mustBeEqual || row.equal === row.all);
}

/** Checks recordings and returns the exit code: 0 equal, 1 not, 2 a file cannot be compared. */
export async function run(paths) {
  if (paths.length === 0) {
    console.error('name recordings: npm run golden -- textworld custom.jsonl.gz ...');
    return 2;
  }
  const total = new Tally();
  let code = 0;
  for (const file of paths.flatMap(recordingsIn)) {
    try {
      const lines = readLines(file);
      if (lines.some((line) => line.raw !== undefined)) {
        const { compareStory } = await import('./textworld/story.js');
        code = Math.max(code, await compareStory(file, lines));
      } else if (!compareGames(file, lines, total)) code = 1;
    } catch (error) {
      console.error(`${file} is no recording of TextWorld that can be compared: ${error.stack}`);
      return 2;
    }
  }
  const rows = [...total.counts.values()];
  if (rows.length === 0) return code;
  print(total);
  const free = total.sum(rows.filter(({ kind }) => kind.startsWith('free: ') && kind !== 'free: start'));
  if (free.all > 0) {
    const share = free.equal / free.all;
    console.log(`of all free steps ${free.equal} of ${free.all} are equal: ${(100 * share).toFixed(2)} %`);
    if (share < leastShare) code = 1;
  }
  return code;
}
