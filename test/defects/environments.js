import { clearInterval, setInterval } from 'node:timers';

// A good environment, and the same with one defect each. `expected` names the check that has to find it.

const source = (split, count) => ({
  count,
  id: (index) => `${split}-${index}`,
  random: (random) => `${split}-${random.integer(0, count)}`,
});
const splits = () => ({ train: source('train', 12), validation: source('validation', 5), test: source('test', 5) });

/** Climb to the landing that the task names, from a step drawn at random. Holds a timer and a listener while it lives. */
class Stairs {
  instructions = 'Climb the stairs. Say up or down.';
  experts = {
    oracle: () => (this.place < this.landing ? 'up' : 'down'),
    wanderer: (random) => random.choice(['up', 'down']),
  };
  landing = 0;
  place = 0;
  best = 0;
  disposed = false;
  onWarning = () => undefined;

  constructor() {
    this.timer = setInterval(() => undefined, 60_000);
    process.on('SIGUSR2', this.onWarning);
  }

  reset(task, { random }) {
    const match = /^(train|validation|test)-(\d{1,2})$/.exec(task);
    if (match === null) throw new Error(`no such task: ${task}`);
    this.landing = 4 + ((Number(match[2]) * 5 + match[1].length) % 7);
    this.place = random.integer(0, 3);
    this.best = this.place;
    return `You stand on step ${this.place}, the landing is ${this.landing}.`;
  }

  step(action) {
    const invalid = action !== 'up' && action !== 'down';
    if (!invalid) this.place += action === 'up' ? 1 : -1;
    this.best = Math.max(this.best, this.place);
    const success = this.place === this.landing;
    const progress = Math.max(0, this.best) / this.landing;
    const facts = { success, invalid, progress, milestones: { reached: Math.max(0, this.best), total: this.landing } };
    const observation = invalid ? 'Say up or down.' : `Step ${this.place}.`;
    return { observation, reward: success ? 1 : 0, terminated: success, truncated: false, facts };
  }

  sampleAction(random) {
    return random.choice(['up', 'down']);
  }

  admissible() {
    return ['up', 'down'];
  }

  stateKey() {
    return `${this.place} of ${this.landing}`;
  }

  snapshot() {
    return { landing: this.landing, place: this.place, best: this.best };
  }

  restore({ landing, place, best }) {
    Object.assign(this, { landing, place, best });
  }

  dispose() {
    clearInterval(this.timer);
    process.off('SIGUSR2', this.onWarning);
  }
}

/** A class with some members replaced, its module besides. */
const withMembers = (members) => ({
  create: () => {
    const stairs = new Stairs();
    return Object.assign(stairs, members(stairs));
  },
});

/** Every answer of a step, changed. */
const withStep = (change) =>
  withMembers((stairs) => {
    const step = stairs.step.bind(stairs);
    return { step: (action) => change(step(action), action, stairs) };
  });
const withFacts = (change) =>
  withStep((result, action, stairs) => ({ ...result, facts: { ...result.facts, ...change(result.facts, stairs) } }));
const withReset = (change) =>
  withMembers((stairs) => {
    const reset = stairs.reset.bind(stairs);
    return { reset: (task, context) => change(reset, task, context, stairs) };
  });
const withTrain = (change) => ({ tasks: () => ({ ...splits(), train: { ...splits().train, ...change } }) });

let listed = 0;
const registry = [];
const shared = { place: 0, landing: 0, best: 0 };

