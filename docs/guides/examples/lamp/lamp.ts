import type { Environment, Random, StepResult, TaskSource, TaskSplits } from '@agentgym/cli';

import type { Options } from './options.js';

// A task is `START-LAMP`. Every fifth pair of places is held out for validation, every fifth for testing.
export function tasks({ length }: Options): TaskSplits {
  const pairs = Array.from(
    { length: length * length },
    (_, i) => [1 + Math.floor(i / length), 1 + (i % length)] as const,
  );
  const games = pairs.filter(([start, lamp]) => start !== lamp).map(([start, lamp]) => `${start}-${lamp}`);
  const split = (keep: (rest: number) => boolean): TaskSource => {
    const ids = games.filter((_, i) => keep(i % 5));
    return { count: ids.length, id: (index) => ids[index] ?? '', random: (random) => random.choice(ids) };
  };
  return {
    train: split((rest) => rest > 1),
    validation: split((rest) => rest === 0),
    test: split((rest) => rest === 1),
  };
}

export function create({ length }: Options): Environment {
  let [place, lamp, first, nearest, turnsLeft] = [1, 1, 1, 1, 0];
  const distance = () => Math.abs(lamp - place);
  const better = () => (lamp > place ? 'right' : 'left');
  return {
    instructions: '',
    experts: {
      oracle: better,
      demonstrator: (random) => (random.uniform() < 0.35 ? random.choice(['left', 'right']) : better()),
    },
    reset(task) {
      const [, start = '', goal = ''] = /^(\d+)-(\d+)$/.exec(task) ?? [];
      const isPlace = (text: string) => Number(text) >= 1 && Number(text) <= length;
      if (!isPlace(start) || !isPlace(goal) || start === goal) throw new Error(`there is no task ${task}`);
      [place, lamp] = [Number(start), Number(goal)];
      first = nearest = distance();
      // As many as the straight way takes, and one for luck: `terminated` tells when they are used up.
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
    sampleAction: (random: Random) => random.choice(['left', 'right']),
  };
}
