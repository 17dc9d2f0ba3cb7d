import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { afterAll, describe, expect, it } from 'vitest';

const checker = new URL('./story.js', import.meta.url).href;
const story = fileURLToPath(new URL('../../../plugins/env-textworld/src/story/fixtures/chest.z8', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agentgym-golden-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The checker runs as a program, because it loads the built plugin. */
const program = [
  '--input-type=module',
  '--eval',
  `import {compareStory} from '${checker}'; process.exitCode = await compareStory(process.argv[1]);`,
];

const turn = (text: string, status: string) => `\n${text}\n\n>${' '.repeat(128)}-= Vault =-${status}`;
const start = turn(
  'Open the chest and take the coin. Do not eat the apple.\n\n-= Vault =-\nYou are in a vault. A chest is here.',
  '0/0',
);
const restart = `\nAre you sure?${' '.repeat(128)}-= Vault =-1/1`;
const rows = [
  { kind: 'walkthrough', start },
  {
    command: 'open chest',
    raw: turn('You open the chest, revealing a coin.\n\nYour score has just gone up by one point.', '1/1'),
  },
  { command: 'restart', raw: restart },
  { kind: 'free', start },
  { command: 'dance', raw: turn("That's not a verb  I recognise.", '0/1') },
];

function check(recorded: readonly object[]) {
  const file = join(folder, 'chest.jsonl.gz');
  copyFileSync(story, join(folder, 'chest.z8'));
  writeFileSync(file, gzipSync(recorded.map((row) => JSON.stringify(row)).join('\n')));
  return spawnSync(process.execPath, [...program, file], { encoding: 'utf8' });
}

describe('golden stories', () => {
  it('agree with a recording, played alone and together', () => {
    const { stdout, stderr, status } = check(rows);
    expect(stderr).toBe('');
    // Each of the two games once alone, and four times among others.
    expect(stdout).toContain('25 of 25 turns agree, of 2 games');
    expect(status).toBe(0);
  });

  it.each([
    ['a text', 1, { command: 'open chest', raw: turn('You open the chest.', '1/1') }],
    ['a line above the story', 4, { command: 'dance', raw: turn("That's not a verb I recognise.", '0/2') }],
    ['a command', 4, { ...rows[4], command: 'look' }],
  ])('do not agree where %s differs', (_, place, row) => {
    const { stdout, status } = check(rows.with(place, row as never));
    expect(stdout).toMatch(/20 of 25 turns agree/);
    expect(stdout).toContain('UNEQUAL');
    expect(status).toBe(1);
  });

  it('need a story beside the recording', () => {
    rmSync(join(folder, 'chest.z8'), { force: true });
    const file = join(folder, 'other.jsonl.gz');
    writeFileSync(file, gzipSync(JSON.stringify(rows[0])));
    const { stderr, status } = spawnSync(process.execPath, [...program, file], { encoding: 'utf8' });
    expect(stderr).toContain('has no story beside it: other.z8.gz or other.z8');
    expect(status).not.toBe(0);
  });
});
