import { execFile, execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

import { inject } from 'vitest';

import { publishPackage, type Manifest } from './publish-tarball.js';
import { tarOf } from './tar-of.js';

/** An install script that proves that it ran, by a file `ran` in its package. */
export const LEAVES_A_FILE = `node -e "require('fs').writeFileSync('ran', '')"`;

/** The differences of a fixture from a good plugin. */
export interface FixturePlugin {
  readonly name: string;
  readonly version?: string;
  /** Name of the environment that it contributes; default: `coin`. */
  readonly environment?: string;
  /** Replaces fields in the package.json of a good plugin. */
  readonly json?: object;
  /** Replaces the entry of a good plugin. */
  readonly entry?: string;
  /** Additional files. */
  readonly files?: Readonly<Record<string, string>>;
}

/** The files of a package with an environment in plain JavaScript: heads or tails, as the task says. */
function filesOf(fixture: FixturePlugin): Record<string, string> {
  const { name, version = '1.0.0', environment = 'coin', json, entry = entryOf(environment), files = {} } = fixture;
  const good = {
    name,
    version,
    type: 'module',
    files: ['/dist'],
    oclif: {},
    agentgym: { apiVersion: 1, plugin: './dist/index.js' },
    peerDependencies: { '@agentgym/cli': '>=0.1.0 <2' },
    peerDependenciesMeta: { '@agentgym/cli': { optional: true } },
  };
  return {
    'package.json': JSON.stringify({ ...good, ...json }, null, 2),
    'dist/index.js': entry,
    'dist/coin.js': COIN,
    ...files,
  };
}

/** Writes a fixture into a new package folder. */
export async function writeFixturePlugin(fixture: FixturePlugin): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agentgym-fixture-'));
  for (const [file, text] of Object.entries(filesOf(fixture))) {
    await mkdir(join(folder, file, '..'), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  return folder;
}

/** Publishes a fixture in the shared registry. */
export async function publishFixture(fixture: FixturePlugin): Promise<void> {
  const manifest = JSON.parse(filesOf(fixture)['package.json'] ?? '') as Manifest;
  await publishPackage(inject('registry').url, manifest, tarballOf(fixture));
}

/** Publishes a fixture with npm, as its author would. */
export async function publishWithNpm(
  fixture: FixturePlugin,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const folder = await writeFixturePlugin(fixture);
  const settings = { cwd: folder, env: { ...process.env, ...inject('registry').environment, ...environment } };
  await promisify(execFile)('npm', ['publish', '--ignore-scripts', '--access=public'], settings);
}

/** Packs a fixture into a folder, and returns the path of the tarball. */
export async function packFixture(folder: string, fixture: FixturePlugin): Promise<string> {
  const path = join(folder, `${fixture.name}-${fixture.version ?? '1.0.0'}.tgz`);
  await mkdir(folder, { recursive: true });
  await writeFile(path, tarballOf(fixture));
  return path;
}

const tarballOf = (fixture: FixturePlugin): Buffer =>
  gzipSync(
    tarOf(Object.fromEntries(Object.entries(filesOf(fixture)).map(([file, text]) => [`package/${file}`, text]))),
  );

/** A bare repository with a tag, as on a server. Returns its path. */
export async function fixtureRepository(parent: string, name: string, fixture: FixturePlugin): Promise<string> {
  const folder = await writeFixturePlugin(fixture);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], { cwd: folder, stdio: 'pipe' });
  git('init', '--quiet', '--initial-branch', 'trunk');
  git('add', '--force', '.');
  git('commit', '--quiet', '-m', 'one');
  git('tag', 'v1.0.0');
  git('clone', '--quiet', '--bare', folder, join(parent, name));
  return join(parent, name);
}

function entryOf(environment: string): string {
  return `export default [{
  kind: 'environment',
  name: '${environment}',
  summary: 'Say the side of a coin that the task names',
  options: {},
  load: () => import('./coin.js'),
}];
`;
}

const COIN = `const every = (remainder) => ({
  count: 'unbounded',
  id: (index) => String(3 * index + remainder),
  random: (random) => String(3 * random.integer(0, 1000000) + remainder),
});

export function open() {
  return {
    instructions: '',
    splits: { train: every(0), validation: every(1), test: every(2) },
    experts: ['oracle'],
    create() {
      let side = 'h';
      return {
        reset(task) {
          side = Number(task) % 2 === 0 ? 'h' : 't';
          return 'say ' + side;
        },
        step(action) {
          const success = action === side;
          return {
            observation: success ? 'yes' : 'no',
            reward: Number(success),
            terminated: true,
            truncated: false,
            facts: { success, invalid: action !== 'h' && action !== 't' },
          };
        },
        act(player, { random }) {
          if (player === 'oracle') return side;
          if (player === 'random') return random.integer(0, 2) === 0 ? 'h' : 't';
          throw new Error('no player ' + player);
        },
      };
    },
  };
}
`;