export const defects = {
  'nondeterministic-reset': {
    expected: 'deterministic',
    ...withReset((reset, task, context, stairs) => {
      reset(task, context);
      stairs.place = Number(process.hrtime.bigint() % 3n);
      return `You stand on step ${stairs.place}, the landing is ${stairs.landing}.`;
    }),
  },
  'math-random': {
    expected: 'global-random',
    ...withStep((result) => (Math.random() < 2 ? result : { ...result, reward: 0 })),
  },
  'wall-clock': {
    expected: 'clock',
    ...withStep((result) => ({
      ...result,
      observation: `${result.observation} It is the ${new Date().toDateString()}.`,
    })),
  },
  'leak-between-splits': {
    expected: 'splits-disjoint',
    ...withTrain({ id: (i) => (i === 3 ? 'test-1' : `train-${i}`) }),
  },
  'draws-from-other-split': {
    expected: 'task-random',
    ...withTrain({ random: (random) => `test-${random.integer(0, 5)}` }),
  },
  'ids-depend-on-order': {
    expected: 'task-ids-stable',
    tasks: () => {
      const first = (listed += 1);
      const train = { ...splits().train, id: (index) => `train-${(index + first) % 12}` };
      return { ...splits(), train };
    },
  },
  'task-twice': { expected: 'task-ids-unique', ...withTrain({ id: (i) => `train-${i % 9}` }) },
  'id-without-meaning': {
    expected: 'tasks-differ',
    ...withReset((reset, task, context) => (reset(task, context), reset('train-1', context))),
  },
  'listed-and-unplayable': { expected: 'reset', ...withTrain({ id: (i) => `train-number-${i}` }) },
  'stranger-is-some-task': {
    expected: 'unknown-task',
    ...withReset((reset, task, context) => reset(/^[a-z]+-\d{1,2}$/.test(task) ? task : 'train-0', context)),
  },
  'oracle-fails': {
    expected: 'oracle',
    ...withMembers((stairs) => ({ experts: { oracle: () => (stairs.place === 3 ? 'down' : 'up') } })),
  },
  'expert-with-other-grammar': {
    expected: 'experts',
    ...withMembers((stairs) => ({ experts: { ...stairs.experts, demonstrator: () => 'go up' } })),
  },
  'throws-on-malformed': {
    expected: 'malformed-throws',
    ...withStep((result, action) => {
      if (/[{[]/.test(action)) JSON.parse(action.slice(1));
      return result;
    }),
  },
  'prototype-is-an-action': {
    expected: 'malformed-invalid',
    ...withMembers((stairs) => {
      const moves = { up: 1, down: -1 };
      const step = stairs.step.bind(stairs);
      return {
        step: (action) => {
          const known = moves[action] !== undefined;
          const result = step(action);
          return { ...result, facts: { ...result.facts, invalid: !known } };
        },
      };
    }),
  },
  'echoes-the-action': {
    expected: 'malformed-answer',
    ...withStep((result, action) => (result.facts.invalid ? { ...result, observation: `What is ${action}?` } : result)),
  },
  'progress-falls': {
    expected: 'progress-falls',
    ...withFacts((_, { place, landing }) => ({ progress: Math.max(0, Math.min(1, place / landing)) })),
  },
  'progress-in-percent': { expected: 'progress-range', ...withFacts(({ progress }) => ({ progress: 100 * progress })) },
  'total-moves': {
    expected: 'milestones',
    ...withFacts(({ milestones }, { place }) => ({
      milestones: { ...milestones, total: milestones.total + (place % 2) },
    })),
  },
  'fact-not-declared': { expected: 'facts', facts: ['progress'] },
  'success-taken-back': {
    expected: 'success-falls',
    ...withStep((result, action) => ({
      ...result,
      terminated: false,
      facts: { ...result.facts, success: result.facts.progress === 1 && action === 'up' },
    })),
  },
  'nan-native-reward': { expected: 'step-result', ...withStep((result) => ({ ...result, reward: 0 / 0 })) },
  'terminated-and-truncated': {
    expected: 'ending',
    ...withStep((result) => ({ ...result, truncated: result.terminated })),
  },
  'snapshot-shares-state': {
    expected: 'snapshot',
    ...withMembers((stairs) => {
      const state = { landing: 0, place: 0, best: 0 };
      return {
        snapshot: () => Object.assign(state, { landing: stairs.landing, place: stairs.place, best: stairs.best }),
        step: (action) => {
          const result = Stairs.prototype.step.call(stairs, action);
          Object.assign(state, { place: stairs.place, best: stairs.best });
          return result;
        },
      };
    }),
  },
  'key-leaves-state-out': { expected: 'state-key', ...withMembers(() => ({ stateKey: () => 'on the stairs' })) },
  'shows-hidden-state': {
    expected: 'hidden-state',
    ...withStep((result, _, stairs) => ({
      ...result,
      observation: `${result.observation} ${JSON.stringify(stairs.snapshot())}`,
    })),
  },
  'state-in-the-module': {
    expected: 'instances-apart',
    ...withMembers((stairs) =>
      Object.defineProperties(
        {},
        Object.fromEntries(
          ['place', 'landing', 'best'].map((name) => {
            Object.defineProperty(stairs, name, {
              get: () => shared[name],
              set: (value) => {
                shared[name] = value;
              },
              configurable: true,
            });
            return [name, { value: undefined, enumerable: false }];
          }),
        ),
      ),
    ),
  },
  'remembers-episodes': {
    expected: 'independent-episodes',
    ...withMembers((stairs) => {
      let played = 0;
      return {
        reset: (task, context) => `${Stairs.prototype.reset.call(stairs, task, context)} Game ${(played += 1)}.`,
      };
    }),
  },
  'expert-moves-on': {
    expected: 'questions-change-nothing',
    ...withMembers((stairs) => ({
      admissible: () => {
        stairs.place += 1;
        return ['up', 'down'];
      },
    })),
  },
  'order-of-a-locale': {
    expected: 'fresh-process',
    ...withStep((result) => ({ ...result, observation: `${result.observation} ${process.env['TZ'] ?? ''}` })),
  },
  'timer-left': {
    expected: 'handles',
    ...withMembers((stairs) => ({ dispose: () => void process.off('SIGUSR2', stairs.onWarning) })),
  },
  'listener-left': {
    expected: 'global-state',
    ...withMembers((stairs) => ({ dispose: () => clearInterval(stairs.timer) })),
  },
  'dispose-twice': {
    expected: 'dispose',
    ...withMembers((stairs) => ({
      dispose: () => {
        if (stairs.disposed) throw new Error('disposed of already');
        stairs.disposed = true;
        Stairs.prototype.dispose.call(stairs);
      },
    })),
  },
  'admissible-is-illegal': {
    expected: 'admissible',
    ...withMembers(() => ({ admissible: () => ['up', 'down', 'jump'] })),
  },
  'no-sample-action': { expected: 'create', ...withMembers(() => ({ sampleAction: undefined })) },
  'exits-in-step': {
    expected: 'exits',
    ...withStep((result, action) => (action === 'null' ? process.exit(0) : result)),
  },
  'hangs-in-step': {
    expected: 'deadline',
    ...withStep((result, action) => {
      while (/^(__proto__|constructor|toString|null)$/.test(action)) registry.length = 0;
      return result;
    }),
  },
  'prints-in-step': {
    expected: 'silent',
    ...withStep((result) => (console.log('step'), result)),
  },
  'never-answers': {
    expected: 'create',
    ...withMembers(() => ({ reset: () => new Promise(() => undefined) })),
  },
};

const contribution = (name, { facts = ['progress', 'milestones'], ...module } = {}) => ({
  kind: 'environment',
  name,
  summary: 'Climb the stairs',
  options: {},
  facts,
  maxTurns: 30,
  load: () => Promise.resolve({ tasks: splits, create: () => new Stairs(), ...module }),
});

export default [
  contribution('healthy'),
  ...Object.entries(defects).map(([name, defect]) => contribution(name, defect)),
];
