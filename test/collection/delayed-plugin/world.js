// The task is to answer three signals correctly. AGENTGYM_TEST_DELAYS decides the time of an answer, which must not be
// observable: 0 answers immediately, 1 makes the first episodes slow and the last ones fast, 2 does the opposite, 3
// mixes.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const timer = fileURLToPath(new URL('timer.js', import.meta.url));

const answers = { red: 'stop', amber: 'wait', green: 'go' };
const signals = Object.keys(answers);
const words = Object.values(answers);
/** Long enough that a cache of one megabyte holds three sequences of the preset nano. */
const instructions = `Answer the signal. ${'Signals are red amber green and their answers stop wait go. '.repeat(7)}`;

const source = (split) => ({
  count: 12,
  id: (place) => `${split}-${place}`,
  random: (random) => `${split}-${random.integer(0, 12)}`,
});

function delay(share, turn) {
  const order = Number(process.env['AGENTGYM_TEST_DELAYS'] ?? 0);
  if (order === 0) return 0;
  if (order === 1) return 12 * share;
  if (order === 2) return 12 * (1 - share);
  return 12 * ((share * 1009 + turn * 0.37) % 1);
}

/** A process that waits for the requested time. */
async function startTimer(host) {
  const child = await host.spawn(process.execPath, [timer]);
  child.stdout.setEncoding('utf8');
  return {
    async wait(milliseconds) {
      child.stdin.write(`${milliseconds}\n`);
      await once(child.stdout, 'data');
    },
    async end() {
      child.kill();
      await child.ended;
    },
  };
}

const ownTimer = { wait: sleep, end: () => undefined };

export function open({ timers }, host) {
  return {
    instructions,
    splits: { train: source('train'), validation: source('validation'), test: source('test') },
    experts: ['oracle', 'demonstrator'],
    about: (task) => ({ labels: { first: signals[Number(task.split('-')[1]) % 3] } }),
    async create() {
      const { wait, end } = timers ? await startTimer(host) : ownTimer;
      let stream, signal, right, turn, share, breaks;
      return {
        async reset(task, { random }) {
          stream = random;
          share = stream.uniform();
          // One attempt in eight breaks in its second turn.
          breaks = stream.uniform() < 1 / 8;
          signal = signals[Number(task.split('-')[1]) % 3];
          [right, turn] = [0, 0];
          await wait(delay(share, 0));
          return `signal ${signal}`;
        },
        async step(action) {
          turn += 1;
          const milliseconds = delay(share, turn);
          if (milliseconds > 0) await wait(milliseconds);
          if (breaks && turn === 2) throw new Error('the signal box burns');
          if (action === answers[signal]) right += 1;
          const success = right === 3;
          const invalid = !words.includes(action);
          signal = stream.choice(signals);
          const facts = { success, invalid };
          return {
            observation: `signal ${signal}`,
            reward: Number(success),
            terminated: success,
            truncated: false,
            facts,
          };
        },
        act: (player, { random }) =>
          player === 'random' || (player === 'demonstrator' && random.uniform() < 0.3)
            ? random.choice(words)
            : answers[signal],
        dispose: end,
      };
    },
  };
}
