/** The checker of BabyAI on recordings of Minigrid 3.2.0 (Apache-2.0) and of AgentGym's wrapper (MIT). */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

import { afterAll, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('./run.js', import.meta.url));
const recordings = fileURLToPath(new URL('../../plugins/env-babyai/src/fixtures', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agentgym-golden-'));
afterAll(() => rmSync(folder, { recursive: true }));

function golden(...given: string[]) {
  return spawnSync(process.execPath, [program, 'babyai', ...given], { encoding: 'utf8' });
}

interface Start {
  mission: string;
  max_steps: number;
  pose: number[];
  grid: string;
  grid_hash: string;
  obs_hash: string;
  rng: [string, number, number];
}

interface Line {
  id: string;
  start: Start & { observation: string };
  next: Start;
  bot: { actions: string; trace: string; reward: number; terminated: boolean; solved: boolean; steps: number };
  random: { steps: (number | string | null)[][] };
  steps: { action: string; reply: { observation: string; score: number; done: boolean }; native_steps: number }[];
}

/** A recording with one line, which was changed. */
function changed(name: 'levels' | 'agentgym', id: string, change: (line: Line) => void): string {
  const lines = gunzipSync(readFileSync(join(recordings, `${name}.jsonl.gz`)))
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
  const line = lines.find((candidate) => candidate.id === id)!;
  change(line);
  const path = join(folder, 'changed.jsonl');
  writeFileSync(path, JSON.stringify(line));
  return path;
}

describe('golden babyai', () => {
  it('agrees with recordings of the originals, and says how the expert does', () => {
    const { status, stdout, stderr } = golden(recordings);
    expect(stderr).toBe('');
    expect(stdout).not.toMatch(/UNEQUAL/);
    expect(stdout).toMatch(/ {2}start +(\d+) of \1 values are equal\n/);
    expect(stdout).toMatch(/ {2}bot +(\d+) of \1 values are equal\n/);
    expect(stdout).toMatch(/expert: both solve, ours in fewer steps: \d+\n/);
    expect(stdout).toMatch(/expert: only ours solves: \d+\n/);
    expect(stdout).toMatch(
      /expert: nobody solves by the rules of the original, ours does by fair ones: \d+: BabyAI-Open/,
    );
    expect(stdout).not.toContain('only theirs');
    expect(status).toBe(0);
  });

  it('names each value of a level that differs, with what was recorded, and exits with 1', () => {
    const path = changed('levels', 'BabyAI-GoToLocal-v0', ({ start, next, bot, random }) => {
      start.mission += '!';
      start.grid = start.grid.replace('250', '100');
      start.rng[2] += 1;
      next.pose[0]! += 1;
      next.obs_hash = '0'.repeat(16);
      bot.reward += 0.1;
      bot.trace = `0000${bot.trace.slice(4)}`;
      random.steps[3]![4] = 0.5;
    });
    const { status, stdout } = golden(path);
    expect(stdout.match(/(?<=^UNEQUAL BabyAI-GoToLocal-v0 \d ).*/gm)!.sort()).toEqual([
      expect.stringMatching(/^bot: reward$/),
      expect.stringMatching(/^bot: step 0 trace$/),
      'next: obs_hash',
      'next: pose',
      'random: step 3',
      'start: grid',
      'start: mission',
      'start: rng',
    ]);
    expect(stdout).toMatch(/: mission\n {4}recorded ".*!"\n {4}ours {5}".*[^!]"\n/);
    expect(status).toBe(1);
  });

  it.each<[string, (line: Line) => void]>([
    ['letter', ({ steps }) => (steps[2]!.reply.observation = steps[2]!.reply.observation.replace('you', 'yon'))],
    ['score', ({ steps }) => (steps[2]!.reply.score += 1)],
    ['end', ({ steps }) => (steps[2]!.reply.done = !steps[2]!.reply.done)],
    ['step', ({ steps }) => (steps[2]!.native_steps += 1)],
    ['letter of the start', ({ start }) => (start.observation += ' ')],
  ])("exits with 1 for a single %s of AgentGym's wrapper", (_what, change) => {
    const { status, stdout } = golden(changed('agentgym', 'BabyAI-GoToLocalS8N7-v0', change));
    expect(stdout.match(/^UNEQUAL /gm)).toHaveLength(1);
    expect(status).toBe(1);
  });

  it('exits with 1 where the expert of the original does better than ours', () => {
    // It solves a level that nobody can solve.
    const path = changed('levels', 'BabyAI-OpenDoorsOrderN4Debug-v0', ({ bot }) => (bot.solved = true));
    const { status, stdout } = golden(path);
    expect([status, stdout]).toEqual([1, expect.stringContaining('expert: only theirs solves: 1')]);
  });

  it('exits with 2 on what is no recording', () => {
    const strange = golden(changed('levels', 'BabyAI-GoTo-v0', (line) => (line.id = 'BabyAI-Nowhere-v0')));
    expect([strange.status, strange.stderr]).toEqual([
      2,
      expect.stringContaining('there is no level BabyAI-Nowhere-v0'),
    ]);
    const missing = golden(join(folder, 'nowhere.jsonl'));
    expect([missing.status, missing.stderr]).toEqual([2, expect.stringContaining('is no recording of BabyAI')]);
  });
});
