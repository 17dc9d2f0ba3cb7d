// Ablations with small real runs in real processes.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';

import type { AblationResult } from '../../src/ablation/ablation-result.js';
import { compareRuns } from '../kill/compare-runs.js';
import { longIt } from '../long.js';
import { runCli } from './run-cli.js';
import { runWarm } from './warm-cli.js';

const recipe = resolve(import.meta.dirname, '../kill/small.yaml');
const folder = mkdtempSync(join(tmpdir(), 'agentgym-ablate-'));
const grid = join(folder, 'grid.json');
const output = join(folder, 'ablation');
const shared = {
  'stages.sft.steps': 6,
  'stages.rl.steps': 4,
  'stages.critic': null,
  horizon: { schedule: 'fixed', turns: 5 },
  'evaluation.final.tasks': 12,
};
writeFileSync(
  grid,
  JSON.stringify({
    ablationVersion: 1,
    name: 'small',
    question: 'Does the group matter?',
    recipe,
    set: shared,
    seeds: 1,
    cells: { four: {}, eight: { 'algorithm.groupSize': 8 }, broken: { 'policy.from': './no-such-model' } },
  }),
);

async function ablate(...words: string[]): Promise<{ code: number | null; document: AblationResult; stderr: string }> {
  const { code, stdout, stderr } = await runWarm(['ablate', grid, '--output', output, '--json', ...words]);
  return { code, stderr, document: JSON.parse(stdout) as AblationResult };
}

