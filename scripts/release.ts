// Publishes all packages that are not published yet: `npm run release -- --dry-run`, then `npm run release`. See
// docs/releasing.md.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { packRelease, type PackedPackage } from './pack-release.js';
import { publishTarball } from './publish-tarball.js';
import { planRelease, type Candidate } from './release-plan.js';

const repository = fileURLToPath(new URL('../', import.meta.url));
const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
const dryRun = values['dry-run'];
const shell = process.platform === 'win32';

const lines = (text: string) => text.split('\n').filter((line) => line !== '');
const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, encoding: 'utf8' });
const npm = (...args: string[]) => execFileSync('npm', args, { cwd: repository, stdio: 'inherit', shell });
const state = () => ({
  branch: git('rev-parse', '--abbrev-ref', 'HEAD').trim(),
  changes: lines(git('status', '--porcelain')),
  changesets: readdirSync(`${repository}/.changeset`).filter((name) => name.endsWith('.md') && name !== 'README.md'),
});

/** sha512-... of NAME@VERSION in the registry; undefined if the registry has no such version. */
function integrityOf({ name, version }: PackedPackage): string | undefined {
  const { stdout, status } = spawnSync('npm', ['view', `${name}@${version}`, 'dist.integrity', '--json'], {
    cwd: repository,
    encoding: 'utf8',
    shell,
  });
  if (status === 0) return stdout.trim() === '' ? undefined : (JSON.parse(stdout) as string);
  // A failed request does not mean "no such version", and publishing cannot be undone.
  if (/"code": "E404"/.test(stdout)) return undefined;
  throw new Error(`the registry does not say whether it has ${name}@${version}: ${stdout}`);
}

function candidate({ name, version, tarball, manifest }: PackedPackage): Candidate {
  const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  return { name, version, tarball, integrity, repository: manifest.repository !== undefined };
}

function check(refusals: readonly string[]): void {
  if (refusals.length === 0) return;
  if (!dryRun) throw new Error(`no release:\n- ${refusals.join('\n- ')}`);
  console.error(`A release would be refused:\n- ${refusals.join('\n- ')}`);
}

// These refusals need no checks, so they come before an hour of checks.
const { branch, changes, changesets } = state();
if (!dryRun) {
  if (branch !== 'main' || changes.length > 0 || changesets.length > 0) {
    check(
      planRelease([], new Map(), { branch, changes, changesets }).refusals.filter((one) => !one.includes('already')),
    );
  }
  npm('ci');
  npm('run', 'clean');
  npm('run', 'build');
  npm('run', 'lint');
  npm('run', 'docs');
  npm('run', 'test:all');
}

const packed = await packRelease(`${repository}/.cache/release`);
const registry = new Map<string, string>();
for (const one of packed) {
  const integrity = integrityOf(one);
  if (integrity !== undefined) registry.set(`${one.name}@${one.version}`, integrity);
}
// Reads the state again: tests and builds must not have changed committed files.
const plan = planRelease(packed.map(candidate), registry, state());
check(plan.refusals);
for (const { name, version } of plan.published) console.log(`there already  ${name}@${version}`);
for (const { tarball } of plan.publish) {
  console.log(`${dryRun ? 'would publish' : 'published'}  ${await publishTarball(tarball, { dryRun })}`);
}
