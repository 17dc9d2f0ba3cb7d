// Our side of the comparison with Minigrid: levels, steps and views, as the plugin plays them.
import { testHost } from '../../dist/testing/index.js';
import { firstView } from '../../plugins/env-babyai/dist/levels/first-view.js';
import { generateLevel } from '../../plugins/env-babyai/dist/levels/generate-level.js';
import { levelByName } from '../../plugins/env-babyai/dist/levels/level-table.js';
import { NumpyGenerator } from '../../plugins/env-babyai/dist/random/numpy-generator.js';
import { GridWorld } from '../../plugins/env-babyai/dist/world/world.js';

/** The level's id in the original, and seeds with random actions. */
export function randomEpisodes(name, count, turns) {
  const { random } = testHost(1);
  const episodes = Array.from({ length: count }, (_, seed) => ({
    seed,
    actions: Array.from({ length: turns }, () => random.choice('0122223345')).join(''),
  }));
  return { id: levelByName.get(name).id, episodes };
}

/** Seconds of resets and steps. */
export function playLevels(name, episodes) {
  const level = levelByName.get(name);
  const sums = { reset: 0, resets: episodes.length, step: 0, steps: 0, seen: 0 };
  for (const { seed, actions } of episodes) {
    const begun = performance.now();
    const start = generateLevel(level, new NumpyGenerator(seed));
    const view = firstView(start);
    const seen = [view.image()];
    const world = new GridWorld(start);
    const started = performance.now();
    for (const digit of actions) {
      const outcome = world.step(Number(digit));
      view.look(world.grid, world);
      seen.push(view.image());
      if (outcome !== undefined || world.timeIsUp) break;
    }
    const ended = performance.now();
    sums.reset += (started - begun) / 1000;
    sums.step += (ended - started) / 1000;
    sums.steps += seen.length - 1;
    for (const image of seen) for (const byte of image) sums.seen += byte;
  }
  return sums;
}
