import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

const bench = new URL('../../bench/engine/', import.meta.url);
/** In a process of its own, as the measurement runs: it takes the built packages. */
const script = `
  import { openHost } from '${new URL('our-side.js', bench).href}';
  import { iterate, openQuickstart } from '${new URL('quickstart-side.js', bench).href}';
  const quickstart = await openQuickstart(await openHost(), { threads: 1, steps: 6 });
  const seen = [];
  await iterate(quickstart, (iteration) => seen.push(iteration));
  await quickstart.dispose();
  console.log(JSON.stringify(seen));
`;

describe('our side of the measurement beside PyTorch', () => {
  // It stands outside of the compiled sources and drives the trainer by hand, so nothing else notices when that
  // changes.
  it('runs iterations of the quickstart', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
    const iterations = JSON.parse(stdout) as { seconds: number; success: number }[];
    expect(iterations).toHaveLength(6);
    expect(iterations[0]!.seconds).toBeGreaterThan(0);
    expect(iterations[0]!.success).toBeGreaterThanOrEqual(0);
  });
});
