// Compares our environments with the Python originals, alternating in one run. TextWorld: episodes of the same random
// admissible commands in the same games, in the original's JSON backend (with admissible commands and intermediate
// rewards), in its compiled story with the same facts, and in the story alone. The other worlds are in files of their own.
//   npm run bench -- environments [--world NAME]... [--rounds N] [--seeds N] [--python PATH] [--json FILE]
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { watchForeignLoad } from '../sides/foreign-load.js';
import { median } from '../sides/median.js';
import { UsageError } from '../sides/usage-error.js';
import * as alfworld from './alfworld.js';
import * as babyai from './babyai.js';
import * as programs from './programs.js';
import { compareRates, startPeer, total, warmUp } from './two-sides.js';
import { openGame, playEpisodes, randomEpisodes, secondsToGenerate } from './our-side.js';

const settings = [
  { name: 'w2-o3-q4', kind: 'custom', rooms: 2, objects: 3, questLength: 4 },
  { name: 'w8-o12-q4', kind: 'custom', rooms: 8, objects: 12, questLength: 4 },
  { name: 'w4-o6-q8', kind: 'custom', rooms: 4, objects: 6, questLength: 8 },
  { name: 'simple-dense', kind: 'tw-simple', settings: { rewards: 'dense', goal: 'detailed', test: false } },
];
const backends = [
  { name: 'json', path: 'json', admissible: true },
  { name: 'story', path: 'story', admissible: true },
  { name: 'story, text only', path: 'story', admissible: false },
];
const requirement = 'textworld==1.7.0';
/** At least so many times the steps and the resets of the original, in every row. */
const goal = 50;
const episodesPerGame = 8;
const turns = 24;

/** What is measured, in this order; `measureWorld` returns a report, or undefined where there is nothing to compare with. */
const worlds = {
  textworld: measureTextworld,
  alfworld: alfworld.measureWorld,
  babyai: babyai.measureWorld,
  programs: programs.measureWorld,
};

/** Runs the whole measurement and prints its tables. Returns the exit code: 1 if a goal is missed. */
export async function measure(options) {
  const { values } = parseArgs({
    args: options,
    options: {
      world: { type: 'string', multiple: true, default: Object.keys(worlds) },
      rounds: { type: 'string', default: '5' },
      seeds: { type: 'string', default: '3' },
      python: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const unknown = values.world.find((name) => !Object.hasOwn(worlds, name));
  if (unknown !== undefined) throw new UsageError(`--world takes ${Object.keys(worlds).join(' or ')}, not ${unknown}`);
  if (values.python !== undefined && values.world.length > 1) throw new UsageError('--python needs one --world');
  const given = { python: values.python, rounds: Number(values.rounds), seeds: Number(values.seeds) };
  const reports = [];
  for (const name of values.world) {
    const report = await worlds[name](given);
    if (report === undefined) continue;
    reports.push({ machine: cpus()[0].model, ...report });
    printReport(reports.at(-1));
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(reports, undefined, 2)}\n`);
  const rows = reports.flatMap((report) => report.rows);
  return rows.every(({ goal = 0, ratio = Infinity, most = Infinity, ours }) => ratio >= goal && !(ours > most)) ? 0 : 1;
}

async function measureTextworld({ python, rounds, seeds }) {
  const peer = await startPeer('textworld', [requirement], 'textworld_games.py', python);
  if (peer === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-bench-'));
  const foreign = watchForeignLoad([peer.pid]);
  try {
    const rows = [];
    for (const setting of settings) rows.push(...(await measureSetting(peer, setting, folder, seeds, rounds)));
    return { title: `TextWorld ${peer.hello.textworld} beside ours, one thread each`, foreignCores: foreign(), rows };
  } finally {
    peer.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureSetting(peer, setting, folder, seeds, rounds) {
  const games = [];
  for (let seed = 1; seed <= seeds; seed += 1) {
    const made = await peer.ask({ make: setting, seed, folder });
    const game = openGame(made.json);
    games.push({ ...made, game, episodes: randomEpisodes(game, seed, episodesPerGame, turns) });
  }
  const rows = [];
  for (const { name, path, admissible } of backends) {
    if (games.some((game) => game[path] === null)) {
      rows.push({ setting: setting.name, backend: name, skipped: 'Inform 7 did not compile the game here' });
      continue;
    }
    const playOurs = () => total(games.map(({ game, episodes }) => playEpisodes(game, episodes, admissible)));
    const playTheirs = async () => {
      const played = [];
      for (const { episodes, ...game } of games)
        played.push(await peer.ask({ play: game[path], episodes, admissible }));
      return total(played);
    };
    await warmUp(playOurs);
    await warmUp(playTheirs);
    rows.push(
      ...(await compareRates({ playOurs, playTheirs }, rounds, { setting: setting.name, backend: name, goal })),
    );
  }
  const generate = median(games.map(({ seconds }) => seconds));
  const ours = secondsToGenerate(setting, seeds, rounds);
  rows.push({
    setting: setting.name,
    backend: 'generator',
    what: 'games/s',
    ours: 1 / ours,
    theirs: 1 / generate,
    ratio: generate / ours,
    goal,
  });
  return rows;
}

function printReport({ machine, title, foreignCores, rows }) {
  console.log(`${title}, on ${machine}.`);
  if (foreignCores !== undefined) console.log(`Others used ${foreignCores.toFixed(2)} cores meanwhile.`);
  const cells = [['game', 'original', '', 'ours', 'theirs', 'ratio', '']];
  for (const { setting, backend, skipped, what, ours, theirs, ratio, goal, most } of rows) {
    if (skipped !== undefined) cells.push([setting, backend, `skipped: ${skipped}`, '', '', '', '']);
    else if (ratio === undefined)
      cells.push([setting, backend, what, round(ours), '', '', ours > most ? `above ${most}` : '']);
    else {
      const remark = ratio >= goal ? '' : `below ${goal}`;
      cells.push([setting, backend, what, round(ours), round(theirs), ratio.toFixed(0), remark]);
    }
  }
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  for (const row of cells)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
}

function round(rate) {
  return rate >= 100 ? rate.toFixed(0) : rate.toPrecision(3);
}
