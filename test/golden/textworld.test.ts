/** The checker of TextWorld on three games of textworld 1.7.0 (MIT), which were played in its compiled stories. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';

import { afterAll, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('./run.js', import.meta.url));
const recordings = fileURLToPath(new URL('./fixtures/textworld', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agentgym-golden-'));
afterAll(() => rmSync(folder, { recursive: true }));
cpSync(join(recordings, 'logic'), join(folder, 'logic'), { recursive: true });

function golden(...given: string[]) {
  return spawnSync(process.execPath, [program, 'textworld', ...given], { encoding: 'utf8' });
}

interface Step {
  command: string;
  feedback: string;
  description: string;
  inventory: string;
  score: number;
  moves: number;
  won: boolean;
  reward: number;
  admissible: string[];
}

interface Game {
  setting: string;
  logic: string;
  play: { walkthrough: Step[]; random: Step[]; free: Step[] };
}

const lines = gunzipSync(readFileSync(join(recordings, 'games.jsonl.gz')))
  .toString('utf8')
  .split('\n');

/** The recording, with its first game changed. */
function changed(change: (game: Game) => void): string {
  const game = JSON.parse(lines[0]!) as Game;
  change(game);
  const path = join(folder, 'changed.jsonl.gz');
  writeFileSync(path, gzipSync([JSON.stringify(game), ...lines.slice(1)].join('\n')));
  return path;
}

describe('golden textworld', () => {
  it('agrees with recordings of the original', () => {
    const { status, stdout, stderr } = golden(recordings);
    expect(stderr).toBe('');
    expect(stdout).not.toMatch(/unequal/i);
    expect(stdout).toMatch(/all settings +walkthrough +8 of 8\n.*all settings +random +25 of 25\n/s);
    expect(stdout).toContain('of all free steps 22 of 22 are equal: 100.00 %');
    expect(status).toBe(0);
  });

  it('names each step that differs, with what was recorded, and exits with 1', () => {
    const { status, stdout } = golden(
      changed(({ play: { walkthrough, random, free } }) => {
        const last = walkthrough.at(-1)!;
        last.score += 1;
        last.won = false;
        walkthrough[2]!.description += '.';
        random[1]!.feedback = random[1]!.feedback.replace('safe', 'sate');
        random[3]!.moves += 1;
        random[5]!.admissible[0] += ' now';
        random[8]!.admissible.reverse();
        random[9]!.reward = 0;
        free[0]!.description = free[0]!.description.replace('.', ',');
        free[2]!.feedback = free[2]!.feedback.replace(/\w/, '_');
        free[9]!.inventory += ' it';
      }),
    );
    expect(stdout.match(/(?<=^UNEQUAL w2-o3-q4 3 ).*/gm)).toEqual([
      'walkthrough 2 "take latchkey from shelf": description',
      expect.stringMatching(/^walkthrough 4 ".*": score$/),
      expect.stringMatching(/^walkthrough 4 ".*": won$/),
      'random 1 "examine safe": feedback',
      'random 3 "examine safe": moves',
      'random 5 "go west": admissible',
      'random 8 "examine shelf": admissible',
      'random 9 "go east": reward',
      'free 0: description',
      'free 2 "open latchkey": feedback',
      expect.stringMatching(/^free 9 ".*": inventory$/),
    ]);
    expect(stdout).toMatch(/": score\n {4}recorded 2\n {4}ours {5}1\n/);
    expect(stdout).toMatch(/": reward\n {4}recorded 0\n {4}ours {5}-1\n/);
    expect(stdout).toMatch(/: feedback\n {4}recorded .*sate.*\n {4}ours .*safe/);
    expect(stdout).toMatch(/: admissible\n {4}recorded also \[".* now"\]\n {4}ours {5}also \[".*"\]\n/);
    expect(status).toBe(1);
  });

  it.each<[string, (step: Step) => void]>([
    ['character', (step) => (step.feedback = step.feedback.replace('safe', 'sate'))],
    ['score', (step) => (step.score += 1)],
    ['admissible command', (step) => step.admissible.pop()],
    ['intermediate reward', (step) => (step.reward = 1)],
  ])('exits with 1 for a single %s', (_what, change) => {
    const { status, stdout } = golden(changed(({ play }) => change(play.random[1]!)));
    expect(stdout.match(/^UNEQUAL .*random 1 /gm)).toHaveLength(1);
    expect(status).toBe(1);
  });

  it('stops where the original failed', () => {
    const { status, stdout } = golden(
      changed(({ play }) => (play.random[4] = { command: 'look', error: 'of the original' } as unknown as Step)),
    );
    expect(stdout).toMatch(/all settings +random +19 of 19\n/);
    expect(status).toBe(0);
  });

  it('exits with 2 on what is no recording', () => {
    const unknown = golden(changed((game) => (game.logic = '0'.repeat(16))));
    expect(unknown.stderr).toContain(`there is no ${'0'.repeat(16)}.twl in `);
    expect(unknown.status).toBe(2);
    const missing = golden(join(folder, 'nowhere.jsonl'));
    expect([missing.status, missing.stderr]).toEqual([2, expect.stringContaining('is no recording of TextWorld')]);
  });
});
