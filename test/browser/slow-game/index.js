// guess-number with a brake: a run waits, without computing, while a test looks at its page.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import contributions from '../../../plugins/env-guess-number/dist/index.js';

/**
 * File in the current folder with the minimum milliseconds of every training episode. Without the file nothing waits.
 */
const brake = 'milliseconds.txt';
const [game] = contributions;

async function load() {
  const module = await game.load();
  return { ...module, open: (options) => slowed(module.open(options)) };
}

function slowed(world) {
  const { train } = world.splits;
  const trained = new Set();
  const noted = (task) => {
    trained.add(task);
    return task;
  };
  const tasks = {
    count: train.count,
    id: (place) => noted(train.id(place)),
    random: (random) => noted(train.random(random)),
  };
  const splits = { ...world.splits, train: tasks };
  return { ...world, splits, create: () => slowedGame(world.create(), trained) };
}

function slowedGame(made, trained) {
  let waits = false;
  const { reset, step, act } = made;
  return Object.assign(made, {
    reset(task, ...words) {
      waits = trained.has(task);
      return reset.call(made, task, ...words);
    },
    async step(...words) {
      if (waits && existsSync(brake)) await sleep(Number(readFileSync(brake, 'utf8')));
      waits = false;
      return step.apply(made, words);
    },
    // Demonstrations are played at full speed.
    act(...words) {
      waits = false;
      return act.apply(made, words);
    },
  });
}

export default [{ ...game, name: 'slow-game', load }];
