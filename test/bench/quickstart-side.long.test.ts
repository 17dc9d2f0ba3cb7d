import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

const bench = new URL('../../bench/', import.meta.url);
/** Runs in a separate process with the built packages, like the measurement. */
const script = `
  import { openHost } from '${new URL('sides/our-side.js', bench).href}';
  import { iterate, openQuickstart } from '${new URL('rl/quickstart-side.js', bench).href}';
  const quickstart = await openQuickstart(await openHost(), { threads: 1, steps: 6 });
  const seen = [];
  await iterate(quickstart, (iteration) => seen.push(iteration));
  await quickstart.dispose();
  console.log(JSON.stringify(seen));
`;

describe('our side of the measurement beside PyTorch', () => {
  // The benchmark is outside the compiled sources and calls the trainer directly, so only this test notices a change.
  it('runs iterations of the quickstart', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
    const iterations = JSON.parse(stdout) as { seconds: number; success: number }[];
    expect(iterations).toHaveLength(6);
    expect(iterations[0]!.seconds).toBeGreaterThan(0);
    expect(iterations[0]!.success).toBeGreaterThanOrEqual(0);
  });
});
