// Every wrong input is refused with exit code 2, its place and its cure, as a document under --json. Nothing is
// written.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { changedRecipe, tinyRecipe } from './fixtures/tiny-recipe.js';
import { bin, documentOf, freshDataFolders, type CliResult } from './run-cli.js';
import { runWarm } from './warm-cli.js';

/** The expected contents of an error document. */
interface Expected {
  readonly code: string;
  readonly message: RegExp;
  readonly hint: RegExp;
  readonly file?: string;
  readonly line?: number;
  readonly path?: string;
}

const home = mkdtempSync(join(tmpdir(), 'agentgym-bad-input-'));
/** A finished run of the tiny recipe; tests work on copies. */
const finished = join(home, 'finished');
let folder = '';

beforeAll(async () => {
  writeFileSync(join(home, 'recipe.yaml'), tinyRecipe);
  const result = await runWarm(['train', 'recipe.yaml', '--output', finished, '--json'], { cwd: home });
  expect(result.stderr).toBe('');
  expect(documentOf(result)).toMatchObject({ status: 'completed' });
}, 60_000);

/** A separate folder for each test, with the recipe in it. */
function freshFolder(recipe = tinyRecipe): string {
  folder = mkdtempSync(join(home, 'work-'));
  writeFileSync(join(folder, 'recipe.yaml'), recipe);
  return folder;
}

afterEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Every file below a folder with a digest of its content. */
function listing(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const path = join(directory, name);
      return statSync(path).isDirectory() ? `${name}/` : `${name} ${digest(path)}`;
    });
}

