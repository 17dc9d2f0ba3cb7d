import type { StepResult, TaskSource, World } from '@agentgym/cli';

import type { Options } from './options.js';

export function open({ length }: Options): World {
  // A task is `START-LAMP`. Every fifth pair of places is held out for validation, every fifth for testing.
  const places = Array.from({ length }, (_, i) => i + 1);
  const pairs = places.flatMap((start) => places.map((lamp) => [start, lamp] as const));
  const games = new Map(pairs.filter(([start, lamp]) => start !== lamp).map((pair) => [pair.join('-'), pair]));
  const split = (...rests: number[]): TaskSource => {
    const ids = [...games.keys()].filter((_, i) => rests.includes(i % 5));
    return { count: ids.length, id: (index) => ids[index] ?? '', random: (random) => random.choice(ids) };
  };
  const read = (task: string): readonly [start: number, lamp: number] => {
    const game = games.get(task);
    if (game === undefined) throw new Error(`there is no task ${task}`);
    return game;
  };
  return {
    instructions: '',
    splits: { train: split(2, 3, 4), validation: split(0), test: split(1) },
    about: (task) => ({ labels: { steps: Math.abs(read(task)[1] - read(task)[0]) } }),
    experts: ['oracle', 'demonstrator'],
    create() {
      let [place, lamp, first, nearest, turnsLeft] = [1, 1, 1, 1, 0];
      const distance = () => Math.abs(lamp - place);
      return {
        reset(task) {
          [place, lamp] = read(task);
          first = nearest = distance();
          // One more than the straight way takes. When they are used up, the game ends: `terminated`.
          turnsLeft = first + 1;
          return `You stand at ${place}, the lamp at ${lamp}. ${turnsLeft} steps.`;
        },
        step(action): StepResult {
          const move = action === 'left' ? -1 : action === 'right' ? 1 : 0;
          place = Math.min(length, Math.max(1, place + move));
          nearest = Math.min(nearest, distance());
          turnsLeft -= 1;
          const success = place === lamp;
          return {
            observation: success ? 'Light!' : `at ${place}, lamp at ${lamp}`,
            reward: Number(success),
            terminated: success || turnsLeft <= 0,
            truncated: false,
            facts: { success, invalid: move === 0, progress: 1 - nearest / first },
          };
        },
        act(player, { random }) {
          if (!['random', 'oracle', 'demonstrator'].includes(player)) throw new Error(`there is no player ${player}`);
          const errs = player === 'random' || (player === 'demonstrator' && random.uniform() < 0.35);
          return errs ? random.choice(['left', 'right']) : lamp > place ? 'right' : 'left';
        },
      };
    },
  };
}
