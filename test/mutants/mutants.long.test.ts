// Runs mutants of recipes through the service that `train` calls. Through the command line: `npm run mutants -- --count
// 2000 --seed 7`.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it } from 'vitest';

import { describeFailure } from '../../src/cli/describe-failure.js';
import type { PolicyContribution } from '../../src/contracts/plugin.js';
import { builtInHost } from '../../src/experiments/fixtures/built-in-host.js';
import { planTraining, type PlannedTraining } from '../../src/experiments/start-training.js';
import type { LocatedContribution, PluginHost } from '../../src/plugins/open-plugin-host.js';
import { TabularPolicy } from '../../src/testing/tabular-policy.js';
import { isSmall, offencesOf } from './judge.js';
import { type Mutant, mutantMaker } from './make-mutant.js';

const count = 60;
/** Number of accepted mutants that train the transformer. The others train a table, in a tenth of the time. */
const trainedForReal = 2;

const folder = mkdtempSync(join(tmpdir(), 'agentgym-mutants-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Replaces the transformer by a table with the same options and the same estimate. */
function withTable(host: PluginHost): PluginHost {
  return {
    ...host,
    load: (async (located: LocatedContribution) => {
      const module = await host.load(located);
      if (located.kind !== 'policy') return module;
      const table: Awaited<ReturnType<PolicyContribution['load']>> = {
        ...(module as Awaited<ReturnType<PolicyContribution['load']>>),
        create: async (_options, _host, context) => {
          const policy = await TabularPolicy.fromContext({ contextLength: 3 }, context);
          const reset = policy.resetOptimizer.bind(policy);
          // The table has only `adamw`. It claims to have `muon` too, because the transformer has it.
          const capabilities = { ...policy.capabilities, optimizers: ['adamw', 'muon'] };
          Object.defineProperty(policy, 'capabilities', { value: capabilities });
          policy.resetOptimizer = () => reset({ name: 'adamw', options: {} });
          return policy;
        },
      };
      return table;
    }) as PluginHost['load'],
  };
}

interface Answer {
  readonly code: number;
  readonly document: Parameters<typeof offencesOf>[1];
  readonly seconds: number;
}

/** The answer of the command to a mutant. */
async function answerOf(
  mutant: Mutant,
  host: PluginHost,
  work: (planned: PlannedTraining) => Promise<object>,
  sets: readonly string[] = [],
): Promise<Answer> {
  const file = join(folder, mutant.file);
  writeFileSync(file, mutant.text);
  const log = { info: () => undefined, warn: () => undefined };
  const settings = { log, signal: new AbortController().signal, cacheDirectory: join(folder, 'cache') };
  const places = { cwd: folder, runsFolder: join(folder, 'runs') };
  const begun = process.cpuUsage();
  const seconds = () => {
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1e6;
  };
  try {
    const planned = await planTraining({ source: file, sets, ...places, host, settings, version: '0.1.0' });
    const document = (await work(planned)) as Answer['document'];
    return { code: 0, document, seconds: seconds() };
  } catch (thrown) {
    const { exitCode, error, stack } = describeFailure(thrown);
    return {
      code: exitCode,
      document: { error: stack === undefined ? error : { ...error, message: stack } },
      seconds: seconds(),
    };
  }
}

it('every mutant of a recipe is taken or refused with its place, and what is taken begins to train', async () => {
  const host = await builtInHost();
  const table = withTable(host);
  const make = await mutantMaker(host);
  const offending: object[] = [];
  let [accepted, trained] = [0, 0];
  for (let seed = 1; seed <= count; seed += 1) {
    const mutant = make(seed);
    const checked = await answerOf(mutant, host, ({ check }) => check());
    const offences = offencesOf(checked.code, checked.document, checked.seconds);
    if (existsSync(join(folder, 'runs'))) offences.push('a check wrote something');
    if (checked.code === 0) accepted += 1;
    if (checked.code === 0 && isSmall(mutant.text, checked.document ?? {})) {
      trained += 1;
      const by = trained <= trainedForReal ? host : table;
      const run = await answerOf(mutant, by, ({ run }) => run(() => undefined), ['stopAfter.seconds=0']);
      const began = existsSync(join(folder, 'runs')) && readdirSync(join(folder, 'runs')).length === 1;
      if (run.code !== 0) offences.push(`trained: ${run.code} ${run.document?.error?.message}`);
      if (!began) offences.push('it was accepted, and did not begin');
      rmSync(join(folder, 'runs'), { recursive: true, force: true });
    }
    const { base, changes } = mutant;
    if (offences.length > 0) offending.push({ seed, base, changes, offences });
  }
  expect(offending).toEqual([]);
  expect(accepted / count).toBeGreaterThan(0.2);
  expect(trained / accepted).toBeGreaterThan(0.6);
}, 300_000);
