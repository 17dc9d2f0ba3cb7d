// A small game that harms its players on some tasks: `HOW@TURN/NUMBER` does it in that turn, `calm/NUMBER` never.
import { setTimeout as sleep } from 'node:timers/promises';

const deeds = {
  loop: () => {
    for (;;);
  },
  'late-loop': async () => {
    await sleep(5);
    for (;;);
  },
  'timer-loop': async () => {
    setTimeout(() => {
      for (;;);
    }, 1);
    await sleep(20);
  },
  hang: () => new Promise(() => undefined),
  exit: () => process.exit(3),
  throw: async () => {
    setTimeout(() => {
      throw new Error('nobody catches this');
    });
    await sleep(1000);
  },
  memory: () => {
    const kept = [];
    for (;;) kept.push(new Array(100_000).fill(Math.random()));
  },
};

const answersOf = {
  text: (answer) => ({ ...answer, observation: 'x'.repeat(10_000_000) }),
  cyclic: (answer) => {
    const details = {};
    details.self = details;
    return { ...answer, facts: { ...answer.facts, details } };
  },
  nan: (answer) => ({ ...answer, reward: Number.NaN }),
};

/** It differs each time, and nothing depends on it. */
const artifactOf = (turn) => ({
  name: 'digits.bin',
  mediaType: 'application/octet-stream',
  content: Uint8Array.of(turn, ...crypto.getRandomValues(new Uint8Array(8))),
});

/** The task is to guess a digit that changes with every turn, for four turns. */
export function open({ delay = 0, external = false } = {}) {
  const source = {
    count: 'unbounded',
    id: (place) => `calm/${place}`,
    random: (random) => `calm/${random.integer(0, 1000)}`,
  };
  return {
    instructions: 'Guess a digit.',
    splits: { train: source, validation: source, test: source },
    splitOf: (task) => (task.startsWith('calm') ? 'test' : undefined),
    experts: ['oracle'],
    external,
    create() {
      let stream, digit, turn, how, at;
      return {
        reset(task, { random }) {
          const match = /^(?:calm|([a-z-]+)@(\d+))\/\d+$/.exec(task);
          if (match === null) throw new Error(`no such task: ${task}`);
          [, how, at] = match;
          stream = random;
          turn = 0;
          digit = stream.integer(0, 10);
          return `digit ${digit}`;
        },
        async step(action) {
          if (delay > 0) await sleep(delay * stream.uniform());
          turn += 1;
          if (Number(at) === turn) await deeds[how]?.();
          const success = action === String(digit);
          digit = stream.integer(0, 10);
          const answer = {
            observation: `digit ${digit}`,
            reward: Number(success),
            terminated: turn === 4,
            truncated: false,
            facts: { success, invalid: false },
            ...(how === 'artist' && { artifacts: [artifactOf(turn)] }),
          };
          return Number(at) === turn ? (answersOf[how]?.(answer) ?? answer) : answer;
        },
        act: (player, { random }) => String(player === 'oracle' ? digit : random.integer(0, 10)),
        stateKey: () => `${turn}, ${digit}`,
      };
    },
  };
}
