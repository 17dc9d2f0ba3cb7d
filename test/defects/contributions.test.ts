// Shows that each check can fail. For each defect there is a contribution with this defect only, and the check for it
// must find it, with its promise and the repair. The same contribution without the defect passes every check, so no check is always
// red. Checks run in this process. The command runs for the healthy contributions, for a defect of each kind, and for
// defects that only an observer of a plugin's process can see.
import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import type { Contribution } from '../../src/contracts/plugin.js';
import { examineContribution } from '../../src/plugin-check/examine-contribution.js';
import type { CheckOutcome } from '../../src/testing/conformance-kit.js';
import { optionDefaults } from '../../src/testing/option-defaults.js';
import { isLong } from '../long.js';
import { checkFolder, failedOf, findersOf, goodPackage, makePlugin } from './make-plugin.js';

interface Fixture {
  readonly defects: { readonly [name: string]: { readonly expected: string } };
  /** Named `healthy`, and by their defects. */
  readonly default: readonly Contribution[];
}

const kinds = ['environments', 'rewards', 'formats', 'algorithms', 'policies'];
// Imported by URL: the fixtures are plain JavaScript, like a built plugin.
const urlOf = (kind: string) => new URL(`./${kind}.js`, import.meta.url);
const fixtures = await Promise.all(
  kinds.map(async (kind) => ({ kind, ...((await import(urlOf(kind).href)) as Fixture) })),
);
const all = fixtures.flatMap(({ kind, defects, default: list }) =>
  Object.entries(defects).map(([name, { expected }]) => ({
    kind,
    name,
    expected,
    contribution: list.find((contribution) => contribution.name === name)!,
  })),
);
/** Checks of an observer outside the plugin's process. */
const OUTSIDE = ['deadline', 'exits', 'silent', 'ends'];
const isOutside = ({ expected }: { readonly expected: string }) => OUTSIDE.includes(expected);

/** Runs one check of the kit, as the process of `plugins check` runs all of them. */
async function examine(contribution: Contribution, check: string, entry: string): Promise<readonly CheckOutcome[]> {
  const module: object = await contribution.load();
  const settings = { seed: 0, secondsPerCheck: 6, secondsPerText: 0.4, only: [check] };
  const options = optionDefaults(contribution.options);
  return (await examineContribution({ contribution, module, options, entry, defaults: true, settings })).checks;
}

describe('a check of the kit', () => {
  it.each(all.filter((defect) => !isOutside(defect)))(
    'finds the defect of $kind, $name: $expected',
    { timeout: 60_000 },
    async ({ kind, expected, contribution }) => {
      const checks = await examine(contribution, expected, urlOf(kind).href);
      expect(findersOf(checks)).toContain(expected);
      const finding = checks.find(({ id }) => id === expected)?.findings[0];
      expect(finding?.message).not.toMatch(/the check did not finish/);
      expect([finding?.title, finding?.cure].every((text) => typeof text === 'string' && text.length > 10)).toBe(true);
    },
  );
});

describe('agentgym plugins check', () => {
  /** Kinds with defects that only an observer sees, and one without; long tests ask for all kinds. */
  const asking = isLong ? kinds : ['environments', 'rewards'];
  const firsts = asking.map((kind) => all.find((defect) => defect.kind === kind)!);
  const asked = [...firsts, ...all.filter(isOutside)];
  const names = ['healthy', ...asked.map(({ name }) => name)];

  it('finds the same, sees what a process does, and passes the healthy ones', { timeout: 300_000 }, async () => {
    const entry = [
      ...asking.map((kind) => `import ${kind} from './${kind}.js';`),
      `const asked = ${JSON.stringify(names)};`,
      `export default [${asking.join(', ')}].flat().filter(({ name }) => asked.includes(name));`,
    ].join('\n');
    const copies = asking.map((kind): [string, string] => [`${kind}.js`, readFileSync(urlOf(kind), 'utf8')]);
    const root = makePlugin(goodPackage, { 'index.js': entry, ...Object.fromEntries(copies) });
    // The policies import the tabular policy from the repository, which a separate package could not do.
    const skipped = ['files', 'entry-file', 'imports'].flatMap((id) => ['--skip', id]);
    const { code, report } = await checkFolder(root, [...skipped, '--deadline', '12']);
    expect(failedOf(report.checks)).toEqual([]);
    const healthy = report.contributions.filter(({ name }) => name === 'healthy');
    expect(healthy.map(({ checks }) => findersOf(checks))).toEqual(asking.map(() => []));
    expect(healthy.map(({ checks }) => checks.length > 8)).toEqual(asking.map(() => true));
    const broken = report.contributions.filter(({ name }) => name !== 'healthy');
    expect(broken.map(({ name }) => name).sort()).toEqual(asked.map(({ name }) => name).sort());
    for (const { name, expected } of asked) {
      const { checks } = broken.find((contribution) => contribution.name === name)!;
      expect(findersOf(checks), name).toContain(expected);
      const finding = checks.find(({ id }) => id === expected)?.findings[0];
      expect(finding?.message).not.toMatch(/the check did not finish/);
      expect([finding?.title, finding?.cure].every((text) => typeof text === 'string' && text.length > 10)).toBe(true);
    }
    expect(code).toBe(1);
  });
});
