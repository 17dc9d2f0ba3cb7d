import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, describe, expect, it } from 'vitest';

const checker = new URL('./textcraft.js', import.meta.url).href;
const fixture = (name: string) => fileURLToPath(new URL(`./fixtures/textcraft/${name}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agentgym-golden-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The checker runs as a program, because it loads the built plugin. */
const program = [
  '--input-type=module',
  '--eval',
  `import {run} from '${checker}'; process.exitCode = await run(process.argv.slice(1));`,
];

/** The fixture with one piece of its text changed. */
function changed(name: string, before: string, after: string): string {
  const text = readFileSync(fixture(name), 'utf8');
  expect(text).toContain(before);
  const file = join(folder, name);
  writeFileSync(file, text.replace(before, after));
  return file;
}

describe('golden textcraft', () => {
  it('agrees with recordings of both originals, and names what is mended on purpose', () => {
    const files = ['tree-agentgym.json', 'agentgym.jsonl', 'adapt.jsonl'].map(fixture);
    const printed = execFileSync(process.execPath, [...program, ...files], { encoding: 'utf8' });
    expect(printed).not.toContain('the first that does not');
    expect(printed).toMatch(/mended on purpose, \d+ times: the reply to a craft names a game id/);
  });

  it.each([
    ['a goal', 'agentgym.jsonl', '"goal":"minecraft:acacia_planks"', '"goal":"minecraft:acacia_wood"'],
    ['a depth', 'adapt.jsonl', '"depth":4', '"depth":3'],
    ['a reply', 'agentgym.jsonl', '"obs":"Got 1 coal"', '"obs":"Got 2 coal"'],
    ['a reward', 'agentgym.jsonl', '"r":1', '"r":0'],
    ['a recipe', 'tree-agentgym.json', 'craft 1 acacia boat using 5', 'craft 1 acacia boat using 6'],
    [
      'a command',
      'agentgym.jsonl',
      'craft 4 acacia planks using 1 acacia logs"]',
      'craft 4 acacia planks using 2 acacia logs"]',
    ],
  ])('finds %s that differs, prints it, and exits with 1', (_what, name, before, after) => {
    const { status, stdout } = spawnSync(process.execPath, [...program, changed(name, before, after)], {
      encoding: 'utf8',
    });
    expect(stdout).toContain('the first that does not');
    expect(status).toBe(1);
  });

  it('exits with 2 on what is no recording', () => {
    const { status, stderr } = spawnSync(process.execPath, [...program, fixture('nowhere.jsonl')], {
      encoding: 'utf8',
    });
    expect(stderr).toContain('is no recording of TextCraft');
    expect(status).toBe(2);
  });
});
