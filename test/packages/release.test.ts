import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { pack } from '../../scripts/pack-release.js';
import { publishTarball } from '../../scripts/publish-tarball.js';
import { planRelease, type Candidate } from '../../scripts/release-plan.js';
import { repository } from '../architecture/source-files.js';

const candidate = (name: string, changes: Partial<Candidate> = {}): Candidate => {
  return { name, version: '0.1.0', tarball: `${name}.tgz`, integrity: `sha512-${name}`, repository: true, ...changes };
};
const ready = { branch: 'main', changes: [], changesets: [] };
const all = [candidate('runtime'), candidate('plugin'), candidate('host')];

describe('a plan of a release', () => {
  it('publishes in the order given what the registry does not have', () => {
    const plan = planRelease(all, new Map([['plugin@0.1.0', 'sha512-plugin']]), ready);
    expect(plan.refusals).toEqual([]);
    expect(plan.publish.map(({ name }) => name)).toEqual(['runtime', 'host']);
    expect(plan.published.map(({ name }) => name)).toEqual(['plugin']);
  });

  it.each([
    [
      'a version that exists with other contents',
      new Map([['host@0.1.0', 'sha512-other']]),
      ready,
      /^host@0.1.0 exists/,
    ],
    ['another branch', new Map(), { ...ready, branch: 'topic' }, /^this is the branch topic/],
    ['a working tree that is not clean', new Map(), { ...ready, changes: ['?? notes'] }, /not clean: \?\? notes/],
    ['changes without a version', new Map(), { ...ready, changesets: ['rewards.md'] }, /rewards.md yet/],
    [
      'nothing to do',
      new Map(all.map(({ name, version, integrity }) => [`${name}@${version}`, integrity])),
      ready,
      /^everything is published/,
    ],
  ])('is refused for %s', (_what, registry, repository, refusal) => {
    expect(planRelease(all, registry, repository).refusals).toEqual([expect.stringMatching(refusal)]);
  });

  it('is refused where a package does not say where its sources are', () => {
    const plan = planRelease([candidate('host', { repository: false })], new Map(), ready);
    expect(plan.refusals).toEqual([expect.stringMatching(/"repository".*: host$/)]);
  });
});

describe('publishing', () => {
  // npm itself reads the tarball, and stops before sending it.
  it('is tried on a packed package', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agentgym-release-'));
    const [grpo] = await pack(join(repository, 'plugins', 'algo-grpo'), folder);
    expect(await publishTarball(grpo!.tarball, { dryRun: true })).toMatch(/^@agentgym\/plugin-algo-grpo@\d/);
    await expect(publishTarball(`${grpo!.tarball}.missing`, { dryRun: true })).rejects.toThrow();
    await rm(folder, { recursive: true });
  }, 120_000);
});
