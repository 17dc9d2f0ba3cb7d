import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Requirement } from '../contracts/requirement.js';
import { findRequirements } from './find-requirements.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agentgym-requirements-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.unstubAllEnvs());
beforeEach(() => {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  vi.stubEnv('PATH', `${join(folder, 'bin')}:/usr/bin:/bin`);
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A program that prints a text. */
function program(name: string, printed: string, where = join(folder, 'bin')): { path: string; sha256: string } {
  const [path, text] = [join(where, name), `#!/bin/sh\nprintf '%s' '${printed}' >&2\n`];
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return { path, sha256: sha256(text) };
}

/** What was found, or the problem. */
async function found(requirement: Requirement): Promise<unknown> {
  const [finding] = await findRequirements([requirement], new AbortController().signal);
  return 'found' in finding! ? finding.found : finding!.problem;
}

const common = { name: 'engine', title: 'The engine', get: 'Install it.' };
const version = { arguments: ['-version'], range: '>=11' };

describe('a program', () => {
  it('is the first of its names on the PATH, with its version and the hash of its file', async () => {
    const { path, sha256: hash } = program('engine', 'engine version "17.0.2" 2022-01-18');
    const wanted = { ...common, kind: 'program', programs: ['motor', 'engine'], version } as const;
    expect(await found(wanted)).toEqual({ name: 'engine', path, version: '17.0.2', sha256: hash });
    expect(await found({ ...wanted, programs: ['motor', 'turbine'] })).toBe(
      'motor cannot be started: no folder on the PATH has such a program (nor turbine)',
    );
  });

  it('is refused with another version, or with none', async () => {
    const { path } = program('engine', 'engine version "1.8.0_392"');
    const wanted = { ...common, kind: 'program', programs: ['engine'], version } as const;
    expect(await found(wanted)).toBe(`${path} is 1.8.0; >=11 is needed`);
    program('engine', 'brrr');
    expect(await found(wanted)).toBe(`${path} does not tell its version; >=11 is needed`);
  });

  it('is what its variable names, through links, and nothing else then', async () => {
    program('engine', '17');
    const { path } = program('other', '21', folder);
    symlinkSync(path, join(folder, 'link'));
    const wanted = { ...common, kind: 'program', programs: ['engine'], variable: 'ENGINE', version } as const;
    vi.stubEnv('ENGINE', join(folder, 'link'));
    expect(await found(wanted)).toMatchObject({ path, version: '21' });
    vi.stubEnv('ENGINE', join(folder, 'nowhere'));
    expect(await found(wanted)).toMatch(/^ENGINE is set, and .*nowhere cannot be started: there is no such file$/);
  });
});

describe('a file', () => {
  it('has the hash that is wanted', async () => {
    const path = join(folder, 'world.jar');
    writeFileSync(path, 'a world');
    const wanted = { ...common, kind: 'file', path } as const;
    expect(await found(wanted)).toEqual({ name: 'engine', path, sha256: sha256('a world') });
    expect(await found({ ...wanted, sha256: sha256('a world').toUpperCase() })).toMatchObject({ path });
    expect(await found({ ...wanted, sha256: sha256('another') })).toMatch(/^.* has the SHA-256 .*, not /);
    expect(await found({ ...wanted, path: folder })).toBe(`${folder} is not a file`);
    expect(await found({ ...wanted, path: join(folder, 'lost') })).toBe(`there is no file ${join(folder, 'lost')}`);
  });
});

// The tests' machine has a Python, but perhaps no package of it.
describe('a Python', () => {
  const python = { ...common, kind: 'python' } as const;

  it('has its version and its packages', async () => {
    const own = join(folder, 'site', 'tiny_world-1.2.0.dist-info');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'METADATA'), 'Metadata-Version: 2.1\nName: tiny-world\nVersion: 1.2.0\n');
    writeFileSync(join(own, 'RECORD'), 'tiny_world.py,sha256=abc,1\n');
    const wrapper = join(folder, 'bin', 'python3');
    // Isolated mode ignores PYTHONPATH, so the folder is added to the program.
    const script = `#!/bin/sh\nshift 2\ncode="import sys; sys.path.insert(0, '${join(folder, 'site')}')\n$1"\nshift\nexec /usr/bin/python3 -I -c "$code" "$@"\n`;
    writeFileSync(wrapper, script);
    chmodSync(wrapper, 0o755);
    const [there] = await findRequirements(
      [{ ...python, version: '>=3.8', packages: { 'tiny-world': '^1.0.0' } }],
      new AbortController().signal,
    );
    expect(there).toMatchObject({
      found: {
        path: wrapper,
        version: expect.stringMatching(/^3\.\d+/) as string,
        packages: { 'tiny-world': { version: '1.2.0', sha256: sha256('tiny_world.py,sha256=abc,1\n') } },
      },
    });
    expect(await found({ ...python, packages: { 'tiny-world': '>=2' } })).toBe(
      `the package tiny-world of ${wrapper} is 1.2.0; >=2 is needed`,
    );
    expect(await found({ ...python, packages: { 'no-such-world': '*' } })).toBe(
      `${wrapper} has no package no-such-world`,
    );
    expect(await found({ ...python, version: '<3' })).toMatch(/is 3\.\d+\.\d+; <3 is needed$/);
  });

  it('is the interpreter that is named, whatever AGENTGYM_PYTHON says', async () => {
    vi.stubEnv('AGENTGYM_PYTHON', '/no/such/python');
    const path = join(folder, 'own-python');
    writeFileSync(path, '#!/bin/sh\nexec python3 "$@"\n');
    chmodSync(path, 0o755);
    expect(await found({ ...python, interpreter: path })).toMatchObject({ path });
    expect(await found({ ...python, interpreter: join(folder, 'none') })).toMatch(/none cannot be started/);
  });

  it('is refused if it does not answer', async () => {
    const path = join(folder, 'broken');
    writeFileSync(path, '#!/bin/sh\necho "no such module" >&2\nexit 1\n');
    chmodSync(path, 0o755);
    vi.stubEnv('AGENTGYM_PYTHON', path);
    expect(await found(python)).toBe(`${path} cannot tell its packages: no such module`);
  });
});
