import { appendFileSync, mkdtempSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeEach, describe, expect, it } from 'vitest';

import type { RunEvent } from '../contracts/events.js';
import { diskReport, DiskReportReader } from './disk-report.js';

let folder: string;
let reader: DiskReportReader;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentgym-report-'));
  reader = new DiskReportReader(folder);
});

async function newEvents(): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of reader.events()) events.push(event);
  return events;
}

describe('what a job tells on a shared disk', () => {
  it('arrives in order, each event once, and the outcome at the end', async () => {
    const report = diskReport(folder);
    expect(await newEvents()).toEqual([]);
    const first: RunEvent = { type: 'activity', message: 'ü 漢 \u001b[31m' };
    const second: RunEvent = { type: 'step', stage: 'rl', step: 1, steps: 2, metrics: { 'train/loss': 1 } };
    report.event(first);
    expect(await newEvents()).toEqual([first]);
    report.event(second);
    report.event(first);
    expect(await newEvents()).toEqual([second, first]);
    expect(await reader.outcome()).toBeUndefined();
    await report.end({ status: 'completed', seconds: 2 });
    expect(await reader.outcome()).toEqual({ status: 'completed', seconds: 2 });
  });

  it('waits for the end of a line that is being written, and leaves out what is no event', async () => {
    const events = join(folder, 'events.jsonl');
    writeFileSync(events, 'null\n[]\n{"type":"step","metrics":null}\n{"type":"warning","mess');
    expect(await newEvents()).toEqual([]);
    appendFileSync(events, `age":"late"}\n${'x'.repeat(3e6)}\n{"type":"stage-started","steps":1e308}\n`);
    expect(await newEvents()).toEqual([{ type: 'warning', message: 'late' }]);
    // A number that is not finite is null in JSON.
    appendFileSync(events, '{"type":"step","stage":"rl","step":1,"steps":2,"metrics":{"a":null,"b":1}}\n');
    expect(await newEvents()).toEqual([{ type: 'step', stage: 'rl', step: 1, steps: 2, metrics: { b: 1 } }]);
  });

  it.each([
    ['null', 'null'],
    ['nothing', ''],
    ['half a document', '{"status":"comp'],
    ['an unknown status', '{"status":"won","seconds":1}'],
    ['seconds that are no number', '{"status":"completed","seconds":null}'],
  ])('is no outcome: %s', async (_, text) => {
    writeFileSync(join(folder, 'outcome.json'), text);
    expect(await reader.outcome()).toBeUndefined();
  });

  it('is read from files only', async () => {
    writeFileSync(join(folder, 'there.json'), '{"status":"completed","seconds":1}');
    symlinkSync(join(folder, 'there.json'), join(folder, 'outcome.json'));
    symlinkSync('/dev/zero', join(folder, 'events.jsonl'));
    expect(await reader.outcome()).toBeUndefined();
    expect(await newEvents()).toEqual([]);
    renameSync(join(folder, 'there.json'), join(folder, 'outcome.json'));
    expect(await reader.outcome()).toEqual({ status: 'completed', seconds: 1 });
  });

  it.each([
    ['AG_RECIPE_INVALID', { code: 'AG_RECIPE_INVALID' }],
    // A defect on a node is none of this process, and neither is an interruption there.
    ['AG_BUG', {}],
    ['AG_INTERRUPTED', {}],
    ['constructor', {}],
  ])('fails with the code %s as far as users can mend it', async (code, told) => {
    writeFileSync(join(folder, 'outcome.json'), JSON.stringify({ status: 'failed', cause: 'x'.repeat(9e4), code }));
    const outcome = await reader.outcome();
    expect(outcome).toMatchObject({ status: 'failed', ...told });
    expect(Object.keys(outcome!).length).toBe('code' in told ? 3 : 2);
    expect((outcome as { cause: string }).cause.length).toBeLessThan(5000);
  });
});