function digest(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** Checks that the error document is the only output on standard output, and that people get the same information. */
function expectError({ code, stdout, stderr }: CliResult, expected: Expected, exitCode = 2): void {
  const document = JSON.parse(stdout) as { error: Record<string, unknown> };
  const { message, hint, ...place } = expected;
  expect(document).toMatchObject({
    formatVersion: 1,
    error: {
      ...place,
      message: expect.stringMatching(message) as unknown,
      hint: expect.stringMatching(hint) as unknown,
    },
  });
  expect(code).toBe(exitCode);
  expect(stderr).toMatch(message);
  expect(stderr).toMatch(hint);
  expect(stderr).not.toMatch(/^\s+at /m);
}

/** Checks that `agentgym train` in the test's folder ends with this error and does not change the folder. */
async function expectRefusal(args: readonly string[], expected: Expected): Promise<void> {
  const before = listing(folder);
  expectError(await runWarm(['train', ...args, '--json'], { cwd: folder }), expected);
  expect(listing(folder)).toEqual(before);
}

/** A copy of the finished run, in the test's folder. */
function copyOfRun(): string {
  const run = join(folder, 'run');
  cpSync(finished, run, { recursive: true });
  return run;
}

describe('a recipe', () => {
  it('with an unknown key is refused with file, line and a suggestion', async () => {
    freshFolder(changedRecipe('groupSize: 2', 'groupSiez: 2'));
    const file = join(folder, 'recipe.yaml');
    await expectRefusal(['recipe.yaml'], {
      code: 'AG_RECIPE_UNKNOWN_KEY',
      message: /no key `algorithm\.groupSiez`/,
      hint: /Did you mean `groupSize`\?/,
      file,
      line: 9,
      path: 'algorithm.groupSiez',
    });
  });

  it('in TypeScript is refused with the key path', async () => {
    freshFolder();
    writeFileSync(
      join(folder, 'mine.ts'),
      `export default { extends: './recipe.yaml', stages: { rl: { stepz: 3 } } };\n`,
    );
    await expectRefusal(['mine.ts'], {
      code: 'AG_RECIPE_UNKNOWN_KEY',
      message: /no key `stages\.rl\.stepz`/,
      hint: /Did you mean `steps`\?/,
      file: join(folder, 'mine.ts'),
      path: 'stages.rl.stepz',
    });
  });

  it('with a key that has no effect is refused, naming both keys', async () => {
    freshFolder(changedRecipe('steps: 2 }', 'steps: 2, optimizer: { schedule: constant, floor: 0.1 } }'));
    await expectRefusal(['recipe.yaml'], {
      code: 'AG_RECIPE_IDLE_SETTING',
      message: /`stages\.rl\.optimizer\.floor` has no effect with `stages\.rl\.optimizer\.schedule: constant`/,
      hint: /Remove one of the two, or change the other/,
      file: join(folder, 'recipe.yaml'),
      line: 13,
    });
  });

  it('with a value of the wrong type is refused with file and line', async () => {
    freshFolder(changedRecipe('batchSize: 8', 'batchSize: many'));
    await expectRefusal(['recipe.yaml'], {
      code: 'AG_RECIPE_INVALID',
      message: /`stages\.sft\.batchSize` is "many", not a number/,
      hint: /It takes a number/,
      file: join(folder, 'recipe.yaml'),
      line: 12,
    });
  });

  it.each([
    ['environment', 'name: guess-number', 'name: guess-numbre', 3, /Did you mean `guess-number`\?/],
    ['policy', 'name: transformer', 'name: transfromer', 5, /Did you mean `transformer`\?/],
    ['algorithm', 'name: grpo', 'name: evolution', 9, /Installed: cispo.*`agentgym plugins install algo-evolution`/],
  ])('with an unknown %s is refused with file, line and what to do', async (kind, before, after, line, hint) => {
    freshFolder(changedRecipe(before, after));
    await expectRefusal(['recipe.yaml'], {
      code: 'AG_CONTRIBUTION_UNKNOWN',
      message: new RegExp(`no ${kind} called \`${after.slice('name: '.length)}\``),
      hint,
      file: join(folder, 'recipe.yaml'),
      line,
      path: `${kind}.name`,
    });
  });

  it('with an unknown preset is refused, naming the presets there are', async () => {
    freshFolder();
    await expectRefusal(['recipe.yaml', '--set', 'policy.preset=huge'], {
      code: 'AG_RECIPE_INVALID',
      message: /`--set policy\.preset=huge`: policy `transformer` has no preset `huge`/,
      hint: /Presets are: pico/,
      path: 'policy.preset',
    });
  });

  it('with a broken line in its demonstrations is refused with that line', async () => {
    const good = JSON.stringify({ observations: ['Guess my number between 1 and 4.'], texts: ['2'] });
    freshFolder(changedRecipe('{ expert: demonstrator, count: 20 }', '{ file: ./games.jsonl }'));
    const file = join(folder, 'games.jsonl');
    writeFileSync(file, `${good}\n\n${good.slice(0, 40)}\n${good}\n`);
    await expectRefusal(['recipe.yaml'], {
      code: 'AG_DEMONSTRATION',
      message: /Line 3 of .*games\.jsonl is not a demonstration: it is not JSON/,
      hint: /Fix the named line.*docs\/demonstrations\.md/,
      file,
      line: 3,
    });
  });

  it('whose weights put a failure above a success is refused with the numbers', async () => {
    freshFolder();
    await expectRefusal(['recipe.yaml', '--set', 'reward.terms=[{name: sparse}, {name: cost, options: {turn: 0.3}}]'], {
      code: 'AG_REWARD_INVERSION',
      message: /a failure can score 0, but a success only -0\.2\d+, in 4 turns/,
      hint: /`reward\.allowInversion: true`/,
      path: 'reward.terms',
    });
  });

  it('that allows an inversion where there is none is refused, with the numbers', async () => {
    freshFolder();
    await expectRefusal(['recipe.yaml', '--set', 'reward={terms: [{name: dense}], allowInversion: true}'], {
      code: 'AG_RECIPE_IDLE_SETTING',
      message: /`reward\.allowInversion` has no effect with `reward\.terms`: a success scores at least 1\.5/,
      hint: /Remove one of the two, or change the other/,
      path: 'reward.allowInversion',
    });
  });

  it('is not trained into a folder that exists', async () => {
    freshFolder();
    mkdirSync(join(folder, 'mine'));
    await expectRefusal(['recipe.yaml', '--output', 'mine'], {
      code: 'AG_OUTPUT_EXISTS',
      message: /mine already exists/,
      hint: /Choose a new folder with `--output`/,
      file: join(folder, 'mine'),
    });
  });

  it('below a file, or where a file system takes none, is refused', async () => {
    freshFolder();
    writeFileSync(join(folder, 'file'), '');
    const refused = { code: 'AG_RUN_WRITE_FAILED', message: /Could not create the run's folder/, hint: /--output DIR/ };
    await expectRefusal(['recipe.yaml', '--output', 'file/x'], { ...refused, message: /not a directory \(ENOTDIR\)/ });
    if (existsSync('/proc/self')) await expectRefusal(['recipe.yaml', '--output', '/proc/none/x'], refused);
  });
});

describe('a run that somebody else made', () => {
  // Goes red when one of the commands prints text of files unchanged.
  it('cannot write to the terminal by its names, in lines, documents and Markdown', async () => {
    freshFolder();
    const manifest = join(copyOfRun(), 'manifest.json');
    const bad = 'x\u001b[31mred\u001b]0;title\u0007\u009b2J\u202eend';
    const hostile = {
      name: bad,
      error: { code: bad, message: bad },
      inexact: [bad],
      git: { commit: bad, dirty: false },
    };
    writeFileSync(manifest, JSON.stringify({ ...(JSON.parse(readFileSync(manifest, 'utf8')) as object), ...hostile }));
    writeFileSync(
      join(manifest, '../label.json'),
      JSON.stringify({ formatVersion: 1, name: bad, tags: [bad], note: bad }),
    );
    const commands = [
      ['runs', 'list', '--runs', '.'],
      ['runs', 'show', 'run'],
      ['runs', 'show', 'run', '--json'],
      ['report', 'run', '--format', 'markdown'],
    ];
    for (const command of commands) {
      const { stdout, stderr, code } = await runWarm(command, { cwd: folder });
      expect(code, stderr).toBe(0);
      expect(stdout).toContain('red');
      // oxlint-disable-next-line no-control-regex
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });
});

describe('a resume', () => {
  it('of a run whose checkpoint is truncated is refused, and goes on from the older one once that is removed', async () => {
    freshFolder();
    const run = copyOfRun();
    const newest = join(run, 'checkpoints', 'step-5');
    truncateSync(join(newest, 'model.safetensors'), 1000);
    await expectRefusal(['--resume', 'run'], {
      code: 'AG_CHECKPOINT_BROKEN',
      message: /model\.safetensors is 1000 bytes long, but \d+ were written/,
      hint: /[Rr]emove .*step-5/,
      file: newest,
    });
    rmSync(newest, { recursive: true });
    const result = await runWarm(['train', '--resume', 'run', '--json'], { cwd: folder });
    expect(documentOf(result)).toMatchObject({ status: 'completed' });
    expect(digest(join(newest, 'model.safetensors'))).toBe(
      digest(join(finished, 'checkpoints', 'step-5', 'model.safetensors')),
    );
  });

  it.each([
    ['a flag', ['--set', 'seed=4'], /`seed` is 1 there and 4 here/, 'seed'],
    ['a recipe', ['other.yaml'], /`horizon\.turns` is 4 there and 3 here/, 'horizon.turns'],
  ])('with another recipe than the one that made the run, by %s, is refused', async (_, args, message, path) => {
    freshFolder();
    const run = copyOfRun();
    writeFileSync(join(folder, 'other.yaml'), changedRecipe('turns: 4', 'turns: 3'));
    await expectRefusal([...args, '--resume', 'run'], {
      code: 'AG_RESUME_MISMATCH',
      message,
      hint: /`agentgym train --resume RUN` only/,
      file: join(run, 'manifest.json'),
      path,
    });
  });

  it('of a run with a manifest that no version wrote is refused', async () => {
    freshFolder();
    const manifest = join(copyOfRun(), 'manifest.json');
    const whole = JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, unknown>;
    const recipe = JSON.stringify(whole['recipe']).replace('{', '{"__proto__":{"a":1},');
    for (const text of [
      JSON.stringify({ ...whole, recipe: null }),
      JSON.stringify(whole).replace(JSON.stringify(whole['recipe']), recipe),
    ]) {
      writeFileSync(manifest, text);
      await expectRefusal(['--resume', 'run'], {
        code: 'AG_NOT_A_RUN',
        message: /recipe/,
        hint: /Restore it/,
        file: manifest,
      });
    }
  });

  it('of a folder that is no run is refused', async () => {
    freshFolder();
    mkdirSync(join(folder, 'pictures'));
    await expectRefusal(['--resume', 'pictures'], {
      code: 'AG_NOT_A_RUN',
      message: /pictures is not a run: it has no manifest\.json/,
      hint: /`agentgym runs list`/,
    });
  });

  it('of a run that is not there is refused', async () => {
    freshFolder();
    await expectRefusal(['--resume', 'latest'], {
      code: 'AG_RUN_NOT_FOUND',
      message: /There is no run in .*runs/,
      hint: /`agentgym train quickstart`/,
    });
  });
});

describe('a disk that is full while a checkpoint is written', () => {
  // A limit on the file size makes the weights fail like a full disk (EFBIG instead of ENOSPC), without special rights.
  const limited = process.platform !== 'win32';

  it.skipIf(!limited)('ends the run, and the older checkpoint stays valid', async () => {
    freshFolder();
    const run = copyOfRun();
    rmSync(join(run, 'checkpoints', 'step-5'), { recursive: true });
    const older = listing(join(run, 'checkpoints', 'step-3'));
    const full = spawnSync(
      'sh',
      ['-c', 'ulimit -f 64; exec "$@"', 'sh', process.execPath, bin, 'train', '--resume', 'run', '--json'],
      {
        cwd: folder,
        env: { ...process.env, ...freshDataFolders(home) },
        encoding: 'utf8',
      },
    );
    expectError(
      { ...full, code: full.status },
      {
        code: 'AG_CHECKPOINT_WRITE_FAILED',
        message: /Could not write the checkpoint step-5 of .*EFBIG.*step-3 stays valid/,
        hint: /Free space on that disk, then continue with `agentgym train --resume .*run`/,
      },
    );
    expect(readdirSync(join(run, 'checkpoints')).sort()).toEqual(['latest.json', 'step-3']);
    expect(listing(join(run, 'checkpoints', 'step-3'))).toEqual(older);
    const result = await runWarm(['train', '--resume', 'run', '--json'], { cwd: folder });
    expect(documentOf(result)).toMatchObject({ status: 'completed' });
  });
});

describe('a run that is under way', () => {
  let child: ChildProcess | undefined;
  afterEach(() => child?.kill('SIGKILL'));

  it('refuses a second process, saves what is done when its terminal closes, and completes when resumed', async () => {
    freshFolder(changedRecipe('steps: 2 }', 'steps: 50 }'));
    const run = join(folder, 'run');
    const lines = () =>
      existsSync(join(run, 'metrics.jsonl')) ? readFileSync(join(run, 'metrics.jsonl'), 'utf8') : '';
    const first = (child = spawn(process.execPath, [bin, 'train', 'recipe.yaml', '--output', 'run', '--json'], {
      cwd: folder,
      env: { ...process.env, ...freshDataFolders(home) },
      stdio: ['ignore', 'pipe', 'pipe'],
    }));
    let stdout = '';
    let stderr = '';
    first.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    first.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const ended = new Promise<number | null>((resolve) => first.on('close', resolve));
    while (!lines().includes('"stage":"rl"')) await new Promise((resolve) => setTimeout(resolve, 5));

    // The process is stopped, so that the second one finds it running even on a slow machine.
    first.kill('SIGSTOP');
    await expectRefusal(['--resume', 'run'], {
      code: 'AG_RUN_LOCKED',
      message: new RegExp(`Process ${first.pid} is working in the run`),
      hint: new RegExp(`Wait until process ${first.pid} ends, or stop it with \`kill ${first.pid}\``),
      file: join(run, 'lock.1.json'),
    });
    first.kill('SIGHUP');
    first.kill('SIGCONT');
    expect(await ended).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ formatVersion: 1, status: 'interrupted', run });
    expect(stderr).toMatch(/Interrupted: saving/);
    expect(readdirSync(run).filter((name) => name.startsWith('lock'))).toEqual([]);
    const done = lines().trim().split('\n').length;
    expect(done).toBeLessThan(3 + 50);

    const resumed = await runWarm(['train', '--resume', 'run', '--json'], { cwd: folder });
    expect(resumed.code).toBe(0);
    expect(documentOf(resumed)).toMatchObject({ status: 'completed', stages: [{ steps: 3 }, { steps: 50 }] });
    const kept = lines().trim().split('\n');
    expect(kept.length).toBe(new Set(kept.map((line) => (JSON.parse(line) as { runStep: number }).runStep)).size);
  });
});
