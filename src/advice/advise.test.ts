// Whole recipes through the service with the real plugins: tests the measurements, and that proposed commands work.
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { acceptRecipe, resolveRecipe } from '../config/resolve-recipe.js';
import { openPluginHost, type PluginHost } from '../plugins/open-plugin-host.js';
import { readPluginSource } from '../plugins/plugin-source.js';
import { createRandom } from '../random/create-random.js';
import { testHost } from '../testing/test-host.js';
import { planAblation } from '../ablation/plan-ablation.js';
import { advise, type AdviceRequest } from './advise.js';
import { terminalLines } from '../reporting/terminal-blocks.js';
import { wholeAdviceBlocks } from './advice-blocks.js';
import type { Advice } from './advice.js';
import { thresholds } from './thresholds.js';

const plugins = resolve(import.meta.dirname, '../../plugins');
const folder = mkdtempSync(join(tmpdir(), 'agentgym-advice-'));
let host: PluginHost;
beforeAll(async () => {
  host = openPluginHost(await Promise.all(readdirSync(plugins).map((name) => readPluginSource(join(plugins, name)))));
});

function adviceOf(what: string, more: Partial<AdviceRequest> = {}): Promise<Advice> {
  const log = { info: () => undefined, warn: () => undefined };
  const signal = new AbortController().signal;
  const settings = { random: createRandom(0), log, signal, cacheDirectory: folder };
  return advise({
    what,
    sets: [],
    tasks: 16,
    seed: 1,
    cwd: folder,
    runsFolder: join(folder, 'runs'),
    host,
    settings,
    ...more,
  });
}

const rulesOf = ({ findings }: Advice): string[] => findings.map(({ rule }) => rule);

describe('the quickstart', () => {
  let advice: Advice;
  beforeAll(async () => {
    advice = await adviceOf('quickstart');
  });

  it('is measured by play', () => {
    const { plan, players, splits, power } = advice.measured;
    // Bisection of 20 to 31 numbers takes at most 5 guesses, and the game ends after 5.
    expect(plan).toMatchObject({ tasks: 16, solved: 1, withinHorizon: 1, longestPlayed: 5 });
    expect(plan?.longest).toBeLessThanOrEqual(5);
    expect(players['oracle']?.success).toBe(1);
    expect(players['demonstrator']?.success).toBeGreaterThan(players['random']?.success ?? 1);
    expect(players['random']?.groupsWithSignal).toMatchObject({ 16: expect.any(Number), 32: expect.any(Number) });
    expect(splits).toMatchObject({ test: 1491, shared: 0 });
    expect(power).toMatchObject({ player: 'demonstrator', split: 'validation', tasks: 1491 });
  });

  it('has nothing to mend, and says what a run would show', () => {
    expect(advice).toMatchObject({ subject: 'quickstart', kind: 'recipe', findings: [] });
    expect(advice.fine.map(({ rule }) => rule)).toContain('groups-with-signal');
    expect(advice.notChecked).toContainEqual({ rule: 'gain', why: expect.stringContaining('this needs a run') });
  });

  it('is the same for a seed, and plays others for another', async () => {
    expect(await adviceOf('quickstart')).toEqual(advice);
    expect((await adviceOf('quickstart', { seed: 2 })).measured.players).not.toEqual(advice.measured.players);
  });

  it('guesses nothing where nothing is played', async () => {
    const { measured, notChecked } = await adviceOf('quickstart', { tasks: 0 });
    expect(measured.players).toEqual({});
    expect(notChecked.map(({ rule }) => rule)).toEqual(
      expect.arrayContaining(['turn-budget', 'groups-with-signal', 'random-floor', 'power']),
    );
  });
});

