// Compares our BabyAI with Minigrid in Python, alternating in one run: the same random actions in the same levels, each
// step with its view, each reset with the making of the level.
import { watchForeignLoad } from '../sides/foreign-load.js';
import { median } from '../sides/median.js';
import { PeerProcess } from '../sides/peer-process.js';
import { pythonWith } from '../sides/python-environment.js';
import { playLevels, randomEpisodes } from './babyai-side.js';

const levels = ['GoToLocal', 'GoToObjMaze', 'KeyCorridor', 'PutNextS7N4', 'UnblockPickup', 'BossLevel'];
const requirements = ['minigrid==3.2.0', 'gymnasium==1.4.0', 'numpy==2.4.6'];
/** At least so many times the steps and the resets of the original, in every row. */
const goal = 10;
const turns = 64;
/** JavaScript is compiled while it runs, and trainings run for hours. */
const warmUpMilliseconds = 2000;

/** Measures all levels; undefined, with a line that says so, where the original cannot be installed. */
export async function measureWorld({ python, rounds, seeds }) {
  const peer = await startPeer(python);
  if (peer === undefined) return undefined;
  const foreign = watchForeignLoad([peer.pid]);
  try {
    const rows = [];
    for (const level of levels) rows.push(...(await measureLevel(peer, level, rounds, seeds)));
    console.log("AgentGym's text wrapper of BabyAI: skipped, it is in no package registry.");
    return { title: `Minigrid ${peer.hello.minigrid}`, foreignCores: foreign(), rows };
  } finally {
    peer.stop();
  }
}

/** The Python side; undefined, with a line that says so, where it cannot be installed. */
async function startPeer(given) {
  try {
    return await PeerProcess.start(pythonWith('minigrid', requirements, given), 'babyai_levels.py');
  } catch (error) {
    console.log(`skipped: ${requirements[0]} cannot be installed here (${error.message}). BabyAI was not compared.`);
    return undefined;
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
  const measured = [];
  for (let round = 0; round < rounds; round += 1) measured.push({ ours: playOurs(), theirs: await playTheirs() });
  return ['step', 'reset'].map((what) => {
    const rate = (side) => median(measured.map((one) => one[side][`${what}s`] / one[side][what]));
    const [our, their] = [rate('ours'), rate('theirs')];
    return { setting: name, backend: 'level', what: `${what}s/s`, ours: our, theirs: their, ratio: our / their, goal };
  });
}

async function warmUp(play) {
  const begun = performance.now();
  do await play();
  while (performance.now() - begun < warmUpMilliseconds);
}
