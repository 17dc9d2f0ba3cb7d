/** The checker of algorithms on recordings of verl and TRL, through the exports of every algorithm plugin. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';

import { afterAll, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('./run.js', import.meta.url));
const recordings = fileURLToPath(new URL('../../src/credit/fixtures', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agentgym-golden-'));
afterAll(() => rmSync(folder, { recursive: true }));

function golden(...given: string[]) {
  return spawnSync(process.execPath, [program, 'algorithms', ...given], { encoding: 'utf8' });
}

interface Recording {
  estimators: { [name: string]: { reference: { advantages: number[][] } } };
  losses: { [name: string]: { reference: { loss: number } } };
  kl: { [name: string]: { verl: { gradient: number[][] } } };
  trl: { [name: string]: { reference: { loss: number } } };
  batch: { mask: number[][] };
}

/** A recording with changes. */
function changed(name: string, change: (recording: Recording) => void): string {
  const recording = JSON.parse(gunzipSync(readFileSync(join(recordings, 'edge.json.gz'))).toString()) as Recording;
  change(recording);
  const path = join(folder, `${name}.json.gz`);
  writeFileSync(path, gzipSync(JSON.stringify(recording)));
  return path;
}

describe('golden algorithms', () => {
  it('agree with every reference and every entry of TRL', () => {
    const { status, stdout } = golden(recordings);
    expect(stdout).toMatch(/^dense\.json\.gz: 12\d{3} numbers agree, 0 do not$/m);
    expect(stdout).toMatch(/^edge\.json\.gz: 5\d{3} numbers agree, 0 do not$/m);
    expect(stdout).toMatch(/^sparse\.json\.gz: 7\d{3} numbers agree, 0 do not$/m);
    // A different answer of the original is printed.
    expect(stdout).toMatch(/grpo: verl differs from the reference: advantages by 1\.2/);
    expect(status).toBe(0);
  });

  // Every recorded number is compared: this changes one number in each kind of entry.
  it.each<[string, (recording: Recording) => void, RegExp]>([
    [
      'an advantage',
      ({ estimators }) => (estimators['rloo']!.reference.advantages[0]![0]! += 1),
      /rloo advantages\[0\]/,
    ],
    [
      'a value of the critic',
      ({ losses }) => (losses['value clip 0.2 token-mean']!.reference.loss += 1),
      /value clip 0\.2 token-mean\[0\]/,
    ],
    ['a loss', ({ losses }) => (losses['gspo 0.1 seq-mean-token-mean']!.reference.loss += 1), /gspo 0\.1/],
    [
      'a derivative',
      ({ kl, batch }) => (kl['k2']!.verl.gradient[0]![batch.mask[0]!.indexOf(1)]! += 1),
      /kl k2 gradient\[0\]/,
    ],
    ['a loss of TRL', ({ trl }) => (trl['dr_grpo beta=0.04']!.reference.loss += 1), /trl dr_grpo beta=0\.04/],
  ])('say where %s disagrees', (name, change, where) => {
    const { status, stdout } = golden(changed(name.replaceAll(' ', '-'), change));
    expect(stdout).toMatch(/, 1 do not; the first: /);
    expect(stdout).toMatch(where);
    expect(status).toBe(1);
  });

  it('refuse what they do not know instead of passing it over', () => {
    const unknown = changed('unknown', ({ estimators }) => (estimators['opo'] = estimators['rloo']!));
    expect(golden(unknown)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('unknown entry "opo"') as string,
    });
    expect(golden(join(folder, 'nowhere.json.gz'))).toMatchObject({ status: 2 });
  });
});
