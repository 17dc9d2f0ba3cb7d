// Folders of runs as other programs may leave them: pipes, devices, damaged manifests, links.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { expect, it } from 'vitest';

import { journaledRun } from '../runs/fixtures/journaled-run.js';
import { writeLabel } from '../runs/run-label.js';
import { RunReader } from './run-reader.js';
import { RunsFolder } from './runs-folder.js';

const pipe = (path: string) => {
  rmSync(path, { force: true });
  execFileSync('mkfifo', [path]);
};

// Goes red when the list waits for a pipe or reads a device without an end.
it.skipIf(process.platform === 'win32')(
  'lists the runs beside folders that cannot be read, and names these',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agentgym-hostile-'));
    const good = await journaledRun(folder);
    const odd = await Promise.all([0, 1, 2].map(() => journaledRun(folder)));
    pipe(join(odd[0]!, 'manifest.json'));
    pipe(join(odd[1]!, 'metrics.jsonl'));
    rmSync(join(odd[2]!, 'manifest.json'));
    symlinkSync('/dev/zero', join(odd[2]!, 'manifest.json'));
    mkdirSync(join(folder, 'damaged'));
    writeFileSync(join(folder, 'damaged', 'manifest.json'), '{"formatVersion": 1');
    mkdirSync(join(folder, 'ablations', 'odd'), { recursive: true });
    pipe(join(folder, 'ablations', 'odd', 'ablation.json'));
    for (const [name, target] of [
      ['loop', '.'],
      ['gone', 'nowhere'],
      ['self', 'self'],
    ] as const)
      symlinkSync(target, join(folder, name));
    const listing = await new RunsFolder(folder, '1.2.3').list();
    expect(listing.runs.map(({ key }) => good.endsWith(key))).toEqual([true]);
    expect(listing.ablations).toEqual([]);
    expect(new Map(listing.unreadable.map(({ folder: name, why }) => [name, why]))).toEqual(
      new Map([
        [basename(odd[0]!), expect.stringContaining('manifest.json is a pipe, not a file.')],
        [basename(odd[1]!), `${join(odd[1]!, 'metrics.jsonl')} is a pipe, not a file.`],
        [basename(odd[2]!), expect.stringContaining('manifest.json is a device, not a file.')],
        ['damaged', expect.stringContaining('its manifest.json cannot be read')],
      ]),
    );
  },
);

it.skipIf(process.platform === 'win32')('refuses to read an episode log that is a pipe', async () => {
  const run = await journaledRun(mkdtempSync(join(tmpdir(), 'agentgym-hostile-')));
  pipe(join(run, 'episodes', 'rl.jsonl'));
  await expect(new RunReader(run).read()).rejects.toMatchObject({
    code: 'AG_FILE_REFUSED',
    message: `${join(run, 'episodes', 'rl.jsonl')} is a pipe, not a file.`,
  });
});

it('lists the tags of a run, each cut to the length that the command line accepts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-hostile-'));
  await writeLabel(await journaledRun(folder), { name: 'n'.repeat(5000), tags: ['fast', 't'.repeat(5000)] });
  const [only] = (await new RunsFolder(folder, '1.2.3').list()).runs;
  expect([only!.name, only!.tags]).toEqual(['n'.repeat(100), ['fast', 't'.repeat(100)]]);
});
