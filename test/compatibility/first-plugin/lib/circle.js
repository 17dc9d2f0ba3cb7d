/** Task n begins at starts[floor(n / 3) % length] and belongs to the split n % 3. */
export function tasks(_options) {
  const source = (remainder) => ({
    count: 30,
    id: (index) => `circle-${3 * index + remainder}`,
    random: (random) => `circle-${3 * random.integer(0, 30) + remainder}`,
  });
  return { train: source(0), validation: source(1), test: source(2), cluster: (task) => task.slice(-1) };
}
/** Say the next number of a circle, twice. */
export function create({ size, reply, starts, names, title, strict }, host) {
  let [at, reached] = [0, 0];
  let facts = { success: false, invalid: false };
  host.log.info(`a circle of ${size}`);
  return {
    instructions: `${title === null ? '' : `${title}\n`}Say the next number; after ${size - 1} comes 0.`,
    experts: { oracle: () => String((at + 1) % size), demonstrator: () => String((at + 1) % size) },
    reset(task) {
      const number = /^circle-(\d+)$/.exec(task)?.[1];
      if (number === undefined) throw new Error(`no such task: ${task}`);
      at = (starts[Math.floor(Number(number) / 3) % starts.length] ?? 0) % size;
      reached = 0;
      facts = { success: false, invalid: false };
      return `at ${at}`;
    },
    step(action) {
      const invalid = !/^\d$/.test(action) || Number(action) >= size;
      const right = !invalid && Number(action) === (at + 1) % size;
      if (right) {
        at = (at + 1) % size;
        reached += 1;
      }
      facts = { success: reached === 2, invalid };
      return {
        observation: reply === 'number' ? `at ${at}` : 'go on',
        reward: Number(right),
        terminated: facts.success || (strict && !right),
        truncated: false,
        facts: {
          ...facts,
          progress: reached / 2,
          milestones: { reached, total: 2 },
          details: { name: names[reached % names.length] ?? '' },
        },
      };
    },
    sampleAction: (random) => String(random.integer(0, size)),
    admissible: () => Array.from({ length: size }, (_, number) => String(number)),
    stateKey: () => `${at}/${reached}`,
    snapshot: () => [at, reached],
    restore(state) {
      [at, reached] = state;
    },
    dispose: () => undefined,
  };
}
