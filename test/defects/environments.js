import { spawn } from 'node:child_process';
import { clearInterval, setInterval } from 'node:timers';
import { isMainThread } from 'node:worker_threads';

// A good environment, and copies with one defect each. `expected` names the check that must find the defect.

const source = (split, count) => ({
  count,
  id: (index) => `${split}-${index}`,
  random: (random) => `${split}-${random.integer(0, count)}`,
});
const splits = () => ({ train: source('train', 12), validation: source('validation', 5), test: source('test', 5) });

/** Stairs with the same landing in the same split are variants of each other. */
const about = (task) => {
  const [split, number] = task.split('-');
  return { cluster: `${split} ${Number(number) % 7}`, labels: { number: Number(number) } };
};

let made = 0;

/**
 * The task is to climb from a random step to the landing that the task names. Every instance holds a timer and a
 * listener.
 */
class Stairs {
  landing = 0;
  place = 0;
  best = 0;
  disposed = false;
  onWarning = () => undefined;

  constructor() {
    made += 1;
    // A separate event, because Node.js warns about more than ten listeners of one event.
    this.event = `stairs ${made}`;
    this.timer = setInterval(() => undefined, 60_000);
    process.on(this.event, this.onWarning);
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

  act(player, { random }) {
    switch (player) {
      case 'random':
      case 'wanderer':
        return random.choice(['up', 'down']);
      case 'oracle':
        return this.place < this.landing ? 'up' : 'down';
      default:
        throw new Error(`no such player: ${player}`);
    }
  }

  conclude() {
    const progress = Math.max(0, this.best) / this.landing;
    const milestones = { reached: Math.max(0, this.best), total: this.landing };
    return { reward: progress / 2, facts: { success: false, invalid: false, progress, milestones } };
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
    process.off(this.event, this.onWarning);
  }
}

const goodWorld = (create = () => new Stairs()) => ({
  instructions: 'Climb the stairs. Say up or down.',
  splits: splits(),
  about,
  experts: ['oracle', 'wanderer'],
  maxTurns: 30,
  create,
});

/** A world with some members replaced. `change` is called for each opened world. */
const withWorld = (change) => ({ open: (options, host) => ({ ...goodWorld(), ...change(host) }) });

/** Instances with some members replaced. */
const withMembers = (members) =>
  withWorld(() => ({
    create: () => {
      const stairs = new Stairs();
      return Object.assign(stairs, members(stairs));
    },
  }));

/** Instances with another action of one player. */
const withPlayer = (name, action) =>
  withMembers((stairs) => {
    const act = stairs.act.bind(stairs);
    return { act: (player, call) => (player === name ? action(stairs, call) : act(player, call)) };
  });

/** Instances with changed step results. */
const withStep = (change) =>
  withMembers((stairs) => {
    const step = stairs.step.bind(stairs);
    return { step: (action, call) => change(step(action), action, stairs, call) };
  });
const withFacts = (change) =>
  withStep((result, action, stairs) => ({ ...result, facts: { ...result.facts, ...change(result.facts, stairs) } }));
const withReset = (change) =>
  withMembers((stairs) => {
    const reset = stairs.reset.bind(stairs);
    return { reset: (task, context) => change(reset, task, context, stairs) };
  });
const withTrain = (change) => withWorld(() => ({ splits: { ...splits(), train: { ...splits().train, ...change } } }));
const withDetails = (details) => withFacts(() => ({ details: details() }));

let listed = 0;
const registry = [];
const connection = { open: true };
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
    ...withWorld(() => {
      const first = (listed += 1);
      const train = { ...splits().train, id: (index) => `train-${(index + first) % 12}` };
      return { splits: { ...splits(), train } };
    }),
  },
  'task-twice': { expected: 'splits-disjoint', ...withTrain({ id: (i) => `train-${i % 9}` }) },
  'id-without-meaning': {
    expected: 'tasks-differ',
    ...withReset((reset, task, context) => (reset(task, context), reset('train-1', context))),
  },
  'listed-and-unplayable': { expected: 'random-play', ...withTrain({ id: (i) => `train-number-${i}` }) },
  'stranger-is-some-task': {
    expected: 'unknown-task',
    ...withReset((reset, task, context) => reset(/^[a-z]+-\d{1,2}$/.test(task) ? task : 'train-0', context)),
  },
  'oracle-fails': {
    expected: 'oracle',
    ...withPlayer('oracle', ({ place }) => (place === 3 ? 'down' : 'up')),
  },
  'expert-with-other-grammar': {
    expected: 'players',
    ...withPlayer('wanderer', () => 'go up'),
  },
  'throws-on-malformed': {
    expected: 'malformed',
    ...withStep((result, action) => {
      if (/[{[]/.test(action)) JSON.parse(action.slice(1));
      return result;
    }),
  },
  'prototype-is-an-action': {
    expected: 'malformed',
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
    expected: 'malformed',
    ...withStep((result, action) => (result.facts.invalid ? { ...result, observation: `What is ${action}?` } : result)),
  },
  'progress-falls': {
    expected: 'facts',
    ...withFacts((_, { place, landing }) => ({ progress: Math.max(0, Math.min(1, place / landing)) })),
  },
  'progress-in-percent': { expected: 'random-play', ...withFacts(({ progress }) => ({ progress: 100 * progress })) },
  'total-moves': {
    expected: 'facts',
    ...withFacts(({ milestones }, { place }) => ({
      milestones: { ...milestones, total: milestones.total + (place % 2) },
    })),
  },
  'fact-not-declared': { expected: 'facts', facts: ['progress'] },
  'success-taken-back': {
    expected: 'facts',
    ...withStep((result, action) => ({
      ...result,
      terminated: false,
      facts: { ...result.facts, success: result.facts.progress === 1 && action === 'up' },
    })),
  },
  'nan-native-reward': { expected: 'random-play', ...withStep((result) => ({ ...result, reward: 0 / 0 })) },
  'terminated-and-truncated': {
    expected: 'facts',
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
  'key-has-the-way': {
    expected: 'state-key',
    ...withMembers((stairs) => ({ stateKey: () => `${stairs.landing} ${stairs.place} ${stairs.best}` })),
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
    expected: 'deterministic',
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
    ...withMembers((stairs) => ({ dispose: () => void process.off(stairs.event, stairs.onWarning) })),
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
  'no-act': { expected: 'create', ...withMembers(() => ({ act: undefined })) },
  'no-splits': { expected: 'create', ...withWorld(() => ({ splits: undefined })) },
  'server-is-down': {
    expected: 'available',
    ...withMembers(() => ({
      reset: () => Promise.reject(Object.assign(new Error('nobody listens'), { code: 'UNAVAILABLE' })),
    })),
  },
  'infinite-reward': { expected: 'random-play', ...withStep((result) => ({ ...result, reward: 1 / 0 })) },
  'cyclic-details': {
    expected: 'random-play',
    ...withDetails(() => {
      const details = {};
      return Object.assign(details, { all: [details] });
    }),
  },
  'details-with-bigint': { expected: 'random-play', ...withDetails(() => ({ time: 5n })) },
  'getter-throws': {
    expected: 'random-play',
    ...withStep((result) =>
      Object.defineProperty(result, 'reward', {
        get() {
          throw new Error('not computed yet');
        },
      }),
    ),
  },
  'progress-is-nan': { expected: 'random-play', ...withFacts(() => ({ progress: 0 / 0 })) },
  'milestones-below-none': {
    expected: 'random-play',
    ...withFacts(() => ({ milestones: { reached: -5, total: 0 } })),
  },
  'whole-log-as-observation': {
    expected: 'observation-length',
    ...withStep((result) => ({ ...result, observation: `${result.observation}\n${'log '.repeat(5_000)}` })),
  },
  'clusters-by-order': {
    expected: 'about',
    ...withWorld(() => {
      const seen = [];
      return { about: (task) => ({ cluster: String(seen.push(task)) }) };
    }),
  },
  'labels-are-no-data': {
    expected: 'about',
    ...withWorld(() => ({ about: (task) => ({ ...about(task), labels: { hard: task.length > 7 } }) })),
  },
  'deals-tasks-not-clusters': {
    expected: 'clusters',
    ...withWorld(() => ({ about: (task) => ({ cluster: `landing ${task.replace(/\D/g, '') % 7}` }) })),
  },
  'says-clusters-are-shared': { expected: 'clusters', ...withWorld(() => ({ sharesClusters: true })) },
  'names-an-expert-too-many': { expected: 'players', ...withWorld(() => ({ experts: ['oracle', 'demonstrator'] })) },
  'player-moves-on': {
    expected: 'questions-change-nothing',
    ...withPlayer('wanderer', (stairs) => {
      stairs.place += 1;
      return 'up';
    }),
  },
  'player-draws-from-the-game': {
    expected: 'questions-change-nothing',
    ...withMembers((stairs) => {
      const { reset, step, act } = Stairs.prototype;
      let kept;
      return {
        reset: (task, call) => ((kept = call.random), reset.call(stairs, task, call)),
        step: (action) => {
          const result = step.call(stairs, action);
          return { ...result, observation: `${result.observation} The wind blows at ${kept.integer(1, 1000)}.` };
        },
        act: (player, call) => act.call(stairs, player, player === 'wanderer' ? { ...call, random: kept } : call),
      };
    }),
  },
  'grade-by-the-process': {
    expected: 'conclude',
    ...withMembers((stairs) => ({
      conclude: () => ({ ...Stairs.prototype.conclude.call(stairs), reward: Number(process.hrtime.bigint() % 997n) }),
    })),
  },
  'grade-is-no-number': {
    expected: 'conclude',
    ...withMembers((stairs) => ({
      conclude: () => ({ ...Stairs.prototype.conclude.call(stairs), reward: 'half' }),
    })),
  },
  'grading-breaks-the-game': {
    expected: 'conclude',
    ...withMembers((stairs) => {
      let graded = false;
      return {
        conclude: () => ((graded = true), Stairs.prototype.conclude.call(stairs)),
        reset: (task, call) => {
          if (graded) throw new Error('the tests have taken the room down');
          return Stairs.prototype.reset.call(stairs, task, call);
        },
      };
    }),
  },
  'dispose-frees-all-slots': {
    expected: 'instances-apart',
    ...withWorld(() => {
      const slots = new Set();
      const create = () => {
        const stairs = new Stairs();
        const { reset, step, dispose } = Stairs.prototype;
        return Object.assign(stairs, {
          reset: (task, call) => (slots.add(stairs), reset.call(stairs, task, call)),
          step: (action) => {
            if (!slots.has(stairs)) throw new Error('the slot is gone');
            return step.call(stairs, action);
          },
          dispose: () => (slots.clear(), dispose.call(stairs)),
        });
      };
      return { create };
    }),
  },
  'instances-are-numbered': {
    expected: 'instances-apart',
    ...withWorld(() => {
      let made = 0;
      const create = () => {
        const stairs = new Stairs();
        const number = (made += 1);
        const { step } = Stairs.prototype;
        return Object.assign(stairs, {
          step: (action) => ({ ...step.call(stairs, action), observation: `Stairs ${number}, step ${stairs.place}.` }),
        });
      };
      return { create };
    }),
  },
  'one-connection-for-all-worlds': {
    expected: 'worlds-apart',
    ...withWorld(() => {
      connection.open = true;
      const create = () => {
        const stairs = new Stairs();
        const { step } = Stairs.prototype;
        return Object.assign(stairs, {
          step: (action) => {
            if (!connection.open) throw new Error('the connection is closed');
            return step.call(stairs, action);
          },
        });
      };
      return { create, close: () => void (connection.open = false) };
    }),
  },
  'listens-for-ever': {
    expected: 'signals',
    ...withStep((result, _action, _stairs, { signal }) => (signal.addEventListener('abort', () => undefined), result)),
  },
  'late-abort-ends-the-game': {
    expected: 'signals',
    ...withMembers((stairs) => {
      let first;
      return {
        reset: (task, call) => ((first ??= call.signal), Stairs.prototype.reset.call(stairs, task, call)),
        step: (action) => (first.throwIfAborted(), Stairs.prototype.step.call(stairs, action)),
      };
    }),
  },
  'other-in-a-thread': {
    expected: 'fresh-process',
    ...withStep((result) => (isMainThread ? result : { ...result, observation: 'A thread.' })),
  },
  'busy-cannot-be-freed': {
    expected: 'dispose',
    ...withMembers((stairs) => {
      let busy = false;
      return {
        step: async (action) => {
          busy = true;
          await Promise.resolve();
          busy = false;
          return Stairs.prototype.step.call(stairs, action);
        },
        dispose: () => {
          Stairs.prototype.dispose.call(stairs);
          if (busy) throw new Error('a step is under way');
        },
      };
    }),
  },
  'closed-twice': {
    expected: 'dispose',
    ...withWorld(() => {
      let server = { stop: () => undefined };
      return {
        close: () => {
          server.stop();
          server = undefined;
        },
      };
    }),
  },
  'child-lives-on': {
    expected: 'handles',
    ...withWorld(() => {
      const child = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 20_000)'], { stdio: 'ignore' });
      child.unref();
      return {};
    }),
  },
  'draws-from-the-host': {
    expected: 'create',
    open: (_options, host) => goodWorld(() => Object.assign(new Stairs(), { start: host.random.integer(0, 3) })),
  },
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

const contribution = (name, { facts = ['progress', 'milestones'], open = () => goodWorld() } = {}) => ({
  kind: 'environment',
  name,
  summary: 'Climb the stairs',
  options: {},
  facts,
  load: () => Promise.resolve({ open }),
});

export default [
  contribution('healthy'),
  ...Object.entries(defects).map(([name, defect]) => contribution(name, defect)),
];
