import { expect, it } from 'vitest';

import { plainTransfer } from './show-transfer.js';

it('tells a transfer in a line for each file, and one every ten seconds', async () => {
  const lines: string[] = [];
  let now = 0;
  const display = plainTransfer(
    (line) => lines.push(line),
    () => now,
  );
  const files = [
    { name: 'config.json', bytes: 600 },
    { name: 'model.safetensors', bytes: 1e9 },
  ];
  display.event({ type: 'planned', files });
  display.event({ type: 'finished', name: 'config.json', outcome: 'present' });
  // The rate counts only bytes of this attempt: 400 MB were there.
  for (let second = 0; second <= 20; second += 1) {
    now = 1000 * second;
    display.event({ type: 'progress', name: 'model.safetensors', done: 4e8 + 2e7 * second });
  }
  display.event({ type: 'finished', name: 'model.safetensors', outcome: 'transferred' });
  await display.close();
  expect(lines).toEqual([
    '2 files: 1.0 GB to fetch',
    'config.json: 600 B, already present',
    'model.safetensors: 60 % of 1.0 GB, 20.0 MB/s, 20 s left',
    'model.safetensors: 80 % of 1.0 GB, 20.0 MB/s, 10 s left',
    'model.safetensors: 1.0 GB',
  ]);
});
