// Compares generated levels, recorded episodes of the original's bot, and random steps: lines of levels.jsonl.gz.
import { levels } from '../../../plugins/env-babyai/dist/levels/level-table.js';
import { EndlessLevelError } from '../../../plugins/env-babyai/dist/levels/level-errors.js';
import { generateLevel } from '../../../plugins/env-babyai/dist/levels/generate-level.js';
import { firstView } from '../../../plugins/env-babyai/dist/levels/first-view.js';
import { NumpyGenerator } from '../../../plugins/env-babyai/dist/random/numpy-generator.js';
import { View } from '../../../plugins/env-babyai/dist/world/view.js';
import { GridWorld } from '../../../plugins/env-babyai/dist/world/world.js';
import { solve } from '../../../plugins/env-babyai/dist/expert/solve.js';
import { hash } from './hashes.js';

const levelById = new Map(levels.map((level) => [level.id, level]));

/** Compares a line; calls `check(part, what, recorded, ours)` for every value, and `note(kind)` for the bots. */
export function compareLevel(line, check, note) {
  const level = levelById.get(line.id);
  if (level === undefined) throw new Error(`there is no level ${line.id}`);
  const random = new NumpyGenerator(line.seed);
  const start = generate(level, random);
  check('start', 'endless', line.endless === true, start === undefined);
  if (start === undefined || line.endless === true) return;
  compareStart(line.start, start, random, check);
  const next = generate(level, random);
  check('next', 'endless', line.next === null, next === undefined);
  if (next !== undefined && line.next !== null) compareBeginning('next', line.next, next, random, check);
  const again = (rules) => new GridWorld(generateLevel(level, new NumpyGenerator(line.seed)), rules);
  compareBot(line.bot, again(), check);
  compareRandom(line.random, again(), check);
  note(compareWithExpert(line.bot, again));
}

function generate(level, random) {
  try {
    return generateLevel(level, random);
  } catch (error) {
    if (error instanceof EndlessLevelError) return undefined;
    throw error;
  }
}

function compareStart(recorded, level, random, check) {
  compareBeginning('start', recorded, level, random, check);
  const { grid } = level;
  check('start', 'w', recorded.w, grid.width);
  check('start', 'h', recorded.h, grid.height);
  check('start', 'carrying', recorded.carrying, nameOf(level.carrying));
  check('start', 'grid', recorded.grid, drawGrid(grid));
  const boxes = grid.cells.filter((thing) => thing?.content !== undefined);
  check(
    'start',
    'boxes',
    recorded.boxes,
    boxes.map(({ x, y, content }) => [x, y, content.kind, content.colour]),
  );
}

function compareBeginning(part, recorded, level, random, check) {
  check(part, 'max_steps', recorded.max_steps, level.maxSteps);
  check(part, 'mission', recorded.mission, level.mission);
  check(part, 'pose', recorded.pose, poseOf(level));
  check(part, 'grid_hash', recorded.grid_hash, hash(level.grid.encode()));
  check(part, 'obs_hash', recorded.obs_hash, hash(firstView(level).image()));
  const { state, hasHalf, half } = random.state();
  check(part, 'rng', recorded.rng, [state, Number(hasHalf), half]);
}

/** Plays the recorded actions of the original's bot. */
function compareBot(recorded, world, check) {
  const view = new View();
  let reward = 0;
  let ended = false;
  let at = 0;
  for (const digit of recorded.actions + '6'.repeat(recorded.idle ?? 0)) {
    check('bot', `step ${at} goes on`, false, ended);
    const outcome = world.step(Number(digit));
    view.look(world.grid, world);
    const trace = recorded.trace.slice(4 * at, 4 * at + 4);
    if (trace !== '') check('bot', `step ${at} trace`, trace, hash(view.image()).slice(0, 4));
    if (outcome === 'success') reward += world.reward;
    ended = outcome !== undefined || world.timeIsUp;
    at += 1;
  }
  check('bot', 'terminated or truncated', recorded.terminated || recorded.truncated, ended);
  check('bot', 'truncated', recorded.truncated, world.timeIsUp);
  check('bot', 'reward', recorded.reward, reward);
  check('bot', 'steps', recorded.steps, world.steps);
  check('bot', 'pose', recorded.pose, poseOf(world));
  check('bot', 'grid_hash', recorded.grid_hash, hash(world.grid.encode()));
}

function compareRandom({ actions, steps }, world, check) {
  const view = new View();
  for (const [at, recorded] of steps.entries()) {
    const outcome = world.step(Number(actions[at]));
    view.look(world.grid, world);
    const ours = [
      ...poseOf(world),
      nameOf(world.carrying),
      outcome === 'success' ? world.reward : 0,
      Number(outcome !== undefined),
      Number(world.timeIsUp),
      hash(world.grid.encode()),
      hash(view.image()),
    ];
    check('random', `step ${at}`, recorded, ours);
  }
}

/** How our expert does beside the original's bot, which does not solve everything. */
function compareWithExpert(recorded, again) {
  const world = again('original');
  const plan = solve(world);
  if (plan === undefined || plan.length > world.maxSteps) {
    if (recorded.solved) return 'only theirs solves';
    return solve(again('fair')) === undefined
      ? 'nobody solves: something locked or shut in cannot be reached'
      : 'nobody solves by the rules of the original, ours does by fair ones';
  }
  const outcomes = plan.map((action) => world.step(action));
  if (outcomes.at(-1) !== 'success') return 'our plan fails';
  if (!recorded.solved) return 'only ours solves';
  const difference = plan.length - recorded.actions.length;
  if (difference === 0) return 'both solve, in as many steps';
  return difference < 0 ? 'both solve, ours in fewer steps' : 'both solve, ours in more steps';
}

const poseOf = ({ x, y, direction }) => [x, y, direction];
const nameOf = (thing) => (thing === undefined ? null : `${thing.colour} ${thing.kind}`);

function drawGrid(grid) {
  const digits = (code) => [code & 0xff, (code >> 8) & 0xff, code >> 16].map((part) => part.toString(16)).join('');
  const rows = Array.from({ length: grid.height }, (_, y) =>
    Array.from({ length: grid.width }, (_, x) => digits(grid.get(x, y)?.code ?? 1)).join(''),
  );
  return rows.join('/');
}
