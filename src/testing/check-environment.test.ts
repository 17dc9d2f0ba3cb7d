// A kit that passes everything proves nothing: for each check there is one broken environment, and the check must catch it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { afterAll, describe, expect, it } from 'vitest';

import type { Environment, Facts, StepResult, TaskSource, TaskSplits } from '../contracts/environment.js';
import type { Json } from '../contracts/json.js';
import type { Random } from '../contracts/random.js';
import { checkEnvironment, environmentChecks } from './check-environment.js';
import { describeEnvironment } from './describe-environment.js';
import type { EnvironmentCheckSettings, EnvironmentSubject } from './environment-checks/environment-subject.js';

/** Walk from a start, drawn at random, to the number in the task's id: a good environment, and the root of all broken ones. */
class Walk implements Environment {
  readonly instructions = 'Say up or down.';
  readonly experts: NonNullable<Environment['experts']> = { oracle: () => this.wanted() };
  protected target = 0;
  protected place = 0;
  protected steps = 0;
  protected best = 0;

  reset(task: string, { random }: { random: Random }): string {
    const match = /^(?:train|validation|test)-(\d{1,3})$/.exec(task);
    if (match === null) throw new Error('no such task');
    this.target = 5 + (Number(match[1]) % 7);
    this.place = random.integer(0, 3);
    this.steps = 0;
    this.best = 0;
    return `You stand at ${this.place} and want to be at ${this.target}.`;
  }

  step(action: string): StepResult {
    const invalid = action !== 'up' && action !== 'down';
    if (!invalid) this.place += action === 'up' ? 1 : -1;
    this.steps += 1;
    this.best = Math.max(this.best, this.place);
    const success = this.place === this.target;
    return this.answer(invalid ? 'Say up or down.' : `You stand at ${this.place}.`, {
      success,
      invalid,
      ...this.counts(),
    });
  }

  sampleAction(random: Random): string {
    return random.choice(['up', 'down']);
  }

  admissible(): readonly string[] {
    return ['up', 'down'];
  }

  stateKey(): string {
    return String(this.place);
  }

  snapshot(): Json {
    return [this.target, this.place, this.steps, this.best];
  }

  restore(state: Json): void {
    [this.target, this.place, this.steps, this.best] = state as [number, number, number, number];
  }

  dispose(): void {
    this.steps = 0;
  }

  /** Nobody has to answer where the game has ended, so no check may ask. */
  protected wanted(): string {
    if (this.place === this.target) throw new Error('the walk is over');
    return this.place < this.target ? 'up' : 'down';
  }

  protected counts(): Partial<Facts> {
    return { progress: this.best / this.target, milestones: { reached: this.best, total: this.target } };
  }

  protected answer(observation: string, facts: Facts): StepResult {
    return { observation, reward: facts.success ? 1 : 0, terminated: facts.success, truncated: false, facts };
  }
}

const source = (name: string, count: number): TaskSource => ({
  count,
  id: (index) => `${name}-${index}`,
  random: (random) => `${name}-${random.integer(0, count)}`,
});
const splits: TaskSplits = { train: source('train', 9), validation: source('validation', 4), test: source('test', 4) };

type Subject = EnvironmentSubject<undefined>;

const good: Subject = {
  contribution: { name: 'walk', facts: ['progress', 'milestones'], maxTurns: 20 },
  options: undefined,
  tasks: () => splits,
  create: () => new Walk(),
};

const settings: EnvironmentCheckSettings = { tasks: 3, turns: 25, malformed: 60, secondsPerAction: 5 };

/** The good environment with some of its members replaced; `this` is the instance. */
function broken(change: (walk: Walk) => Partial<Environment>): Partial<Subject> {
  return {
    create: () => {
      const walk = new Walk();
      return Object.assign(walk, change(walk));
    },
  };
}

/** Every answer of a step, changed. */
function brokenStep(change: (result: StepResult, action: string) => unknown): Partial<Subject> {
  return broken((walk) => {
    const step = walk.step.bind(walk);
    return { step: (action) => change(step(action), action) as StepResult };
  });
}

const withFacts = (change: (facts: Facts) => object): Partial<Subject> =>
  brokenStep((result) => ({ ...result, facts: { ...result.facts, ...change(result.facts) } }));

const withTrain = (train: Partial<TaskSource>): Partial<Subject> => ({
  tasks: () => ({ ...splits, train: { ...splits.train, ...train } }),
});

/** One walk for everybody. */
const shared = new Walk();
const listener = (): void => undefined;
const dayAfterTomorrow = Date.now() + 2 * 86_400_000;
let calls = 0;
const timers: NodeJS.Timeout[] = [];

