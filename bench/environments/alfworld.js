// Compares our ALFWorld with the Python original, alternating in one run: episodes of the same random admissible commands
// in the same households, with the lists of admissible commands. Both sides must give the same answers.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { watchForeignLoad } from '../sides/foreign-load.js';
import { makeGame, playEpisodes, randomEpisodes, secondsToOpen } from './alfworld-our-side.js';
import { compareRates, startPeer, total, warmUp } from './two-sides.js';

const requirements = ['alfworld==0.4.2', 'textworld[pddl]==1.7.0', 'fast_downward_textworld==20.6.4'];
/** At least so many times the steps and the resets of the original, in every row. */
const goal = 100;
const turns = 20;
/** The original takes seconds for a reset, so it plays few episodes; ours plays each of them so many times more. */
const repetitions = 50;
const settings = [
  { name: 'bathroom', room: 'bathroom', kind: 'pick_clean_then_place_in_recep' },
  { name: 'bedroom', room: 'bedroom', kind: 'look_at_obj_in_light' },
  { name: 'kitchen', room: 'kitchen', kind: 'pick_heat_then_place_in_recep' },
  { name: 'kitchen, 8 receptacles', room: 'kitchen', kind: 'pick_two_obj_and_place', receptacles: 8, objects: 8 },
];

/** Measures the world; undefined, with a line that says so, where the original cannot be installed. */
export async function measureWorld({ python, rounds, seeds }) {
  const peer = await startPeer('alfworld', requirements, 'alfworld_games.py', python);
  if (peer === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-bench-'));
  const foreign = watchForeignLoad([peer.pid]);
  try {
    const rows = [];
    for (const setting of settings) rows.push(...(await measureSetting(peer, setting, folder, seeds, rounds)));
    return { title: 'ALFWorld 0.4.2 beside ours, one thread each', foreignCores: foreign(), rows };
  } finally {
    peer.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureSetting(peer, setting, folder, seeds, rounds) {
  const orderOf = (seed) => ({ scene: seed, seed, receptacles: null, objects: null, ...setting });
  const games = Array.from({ length: seeds }, (_, index) => {
    const { path, session } = makeGame(orderOf(index + 1), folder);
    return { path, session, episodes: randomEpisodes(session, index + 1, 2, turns) };
  });
  const playOurs = () =>
    total(
      games.flatMap(({ session, episodes }) =>
        Array.from({ length: repetitions }, () => playEpisodes(session, episodes)),
      ),
    );
  const playTheirs = async () => {
    const played = [];
    for (const { path, episodes } of games) played.push(await peer.ask({ play: path, episodes }));
    return total(played);
  };
  await checkAnswers(peer, games);
  // The original has nothing to warm up, and takes seconds for a reset.
  await warmUp(playOurs);
  const rows = await compareRates({ playOurs, playTheirs }, rounds, { setting: setting.name, backend: 'PDDL', goal });
  const ours = 1 / secondsToOpen(orderOf(1000), 20 * rounds);
  return [...rows, { setting: setting.name, backend: 'PDDL', what: 'new games/s', ours }];
}

/** A comparison of different games would say nothing. */
async function checkAnswers(peer, games) {
  for (const { path, session, episodes } of games) {
    const theirs = await peer.ask({ play: path, episodes });
    const ours = playEpisodes(session, episodes);
    for (const field of ['steps', 'characters', 'last']) {
      if (ours[field] !== theirs[field]) {
        throw new Error(
          `${path}: ${field} is ${JSON.stringify(ours[field])}, but in the original ${JSON.stringify(theirs[field])}`,
        );
      }
    }
  }
}
