import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeAll, expect, it } from 'vitest';

import { policyOpener } from './fixtures/policy-opener.js';

const policyOf = policyOpener({ threads: 1 });
let base = '';
let adapter = '';

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'agentgym-base-'));
  await (await policyOf({}, { preset: 'pico' })).save(base);
  adapter = mkdtempSync(join(tmpdir(), 'agentgym-adapter-'));
  await (await policyOf({ loraRank: 2 }, { from: base })).save(adapter);
});

const weights = () => join(base, 'model.safetensors');
/** Changes the last byte of the weights, and back. */
function flip(): void {
  const bytes = readFileSync(weights());
  bytes[bytes.length - 3]! ^= 0x40;
  writeFileSync(weights(), bytes);
}

it('notes the base of an adapter, and keeps no weights of it', async () => {
  const policy = await policyOf({ loraRank: 2 }, { from: base });
  const { sha256 } = JSON.parse(readFileSync(join(adapter, 'base.json'), 'utf8')) as { sha256: string };
  expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(policy.describe()['base']).toBe(sha256);
  const bytes = readdirSync(adapter)
    .filter((name) => name.endsWith('.safetensors'))
    .map((name) => statSync(join(adapter, name)).size);
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(statSync(weights()).size / 2);
});

// Goes red when the base is only looked for by its path.
it('refuses an adapter over a base that has changed, and takes one that was only touched', async () => {
  const policy = await policyOf({ loraRank: 2 }, { from: base });
  await policy.load(adapter);
  flip();
  await expect(policyOf({}, { from: adapter })).rejects.toThrow(/trained over another base than .*Put back the files/);
  const changed = await policyOf({ loraRank: 2 }, { from: base });
  await expect(changed.load(adapter)).rejects.toThrow('trained over another base');
  flip();
  utimesSync(weights(), new Date(), new Date());
  await policyOf({}, { from: adapter });
});

it('says of a base that is gone what to do', async () => {
  renameSync(base, `${base}.elsewhere`);
  await expect(policyOf({}, { from: adapter })).rejects.toThrow(
    /which is not a folder .* Put the base back where it was/,
  );
  renameSync(`${base}.elsewhere`, base);
});

it('takes an adapter of elsewhere, which notes no base', async () => {
  const other = mkdtempSync(join(tmpdir(), 'agentgym-adapter-'));
  for (const name of readdirSync(adapter))
    if (name !== 'base.json') copyFileSync(join(adapter, name), join(other, name));
  await policyOf({}, { from: other });
});
