/** Task n begins at starts[floor(n / 3) % length] and belongs to the split n % 3. */
const source = (remainder) => ({
  count: 30,
  id: (place) => `circle-${3 * place + remainder}`,
  random: (random) => `circle-${3 * random.integer(0, 30) + remainder}`,
});
function startOf(task, { size, starts }) {
  const number = /^circle-(\d+)$/.exec(task)?.[1];
  if (number === undefined) throw new Error(`no such task: ${task}`);
  return (starts[Math.floor(Number(number) / 3) % starts.length] ?? 0) % size;
}
/** Say the next number of a circle, twice. */
export function open(options, host) {
  const { size, title } = options;
  host.log.info(`a circle of ${size}`);
  return {
    instructions: `${title === null ? '' : `${title}\n`}Say the next number; after ${size - 1} comes 0.`,
    splits: { train: source(0), validation: source(1), test: source(2) },
    about(task) {
      const start = startOf(task, options);
      return { cluster: `from ${start}`, labels: { start, kind: start % 2 === 0 ? 'even' : 'odd' } };
    },
    experts: ['oracle', 'demonstrator'],
    maxTurns: 2,
    sharesClusters: true,
    create: () => newCircle(options),
    close: () => undefined,
  };
}
function newCircle(options) {
  const { size, reply, names, strict } = options;
  let [at, reached] = [0, 0];
  let facts = { success: false, invalid: false };
  const told = (invalid) => ({
    success: reached === 2,
    invalid,
    progress: reached / 2,
    milestones: { reached, total: 2 },
    details: { name: names[reached % names.length] ?? '' },
  });
  return {
    reset(task) {
      [at, reached] = [startOf(task, options), 0];
      facts = told(false);
      return { observation: `at ${at}` };
    },
    step(action) {
      const invalid = !/^\d$/.test(action) || Number(action) >= size;
      const right = !invalid && Number(action) === (at + 1) % size;
      if (right) {
        at = (at + 1) % size;
        reached += 1;
      }
      facts = told(invalid);
      return {
        observation: reply === 'number' ? `at ${at}` : 'go on',
        reward: Number(right),
        terminated: facts.success || (strict && !right),
        truncated: false,
        facts,
      };
    },
    act(player, { random }) {
      if (player === 'random') return String(random.integer(0, size));
      if (player === 'oracle' || player === 'demonstrator') return String((at + 1) % size);
      throw new Error(`no such player: ${player}`);
    },
    conclude: () => ({ reward: 0, facts }),
    admissible: () => Array.from({ length: size }, (_, number) => String(number)),
    stateKey: () => `${at}/${reached}`,
    snapshot: () => [at, reached],
    restore(state) {
      [at, reached] = state;
    },
    dispose: () => undefined,
  };
}
