import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { readVerdicts, VerdictLog, verdictsFile } from './kept-verdicts.js';

const verdict = (key: string) => ({
  key,
  judge: 'lengths',
  judgements: [{ scores: [0, 0.5], reason: 'kürzer\u2028', tokens: 3 }],
});
let run: string;
beforeEach(() => (run = mkdtempSync(join(tmpdir(), 'agentgym-verdicts-'))));
afterEach(() => rmSync(run, { recursive: true }));

async function write(...keys: string[]): Promise<void> {
  const log = new VerdictLog(run, (await readVerdicts(run)).bytes);
  for (const key of keys) await log.write(verdict(key));
  log.close();
}
const keys = async () => (await readVerdicts(run)).verdicts.map(({ key }) => key);

describe('kept verdicts', () => {
  it('are read as they were written, over all sessions', async () => {
    expect(await readVerdicts(run)).toEqual({ verdicts: [], bytes: 0 });
    await write('a', 'b');
    await write('c');
    expect(await keys()).toEqual(['a', 'b', 'c']);
    expect((await readVerdicts(run)).verdicts[0]).toMatchObject(verdict('a'));
  });

  // Goes red when a session appends to the half line that a kill left.
  it('lose the half line of a kill, and nothing else', async () => {
    await write('a');
    appendFileSync(join(run, verdictsFile), '{"formatVersion":1,"key":"b","judg');
    expect(await keys()).toEqual(['a']);
    await write('c');
    expect(await keys()).toEqual(['a', 'c']);
  });

  it('may be longer than what is read at once', async () => {
    const long = { ...verdict('long'), judgements: [{ scores: Array.from({ length: 400_000 }, () => 0.25) }] };
    const log = new VerdictLog(run, 0);
    await log.write(long);
    await log.write(verdict('b'));
    log.close();
    expect(await keys()).toEqual(['long', 'b']);
    expect((await readVerdicts(run)).verdicts[0]!.judgements[0]!.scores).toHaveLength(400_000);
  });

  it.each(['no JSON', '{}', '{"formatVersion":1,"key":"a","judge":"b","judgements":[{"scores":[null]}]}'])(
    'that somebody changed are refused with their line: %s',
    async (line) => {
      await write('a');
      appendFileSync(join(run, verdictsFile), `${line}\n`);
      await expect(readVerdicts(run)).rejects.toThrow(
        expect.objectContaining({ code: 'AG_RUN_DAMAGED', line: 2 }) as Error,
      );
    },
  );

  it('are not written after the run has ended', async () => {
    const log = new VerdictLog(run, 0);
    log.close();
    await log.write(verdict('a'));
    expect(readFileSync(join(run, verdictsFile), 'utf8')).toBe('');
    writeFileSync(join(run, verdictsFile), '');
  });
});
