import { describe, expect, it } from 'vitest';

import { createExecutor } from './create-executor.js';
import { engineFolder, engines } from './fixtures/engines.js';
import { measurePeak } from './measure-peak.js';

describe.each(engines)('%s', (engine) => {
  // Goes red when a product is not computed: no core reaches 10 TFLOP/s, and none that runs at all needs a minute for one.
  it('reaches a plausible speed in products of matrices', async () => {
    const executor = await createExecutor({ engine, engineFolder, threads: 1, log: () => undefined });
    const peak = await measurePeak(executor);
    await executor.dispose();
    expect(peak).toBeGreaterThan(5e5);
    expect(peak).toBeLessThan(1e13);
  });
});
