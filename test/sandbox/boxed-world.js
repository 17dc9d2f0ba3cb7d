// A world whose task is in a file of the episode's sandbox, and which grades another file there.

/** @returns {import('../../src/contracts/environment.js').World} */
export function open({ dies = false } = {}) {
  const ids = ['a', 'b', 'c', 'd'];
  return {
    instructions: 'Copy the file `task` to the file `answer`.',
    splits: { train: { count: ids.length, id: (place) => ids[place] ?? '' } },
    sandbox: { megabytes: 100, env: { KIND: 'boxed' } },
    create() {
      let task = '';
      /** @type {import('../../src/contracts/sandbox.js').Sandbox | undefined} */
      let sandbox;
      return {
        async reset(id, { random, sandbox: own }) {
          [task, sandbox] = [`${id} ${random.integer(0, 1000)}`, own];
          await own?.write('task', task);
          return 'It is there.';
        },
        async step(action) {
          if (dies && action === 'die') process.exit(3);
          const answer = await sandbox?.read('answer');
          const { stdout = '' } = (await sandbox?.run('printenv', ['KIND'])) ?? {};
          const success = answer !== undefined && Buffer.from(answer).toString() === task;
          const facts = { success, invalid: false };
          return { observation: stdout.trim(), reward: 0, terminated: action === 'done', truncated: false, facts };
        },
        act: () => 'done',
      };
    },
  };
}
