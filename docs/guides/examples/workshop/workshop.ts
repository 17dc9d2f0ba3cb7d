import type { Sandbox, StepResult, World } from '@agentgym/cli';

const questions = ['largest', 'smallest', 'sum'] as const;

/** The answer to a question about numbers. */
function answerOf(question: (typeof questions)[number], numbers: readonly number[]): number {
  if (question === 'sum') return numbers.reduce((sum, one) => sum + one, 0);
  return question === 'largest' ? Math.max(...numbers) : Math.min(...numbers);
}

export function open(): World {
  const split = (remainder: number) => ({ count: 300, id: (place: number) => String(3 * place + remainder) });
  return {
    instructions: 'There is a file `numbers`. Write what is asked for to a file `answer`, then say done.',
    splits: { train: split(0), validation: split(1), test: split(2) },
    // Programs of the agent run in this sandbox, because its tool asks for the one of the episode.
    sandbox: { megabytes: 64, processes: 8 },
    create() {
      let sandbox: Sandbox;
      let expected: number;
      return {
        async reset(task, { sandbox: own }) {
          if (!/^\d{1,3}$/.test(task)) throw new Error(`no such task: ${task}`);
          sandbox = own!;
          const n = Number(task);
          const numbers = Array.from({ length: 5 }, (_, place) => 10 + ((n * 37 + place * ((n % 83) + 7)) % 90));
          const question = questions[Math.floor(n / 3) % questions.length]!;
          expected = answerOf(question, numbers);
          await sandbox.write('numbers', `${numbers.join('\n')}\n`);
          return `Write the ${question}.`;
        },
        async step(action): Promise<StepResult> {
          const invalid = action !== 'done';
          // What the agent left is data: it is read and compared here, and never run.
          const answer = invalid ? undefined : await sandbox.read('answer', 100);
          const success = answer !== undefined && Buffer.from(answer).toString().trim() === String(expected);
          const observation = invalid ? 'Say done when it is there.' : `It was ${expected}.`;
          return {
            observation,
            reward: Number(success),
            terminated: !invalid,
            truncated: false,
            facts: { success, invalid },
          };
        },
        act: () => 'done',
      };
    },
  };
}