/** A module whose bytes depend on the locale of the process. */
const localeModule = `
const source = { count: 1, id: () => 'one ' + process.env.TZ, random: () => 'one' };
export const tasks = () => ({ train: source, validation: source, test: source });
export function create() {
  let place;
  return {
    instructions: '',
    reset: (task) => { place = 0; return task; },
    step: () => { place += 1; return { observation: process.env.LC_ALL, reward: 0, terminated: place > 2, truncated: false, facts: { success: false, invalid: false } }; },
    sampleAction: () => 'up',
  };
}`;
// Inside the repository, so that a child process finds @agentgym/cli from there.
const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(`${cache}kit-`);
writeFileSync(`${folder}/locale.js`, localeModule);
afterAll(() => rmSync(folder, { recursive: true }));

/** One broken environment for each check. */
const fixtures: Record<string, Partial<Subject> & { readonly settings?: EnvironmentCheckSettings }> = {
  'task-ids-stable': {
    tasks: () => ({ ...splits, train: { ...splits.train, id: (index) => `train-${index + 10 * (calls += 1)}` } }),
  },
  'task-ids-unique': withTrain({ id: (index) => `train-${index % 5}` }),
  'splits-disjoint': withTrain({ id: (index) => (index === 7 ? 'test-2' : `train-${index}`) }),
  'task-random': withTrain({ random: (random) => `test-${random.integer(0, 4)}` }),
  reset: withTrain({ id: (index) => `train-no-${index}` }),
  'random-play': broken(() => ({
    sampleAction: () => {
      throw new Error('nothing to choose from');
    },
  })),
  'sample-action': broken(() => ({ sampleAction: () => 'UP' })),
  'step-result': brokenStep((result) => ({ ...result, reward: Number.NaN })),
  'progress-range': withFacts(({ progress }) => ({ progress: (progress ?? 0) * 100 })),
  'progress-falls': broken((walk) => {
    const step = walk.step.bind(walk);
    return {
      step: (action) => {
        const result = step(action);
        return { ...result, facts: { ...result.facts, progress: Math.max(0, Number(walk.stateKey())) / 100 } };
      },
    };
  }),
  facts: { contribution: { ...good.contribution, facts: ['progress'] } },
  milestones: withFacts(({ milestones }) => ({
    milestones: { reached: (milestones?.total ?? 0) + 1, total: milestones?.total },
  })),
  'success-ends': brokenStep((result) => ({ ...result, terminated: false })),
  'success-falls': brokenStep((result, action) => ({
    ...result,
    terminated: false,
    facts: { ...result.facts, success: action === 'up' },
  })),
  ending: brokenStep((result) => ({ ...result, truncated: result.terminated })),
  oracle: broken((walk) => ({ experts: { oracle: () => (walk.stateKey() === '3' ? 'down' : 'up') } })),
  'maximum-turns': { contribution: { name: 'walk', maxTurns: 2 } },
  deterministic: brokenStep((result) => ({ ...result, observation: `${result.observation} ${Math.random()}` })),
  'independent-episodes': broken(() => {
    let turns = 0;
    return { stateKey: () => '', reset: Walk.prototype.reset, instructions: '', ...countingStep(() => (turns += 1)) };
  }),
  'questions-change-nothing': broken((walk) => ({
    admissible: () => {
      walk.step('up');
      return ['up', 'down'];
    },
  })),
  snapshot: broken((walk) => ({ snapshot: () => [5, Number(walk.stateKey()) + 1, 0, 0] })),
  'state-key': broken(() => ({ stateKey: () => 'somewhere' })),
  'fresh-process': { settings: { freshProcess: pathToFileURL(`${folder}/locale.js`) } },
  'tasks-differ': broken((walk) => ({
    reset: (_task, context) => Walk.prototype.reset.call(walk, 'train-1', context),
  })),
  'instances-apart': { create: () => shared },
  'global-random': brokenStep((result) => ({
    ...result,
    observation: result.observation + ' '.repeat(0 * Math.random()),
  })),
  clock: brokenStep((result) => (Date.now() > dayAfterTomorrow ? { ...result, observation: 'It is late.' } : result)),
  'global-state': broken(() => {
    process.on('SIGUSR2', listener);
    return {};
  }),
  'hidden-state': broken((walk) => {
    const step = walk.step.bind(walk);
    return {
      snapshot: () => ({ all: Walk.prototype.snapshot.call(walk) }),
      restore: (state) => Walk.prototype.restore.call(walk, (state as { all: Json }).all),
      step: (action) => {
        const result = step(action);
        return {
          ...result,
          observation: `${result.observation} ${JSON.stringify({ all: Walk.prototype.snapshot.call(walk) })}`,
        };
      },
    };
  }),
  experts: broken(() => ({ experts: { oracle: () => 'up', demonstrator: () => 'UP' } })),
  'malformed-throws': brokenStep((result, action) => {
    if (action.length > 0 && !/^\w+$/.test(action)) throw new Error('unexpected token');
    return result;
  }),
  'malformed-invalid': brokenStep((result, action) => ({
    ...result,
    facts: { ...result.facts, invalid: action === '' },
  })),
  'malformed-answer': brokenStep((result, action) =>
    result.facts.invalid ? { ...result, observation: `I do not know ${action}` } : result,
  ),
  'malformed-slow': {
    settings: { secondsPerAction: 0.03 },
    ...brokenStep((result, action) => {
      const until = performance.now() + (action.length > 1_000_000 ? 60 : 0);
      while (performance.now() < until);
      return result;
    }),
  },
  'unknown-task': broken((walk) => {
    const reset = walk.reset.bind(walk);
    return { reset: (task, context) => reset(/^[a-z]+-\d+$/.test(task) ? task : 'train-0', context) };
  }),
  admissible: broken(() => ({ admissible: () => ['up', 'down', 'sideways'] })),
  dispose: broken(() => {
    let disposed = false;
    return {
      dispose: () => {
        if (disposed) throw new Error('already disposed of');
        disposed = true;
      },
    };
  }),
  handles: broken(() => {
    timers.push(setInterval(() => undefined, 60_000));
    return {};
  }),
};