describe('a recipe with faults', () => {
  // Goals of depths 3 and 4, few turns, groups of 2, no demonstrations: random play rarely succeeds.
  const sets = [
    'environment.options.depths=[3, 4]',
    'horizon={schedule: fixed, turns: 8}',
    'reward.terms=[{name: sparse}]',
    'stages.sft=null',
    'algorithm.groupSize=2',
  ];
  let advice: Advice;
  beforeAll(async () => {
    advice = await adviceOf('textcraft', { sets });
  });

  it('is told of them, the worst first', () => {
    expect(rulesOf(advice)).toEqual(
      expect.arrayContaining(['turn-budget', 'rare-reward', 'groups-with-signal', 'cold-start']),
    );
    const severities = advice.findings.map(({ severity }) => severity);
    expect(severities).toEqual([...severities].sort((a, b) => order.indexOf(a) - order.indexOf(b)));
    expect(advice.measured.plan?.withinHorizon).toBeLessThan(0.95);
  });

  it('proposes changes that resolve, and experiments that can be planned', async () => {
    const changes = advice.findings.flatMap(({ change }) => change ?? []);
    const ablations = advice.findings.flatMap(({ ablate }) => ablate ?? []);
    expect([changes.length, ablations.length].every((count) => count > 0)).toBe(true);
    for (const change of changes) {
      const own = flagsOf(change, '--set');
      const keys = own.map((set) => set.split('=')[0]);
      const kept = sets.filter((set) => !keys.includes(set.split('=')[0]));
      const { recipe } = acceptRecipe(
        await resolveRecipe({ source: 'textcraft', sets: [...kept, ...own], cwd: folder, host }),
      );
      expect(recipe.environment!.options['depths']).toEqual([3, 4]);
    }
    for (const command of ablations) {
      // Flags for keys that the cells set would be refused.
      expect(flagsOf(command, '--set').length).toBe(sets.length - Number(/sparsity|horizon --/.test(command)));
      const [values] = flagsOf(command, '--values');
      const planned = await planAblation({
        what: command.split(' ')[2] ?? '',
        recipe: flagsOf(command, '--recipe')[0] ?? '',
        sets: flagsOf(command, '--set'),
        ...(values !== undefined && { values: parse(values) as number[] }),
        cwd: folder,
        runsFolder: 'runs',
        host,
        settings: testHost(),
        yes: false,
      });
      expect(planned.cells.length).toBeGreaterThan(1);
    }
  });

  it('leaves out what would be refused', async () => {
    // A stage with its own horizon cannot be varied along the axis.
    const own = await adviceOf('textcraft', {
      sets: ['environment.options.depths=[3, 4]', 'horizon=null', 'stages.rl.horizon={schedule: fixed, turns: 8}'],
    });
    const finding = own.findings.find(({ rule }) => rule === 'turn-budget');
    expect(finding?.change).toMatch(/^--set stages\.rl\.horizon\.turns=\d+$/);
    expect(finding?.ablate).toBeUndefined();
  });

  it.each([40, 72])('fits a terminal of %i columns, but for what is copied', (width) => {
    for (const line of terminalLines(wholeAdviceBlocks(advice), { width, colour: false })) {
      if (!/^(change|test it|next) /.test(line)) expect(line.length).toBeLessThanOrEqual(width);
    }
  });
});

const order = ['problem', 'advice', 'hint'];

/** Values of a flag in a command, as a POSIX shell would parse them. */
function flagsOf(command: string, flag: string): string[] {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  return words.flatMap((word, index) => (word === flag ? [words[index + 1] ?? ''] : []));
}

describe('what it is about', () => {
  it('is refused where it is neither a recipe nor a run', async () => {
    await expect(adviceOf('nosuch')).rejects.toMatchObject({
      code: 'AG_RECIPE_NOT_FOUND',
      exitCode: 2,
      message: expect.stringContaining('no run with this name'),
    });
    await expect(adviceOf(folder)).rejects.toMatchObject({ exitCode: 2 });
    await expect(adviceOf('latest')).rejects.toMatchObject({ code: 'AG_RUN_NOT_FOUND' });
  });

  it('keeps the error of a recipe that is there, but wrong', async () => {
    const file = join(folder, 'wrong.yaml');
    writeFileSync(file, 'extends: quickstart\nalgorithm: { groupSizes: 4 }\n');
    await expect(adviceOf(file)).rejects.toMatchObject({ code: 'AG_RECIPE_UNKNOWN_KEY', exitCode: 2 });
  });
});

it('docs/advice.md has every limit as the table of constants has it', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/advice.md'), 'utf8');
  for (const [name, { value, of, source }] of Object.entries(thresholds)) {
    expect(page, name).toContain(`| ${of} | ${value} | ${source} |`);
  }
});