describe('agentgym ablate', { timeout: 240_000 }, () => {
  let first: Awaited<ReturnType<typeof ablate>>;
  let again: Awaited<ReturnType<typeof ablate>>;
  beforeAll(async () => {
    first = await ablate('--workers', '2');
  }, 240_000);

  it('trains every cell, compares those that ended, and tells why one did not', () => {
    const { code, document, stderr } = first;
    expect(code).toBe(1);
    expect(document).toMatchObject({
      formatVersion: 1,
      ablation: output,
      axis: 'grid',
      status: 'failed',
      split: 'test',
    });
    const [four, eight, broken] = document.cells;
    for (const cell of [four!, eight!]) {
      expect(cell).toMatchObject({ status: 'completed', seeds: [1], spent: { demonstrations: 40 } });
      expect(cell.success!.low).toBeLessThanOrEqual(cell.success!.rate);
      expect(cell.success!.high).toBeGreaterThanOrEqual(cell.success!.rate);
    }
    expect(four!.spent['episodes']).toBe(4 * 2 * 4);
    expect(eight!.spent['episodes']).toBe(4 * 2 * 8);
    expect(broken).toMatchObject({ id: 'broken', status: 'failed', seeds: [], success: null });
    expect(broken!.runs[0]!.cause).toContain('no-such-model');
    expect(stderr).toContain('broken, seed 1: failed');
    const [comparison, ...others] = document.comparisons;
    expect(others).toEqual([]);
    expect(comparison).toMatchObject({ a: 'four', b: 'eight', seeds: 1, tasks: 12 });
    expect(comparison!.difference.mean).toBeCloseTo(eight!.success!.rate - four!.success!.rate, 12);
    expect(document.answer).toContain('1 of 3 runs failed');
    expect(readFileSync(join(output, 'report.html'), 'utf8')).toContain('Does the group matter?');
  });

  // Goes red when the processes of the cells do not get the folder.
  it('keeps the games of experts that cells share, with their digests', () => {
    const games = join(output, 'demonstrations');
    const files = readdirSync(games).map((name) => {
      const record = JSON.parse(readFileSync(join(games, name, 'games.json'), 'utf8')) as { [key: string]: string };
      const content = readFileSync(join(games, name, record['file']!));
      expect(createHash('sha256').update(content).digest('hex')).toBe(record['sha256']);
      return content.toString();
    });
    const demonstrations = (cell: string) => readFileSync(join(output, 'cells', cell, 'seed-1', learned), 'utf8');
    const learned = join('demonstrations', 'sft.jsonl');
    for (const cell of ['four', 'eight']) expect(files).toContain(demonstrations(cell));
    expect(files.filter((content) => content.includes('"split":"train"'))).toHaveLength(1);
  });

  // Goes red when a cell that reuses a stage of another cell takes anything else from it.
  it('trains a stage that cells share once, and writes what each would have written by itself', async () => {
    const cell = join(output, 'cells', 'eight');
    const alone = join(folder, 'alone');
    expect((await runWarm(['train', join(cell, 'seed-1.json'), '--output', alone, '--json'])).code).toBe(0);
    expect(compareRuns(alone, join(cell, 'seed-1'))).toEqual([]);
    expect(existsSync(join(output, 'shared'))).toBe(false);
  });

  // Goes red when complete runs are started again.
  it('only reads what is complete, and adds the seeds that are new', async () => {
    const sessions = () =>
      ['four', 'eight'].map((cell) => {
        const manifest = readFileSync(join(output, 'cells', cell, 'seed-1', 'manifest.json'), 'utf8');
        return (JSON.parse(manifest) as { sessions: unknown[] }).sessions.length;
      });
    again = await ablate('--seeds', '2', '--set', 'description=Reworded');
    expect(sessions()).toEqual([1, 1]);
    expect(again.document.cells[0]).toMatchObject({
      seeds: [1, 2],
      runs: [{ status: 'completed' }, { status: 'completed' }],
    });
    expect(again.document.comparisons[0]).toMatchObject({ seeds: 2 });
  });

  it('refuses a folder that holds another ablation, and one that was edited', async () => {
    const other = join(folder, 'other.json');
    writeFileSync(other, JSON.stringify({ ablationVersion: 1, name: 'other', recipe, set: shared, cells: { a: {} } }));
    const mismatch = await runWarm(['ablate', other, '--output', output, '--json']);
    expect(mismatch.code).toBe(2);
    expect(mismatch.stdout).toContain('AG_ABLATION_CHANGED');
    expect(mismatch.stdout).toContain('its cells are four, eight, broken there and a here');

    appendFileSync(join(output, 'cells', 'four', 'seed-1', 'metrics.jsonl'), '{}\n');
    const edited = await runWarm(['ablate', grid, '--output', output, '--json']);
    expect(edited.code).toBe(2);
    expect(edited.stdout).toContain('was changed after it was complete');
  });

  longIt('repeats a removed run, with the same numbers', async () => {
    rmSync(join(output, 'cells', 'four', 'seed-1'), { recursive: true });
    const mended = await ablate();
    expect(mended.document.cells[0]!.runs.map(({ status }) => status)).toEqual(['completed', 'completed']);
    const successes = ({ document }: typeof mended) => document.cells.map(({ success }) => success);
    expect(successes(mended)).toEqual(successes(again));
  });

  it('estimates without leaving anything behind', async () => {
    const before = readdirSync(folder);
    const { code, stdout } = await runWarm(['ablate', 'sparsity', '--recipe', recipe, '--dry-run', '--json'], {
      cwd: folder,
    });
    expect(code).toBe(0);
    const { cells } = JSON.parse(stdout) as { cells: { id: string; seconds: number; episodes: number }[] };
    expect(cells.map(({ id }) => id)).toEqual(['sparse', 'balanced', 'dense']);
    for (const { seconds, episodes } of cells) {
      expect(seconds).toBeGreaterThan(0);
      expect(episodes).toBe(2 * 4 * (20 + 12));
    }
    expect(readdirSync(folder)).toEqual(before);
    expect(existsSync(join(folder, 'runs'))).toBe(false);
  });

  longIt('tells how long it will take before it starts, and counts that time', async () => {
    const words = ['sparsity', '--recipe', recipe, '--seeds', '30', '--output', join(folder, 'long')];
    const { code, stdout } = await runCli(['ablate', ...words, '--budget-seconds', '1'], { cwd: folder });
    expect(code).toBe(130);
    const at = (text: RegExp) => stdout.search(text);
    expect(at(/3 cells with 30 seeds, \d+ at the same time: about \d/)).toBeGreaterThan(at(/Trains a few steps first/));
    expect(at(/Ablation incomplete/)).toBeGreaterThan(at(/3 cells with 30 seeds/));
  });
});