/** A step that tells how many turns this instance has ever played. */
function countingStep(count: () => number): Partial<Environment> {
  const step = Walk.prototype.step;
  return {
    step(this: Walk, action: string) {
      return { ...step.call(this, action), observation: `turn ${count()}` };
    },
  };
}

describe('checkEnvironment', () => {
  it('finds nothing in a good environment', async () => {
    expect(await checkEnvironment(good, settings)).toEqual([]);
  });

  it('finds nothing where the optional members are missing', async () => {
    const create = () => {
      const walk = new Walk();
      const { instructions } = walk;
      return {
        instructions,
        reset: walk.reset.bind(walk),
        step: walk.step.bind(walk),
        sampleAction: walk.sampleAction.bind(walk),
      };
    };
    expect(await checkEnvironment({ ...good, create }, settings)).toEqual([]);
  });

  it('has one broken environment for each check', () => {
    expect(Object.keys(fixtures).toSorted()).toEqual(environmentChecks.map(({ id }) => id).toSorted());
  });

  it.each(Object.entries(fixtures))('%s catches its broken environment', async (id, { settings: more, ...change }) => {
    const findings = await checkEnvironment({ ...good, ...change }, { ...settings, ...more });
    const found = findings.find((finding) => finding.id === id);
    expect(found, `found only ${findings.map((finding) => finding.id).join(', ')}`).toBeDefined();
    expect(found?.message).not.toMatch(/could not be finished|process broke/);
    expect(found?.likelyCause).not.toBe('');
    for (const timer of timers.splice(0)) clearInterval(timer);
    process.removeAllListeners('SIGUSR2');
  });

  it('facts are asked for where they are declared, and to be declared where they are reported', async () => {
    const messages = async (change: Partial<Subject>) =>
      (await checkEnvironment({ ...good, ...change }, settings))
        .filter(({ id }) => id === 'facts')
        .map(({ message }) => message);
    expect(await messages(withFacts(() => ({ milestones: undefined })))).toEqual([
      expect.stringMatching(/turn 0.*`milestones` is declared and not reported$/),
    ]);
    expect(await messages({ contribution: { name: 'walk' } })).toEqual([
      expect.stringMatching(/`progress` is reported and not declared: write `facts: \['progress'\]`/),
    ]);
  });

  it('fresh-process tells other tasks from tasks that are played differently', async () => {
    const findings = await checkEnvironment(good, { ...settings, ...fixtures['fresh-process']?.settings });
    const messages = findings.filter(({ id }) => id === 'fresh-process').map(({ message }) => message);
    expect(messages).toContain('the splits hold other tasks');
    expect(messages.filter((message) => message.endsWith('is played differently'))).not.toHaveLength(0);
  });

  it('reports an environment that cannot be created, and leaves out what is accepted', async () => {
    const create = () => {
      throw new Error('no database');
    };
    expect(await checkEnvironment({ ...good, create }, settings)).toMatchObject([
      { id: 'create', message: 'no database' },
    ]);
    const late = { ...good, contribution: { ...good.contribution, maxTurns: 2 } };
    expect(await checkEnvironment(late, { ...settings, accept: ['maximum-turns'] })).toEqual([]);
  });
});

describe('describeEnvironment', () => {
  it('declares a test for each check, and those of broken things fail with their cause', async () => {
    const declared = new Map<string, () => Promise<void>>();
    const late = { ...good, contribution: { ...good.contribution, maxTurns: 2 } };
    describeEnvironment((name, body) => declared.set(name, body), late, settings);
    expect(declared.size).toBe(environmentChecks.length + 1);
    const outcomes = await Promise.allSettled([...declared.values()].map((body) => body()));
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(failed).toHaveLength(1);
    expect(String(failed[0]?.reason)).toMatch(/maximum-turns[^]*likely cause/);
  });
});
