import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import type { FailedEpisode } from '../contracts/trajectory.js';
import type { ReportEpisode } from '../reporting/report-data.js';
import { EpisodeArtifacts } from '../rollout/episode-artifacts.js';
import { journaledRun } from '../runs/fixtures/journaled-run.js';
import { RunReader } from './run-reader.js';

/** An episode whose artifact has so many bytes. */
function episode(group: number, bytes: number): FailedEpisode {
  const failure = { phase: 'reset', message: 'gone' } as const;
  const artifacts = new EpisodeArtifacts();
  artifacts.add([{ name: 'file', mediaType: 'text/plain', content: String(group).repeat(bytes) }]);
  const key = { iteration: 1, task: String(group), group, member: 0 };
  return { ...key, status: 'failed', failure, turns: [], artifacts: artifacts.all, retries: 0 };
}

// Goes red if episodes that are kept for other pages count nothing.
it('keeps contents of artifacts up to the limit of a page', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-reader-'));
  const episodes = [1, 2, 3, 4, 5].map((group) => episode(group, 4));
  const reader = new RunReader(await journaledRun(folder, { episodes }));
  await reader.read();
  const shown = async (count: number) => {
    const found = await reader.episodes({ count, bytes: 1e6, artifactBytes: 10 });
    return found.flatMap(({ json }) => {
      const { task, artifacts } = JSON.parse(json) as ReportEpisode;
      return artifacts!.some((artifact) => 'content' in artifact) ? [task] : [];
    });
  };
  // Of five episodes, every second, so the first, the third and the fifth.
  expect(await shown(3)).toEqual(['1', '3']);
  expect(await shown(5)).toEqual(['1', '3']);
});
