// Shows that each check can fail: for each defect there is a contribution that has it and nothing else wrong, and the command has to name it by the check
// that guards against it, with why and cure. The same contribution without the defect passes every check, so that none is merely always red.
import { describe, expect, it } from 'vitest';

import { checkFolder, failedOf, findersOf, goodPackage, makePlugin } from './make-plugin.js';

type Defects = { readonly [name: string]: { readonly expected: string } };

const kinds = ['environments', 'rewards', 'formats', 'algorithms', 'policies'];
// By address: the fixtures are plain JavaScript, as a plugin's build would be.
const load = (kind: string): Promise<{ readonly defects: Defects }> =>
  import(new URL(`./${kind}.js`, import.meta.url).href) as Promise<{ readonly defects: Defects }>;

describe.concurrent.each(kinds)('defects of %s', (kind) => {
  it(
    'are each found by the check that guards against them; without them everything passes',
    { timeout: 600_000 },
    async () => {
      const { defects } = await load(kind);
      // The policies take the tabular policy from the repository, which no package of its own could.
      const policies = kind === 'policies';
      const root = makePlugin(goodPackage, {}, `${kind}.js`);
      const unpacked = ['files', 'entry-file', 'undeclared-import', 'host-import'];
      const flags = [...(policies ? unpacked.flatMap((id) => ['--skip', id]) : []), '--deadline', '12'];
      const { code, report } = await checkFolder(root, flags);
      expect(failedOf(report.checks)).toEqual([]);
      const [healthy, ...broken] = report.contributions;
      expect([healthy?.name, findersOf(healthy?.checks ?? [])]).toEqual(['healthy', []]);
      expect(healthy?.checks.length).toBeGreaterThan(8);
      const found = Object.fromEntries(broken.map(({ name, checks }) => [name, findersOf(checks)]));
      const missed = Object.entries(defects).filter(([name, { expected }]) => found[name]?.includes(expected) !== true);
      expect(missed.map(([name, { expected }]) => `${name}: ${expected}, not ${found[name]?.join(', ')}`)).toEqual([]);
      for (const { name, checks } of broken) {
        const finding = checks.find(({ id }) => id === defects[name]?.expected)?.findings[0];
        expect(finding?.message).not.toMatch(/could not be finished/);
        expect([finding?.why, finding?.cure].every((text) => typeof text === 'string' && text.length > 10)).toBe(true);
      }
      expect(code).toBe(1);
    },
  );
});
