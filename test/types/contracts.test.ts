// Examples in the doc comments of the contracts are whole files. Together they compile and pass the conformance kits.
// Each mistake in the list below is a type error that names the problem.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type {
  AlgorithmModule,
  EnvironmentModule,
  FormatModule,
  OptionsDeclaration,
  RewardModule,
  ToolModule,
} from '@agentgym/cli';
import {
  algorithmKit,
  environmentKit,
  formatKit,
  judgeKit,
  optionDefaults,
  rewardKit,
  toolKit,
} from '@agentgym/cli/testing';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';

import { readExamples } from './read-examples.js';
import { typeErrors } from './type-errors.js';

interface Mistake {
  readonly file: string;
  /** Text of the example, and its replacement. */
  readonly change: readonly [from: string, to: string];
  /** The file with the error, if it is another one. */
  readonly refused?: string;
  readonly says: RegExp;
}

const mistakes: Record<string, Mistake> = {
  'an option of an unknown type': {
    file: 'options.ts',
    change: ["type: 'integer'", "type: 'int'"],
    says: /"int"/,
  },
  'a default of another type': {
    file: 'options.ts',
    change: ['default: 6', "default: '6'"],
    says: /'string' is not assignable to type 'number'/,
  },
  'an option that may be unset, read as if it were set': {
    file: 'options.ts',
    change: ['default: 6', 'default: null'],
    refused: 'die.ts',
    says: /'sides' is possibly 'null'/,
  },
  'an option that is not declared': {
    file: 'die.ts',
    change: ['{ sides, reply }: Options', '{ sides, reply, colour }: Options'],
    says: /'colour' does not exist/,
  },
  'a choice that there is not': {
    file: 'die.ts',
    change: ["reply === 'side'", "reply === 'sides'"],
    says: /'"none" \| "side"' and '"sides"' have no overlap/,
  },
  'a turn that says too little': {
    file: 'die.ts',
    change: ['facts: { success, invalid }', 'facts: { success }'],
    says: /'invalid' is missing/,
  },
  'an environment that cannot play at random': {
    file: 'die.ts',
    change: ['act:', 'randomAction:'],
    says: /'act' is missing/,
  },
  'a world that makes no instances': {
    file: 'die.ts',
    change: ['create()', 'start()'],
    says: /'start' does not exist in type 'World'/,
  },
  'a split of another name': {
    file: 'die.ts',
    change: [', test: every(2)', ', tests: every(2)'],
    says: /'tests' does not exist in type/,
  },
  'an environment that wants a stream where there is none': {
    file: 'die.ts',
    change: ['step(action)', 'step(action, { random })'],
    says: /'random' does not exist on type 'Call'/,
  },
  'an open that wants an option of another type': {
    file: 'die.ts',
    change: ['{ sides, reply }: Options', '{ sides, reply }: { sides: string; reply: string }'],
    refused: 'index.ts',
    says: /'number' is not assignable to type 'string'/,
  },
  'an open that wants an option that is not declared': {
    file: 'die.ts',
    change: ['{ sides, reply }: Options', '{ sides, reply }: Options & { colour: string }'],
    refused: 'index.ts',
    says: /'colour' is missing/,
  },
  'an open that wants something else than the host': {
    file: 'die.ts',
    change: ['{ sides, reply }: Options', '{ sides, reply }: Options, _seed: number'],
    refused: 'index.ts',
    says: /'EnvironmentHost' is not assignable to type 'number'/,
  },
  'an open that wants a stream of the host': {
    file: 'die.ts',
    change: ['{ sides, reply }: Options', '{ sides, reply }: Options, _host: { readonly random: object }'],
    refused: 'index.ts',
    says: /'random' is missing/,
  },
  'a module that opens nothing': {
    file: 'die.ts',
    change: ['function open', 'function start'],
    refused: 'index.ts',
    says: /'open' is missing/,
  },
  'a thread that there is not': {
    file: 'index.ts',
    change: ['    options,\n', "    options,\n    play: { thread: 'process' },\n"],
    says: /'"process"' is not assignable to type '"main" \| "worker"/,
  },
  'a contribution whose type forgets the options': {
    file: 'index.ts',
    change: ['<typeof options>', ''],
    says: /'OptionsOf<OptionsDeclaration>' is missing the following properties/,
  },
  'a contribution of another kind': {
    file: 'index.ts',
    change: ["kind: 'environment'", "kind: 'reward'"],
    says: /'"reward"' is not assignable to type '"environment"'/,
  },
  'a contribution that does not say its options': {
    file: 'index.ts',
    change: ['    options,\n', ''],
    says: /'options' is missing/,
  },
  'a reward without bounds': {
    file: 'reward.ts',
    change: [
      '    bounds: ({ horizon, discount = 1 }) => ({ success: [discount ** (horizon - 1), 1], failure: [0, 0] }),\n',
      '',
    ],
    says: /'bounds' is missing/,
  },
  'bounds that do not cover failures': {
    file: 'reward.ts',
    change: [', failure: [0, 0]', ''],
    says: /'failure' is missing/,
  },
  'an action format that cannot write': {
    file: 'format.ts',
    change: ['render:', 'write:'],
    says: /'write' does not exist in type 'ActionFormat'/,
  },
  'a malformed text without a reply': {
    file: 'format.ts',
    change: [", observation: 'An action begins with a colon.'", ''],
    says: /'observation' is missing/,
  },
  'a tool that cannot be told of': {
    file: 'letters.ts',
    change: ['instructions:', 'help:'],
    says: /'help' does not exist in type 'Tool'/,
  },
  'a role that nobody has': {
    file: 'algorithm.ts',
    change: ['roles: []', "roles: ['judge']"],
    says: /'"judge"' is not assignable to type 'AlgorithmRole'/,
  },
  'an algorithm without weights': {
    file: 'algorithm.ts',
    change: ['weights:', 'scales:'],
    says: /'scales' does not exist in type 'Algorithm'/,
  },
  'a number where a loss needs an expression': {
    file: 'clipped-loss.ts',
    change: ['ops.constant(0)', '0'],
    says: /'number' is not assignable to parameter of type 'LossExpression'/,
  },
  'a quantity that no batch has': {
    file: 'clipped-loss.ts',
    change: ['logprobs, advantages', 'logprobs, advantage'],
    says: /'advantage' does not exist on type 'LossInputs'/,
  },
  'an optimizer step without a learning rate': {
    file: 'supervised-step.ts',
    change: ['learningRate: 1e-3, ', ''],
    says: /'learningRate' is missing/,
  },
  'a mask that is neither 0 nor 1': {
    file: 'episode.ts',
    change: ['mask: [0, ', 'mask: [2, '],
    says: /'2' is not assignable to type '0 \| 1'/,
  },
  'an episode that is not over': {
    file: 'episode.ts',
    change: ["  finalObservation: 'It shows 6.',\n", ''],
    says: /'finalObservation' is missing/,
  },
  'a journal without checkpoints': {
    file: 'memory-journal.ts',
    change: ['  checkpoint(): void {}\n', ''],
    says: /'checkpoint' is missing/,
  },
  'an event that was forgotten': {
    file: 'line-of-event.ts',
    change: ["    case 'warning':\n", ''],
    says: /lacks ending return statement/,
  },
};

