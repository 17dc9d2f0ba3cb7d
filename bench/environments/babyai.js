// Compares our BabyAI with Minigrid in Python, alternating in one run: the same random actions in the same levels, each
// step with its view, each reset with the making of the level.
import { watchForeignLoad } from '../sides/foreign-load.js';
import { playLevels, randomEpisodes } from './babyai-side.js';
import { compareRates, startPeer, warmUp } from './two-sides.js';

const levels = ['GoToLocal', 'GoToObjMaze', 'KeyCorridor', 'PutNextS7N4', 'UnblockPickup', 'BossLevel'];
const requirements = ['minigrid==3.2.0', 'gymnasium==1.4.0', 'numpy==2.4.6'];
/** At least so many times the steps and the resets of the original, in every row. */
const goal = 10;
const turns = 64;

/** Measures all levels; undefined, with a line that says so, where the original cannot be installed. */
export async function measureWorld({ python, rounds, seeds }) {
  const peer = await startPeer('minigrid', requirements, 'babyai_levels.py', python);
  if (peer === undefined) return undefined;
  const foreign = watchForeignLoad([peer.pid]);
  try {
    const rows = [];
    for (const level of levels) rows.push(...(await measureLevel(peer, level, rounds, seeds)));
    console.log("AgentGym's text wrapper of BabyAI: skipped, it is in no package registry.");
    return { title: `Minigrid ${peer.hello.minigrid} beside ours, one thread each`, foreignCores: foreign(), rows };
  } finally {
    peer.stop();
  }
}

async function measureLevel(peer, name, rounds, seeds) {
  const { id, episodes } = randomEpisodes(name, seeds * 10, turns);
  const playOurs = () => playLevels(name, episodes);
  const playTheirs = () => peer.ask({ play: id, episodes });
  const [ours, theirs] = [playOurs(), await playTheirs()];
  if (ours.seen !== theirs.seen || ours.steps !== theirs.steps) {
    throw new Error(`${id}: the two sides did not see the same (${JSON.stringify({ ours, theirs })})`);
  }
  await warmUp(playOurs);
  await warmUp(playTheirs);
  return compareRates({ playOurs, playTheirs }, rounds, { setting: name, backend: 'level', goal });
}