const examples = readExamples();
let errors: ReadonlyMap<string, readonly string[]>;

beforeAll(() => {
  const files = new Map(examples.map(({ name, text }) => [`right/${name}`, text]));
  for (const [what, { file, change }] of Object.entries(mistakes)) {
    for (const { name, text } of examples) {
      files.set(`${what}/${name}`, name === file ? text.replace(...change) : text);
    }
  }
  errors = typeErrors(files);
}, 60_000);

describe('examples of the contracts', () => {
  it('stand in every contract that a plugin or a trainer implements', () => {
    const subjects =
      'environment reward policy format algorithm loss tool player sampler curriculum plugin trajectory journal events options';
    const contracts = new Set(examples.map(({ contract }) => contract));
    expect(contracts).toEqual(new Set(subjects.split(' ').map((name) => `src/contracts/${name}.ts`)));
  });

  it.each(examples.map(({ name, contract }) => [contract, name]))('%s: %s compiles', (_contract, name) => {
    expect(errors.get(`right/${name}`)).toEqual([]);
  });
});

describe('types refuse', () => {
  it.each(Object.entries(mistakes))('%s', (what, { file, change: [from], refused = file, says }) => {
    expect(examples.find(({ name }) => name === file)?.text).toContain(from);
    expect(errors.get(`${what}/${refused}`)?.join('\n')).toMatch(says);
  });
});

// The type check of all tests checks these types before the tests run.
it('makes types of options', () => {
  const declaration = {
    flag: { type: 'boolean', default: false, description: '' },
    count: { type: 'integer', default: 1, description: '' },
    limit: { type: 'integer', default: null, description: '' },
    share: { type: 'number', default: 0.5, description: '' },
    cap: { type: 'number', default: null, description: '' },
    title: { type: 'string', default: 'x', description: '' },
    file: { type: 'string', default: null, description: '' },
    way: { type: 'choice', choices: ['up', 'down'], default: 'up', description: '' },
    depths: { type: 'integers', default: [1], description: '' },
    words: { type: 'strings', default: [], description: '' },
  } as const satisfies OptionsDeclaration;
  const values = optionDefaults(declaration);
  expect(Object.keys(values)).toEqual(Object.keys(declaration));
  expectTypeOf(values).toEqualTypeOf<{
    readonly flag: boolean;
    readonly count: number;
    readonly limit: number | null;
    readonly share: number;
    readonly cap: number | null;
    readonly title: string;
    readonly file: string | null;
    readonly way: 'up' | 'down';
    readonly depths: readonly number[];
    readonly words: readonly string[];
  }>();
});

describe('the kits find nothing in', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-examples-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Imports the example as a compiled module. */
  async function load<Module>(name: string): Promise<Module> {
    const text = examples.find((example) => example.name === name)?.text ?? '';
    const file = join(folder, name.replace(/\.ts$/, '.mjs'));
    writeFileSync(file, ts.transpile(text, { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }));
    return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Module;
  }

  it('the environment', async () => {
    const die = await load<EnvironmentModule<{ sides: number; reply: string }>>('die.ts');
    const subject = { ...die, options: { sides: 6, reply: 'side' }, contribution: { name: 'die' } };
    expect(await environmentKit.check(subject)).toEqual([]);
  });

  it('the reward', async () => {
    expect(await rewardKit.check({ ...(await load<RewardModule<object>>('reward.ts')), options: {} })).toEqual([]);
  });

  it('the judge', async () => {
    expect(await judgeKit.check({ ...(await load<RewardModule<object>>('judge.ts')), options: {} })).toEqual([]);
  });

  it('the action format', async () => {
    expect(await formatKit.check({ ...(await load<FormatModule<object>>('format.ts')), options: {} })).toEqual([]);
  });

  it('the tool', async () => {
    const tool = await load<ToolModule<object>>('letters.ts');
    expect(await toolKit.check({ ...tool, options: {} }, { calls: ['<letters></letters>'] })).toEqual([]);
  });

  it('the algorithm', async () => {
    expect(await algorithmKit.check({ ...(await load<AlgorithmModule<object>>('algorithm.ts')), options: {} })).toEqual(
      [],
    );
  });
});
