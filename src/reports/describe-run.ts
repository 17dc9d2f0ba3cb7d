import { facts, paragraph, type Block } from '../reporting/blocks/block.js';
import { spentText } from '../reporting/blocks/tell-costs.js';
import { formatSeconds } from '../reporting/format-quantity.js';
import { totalsOfMetrics } from '../training/spending.js';
import { referenceTo } from '../runs/resolve-run.js';
import { changedLogs } from '../runs/changed-logs.js';
import type { LoadedRun } from '../runs/load-run.js';
import type { RunLabel } from '../runs/run-label.js';
import { runResultBlocks } from './result-blocks.js';
import type { RewardDescriptions, RunManifest } from '../runs/run-manifest.js';

/**
 * A run for a reader: its status, its origin, and its results.
 *
 * @param differences installed plugins that differ from those of the run
 */
export function runBlocks(
  run: LoadedRun,
  differences: readonly string[] = [],
  label: RunLabel = { tags: [] },
): Block[] {
  const { manifest, metrics, result, status } = run;
  const { git } = manifest;
  const last = metrics.at(-1);
  const resumable = status !== 'completed' && status !== 'running';
  return [
    facts(
      ['run', `${manifest.id} (${run.directory})`],
      ['name', label.name],
      ['tags', label.tags.join(', ') || undefined],
      ['note', label.note],
      ['recipe', manifest.name],
      ['status', manifest.error === undefined ? status : `${status}: ${manifest.error.message}`],
      ['created', manifest.createdAt],
      ['sessions', String(manifest.sessions.length)],
      [
        'code',
        git === null ? undefined : `${git.commit?.slice(0, 12) ?? 'no commit'}${git.dirty ? ' with changes' : ''}`,
      ],
      ['plugins', pluginsLine(manifest)],
      ['now', differences.join(', ') || undefined],
      ['reward', rewardLine(manifest.reward)],
      ['last step', last && `${last.step} of stage ${last.stage} (${last.runStep} in all)`],
      ['time', result && formatSeconds(result.seconds)],
      ['spent', last && (spentText(totalsOfMetrics(last.metrics)) || undefined)],
      ['checkpoint', run.checkpoint],
      ['changed', run.changed.length === 0 ? undefined : changedLogs(run.changed)],
      ['inexact', manifest.inexact.join('; ') || undefined],
    ),
    ...runResultBlocks(run),
    ...(resumable
      ? [paragraph(`Continue with \`agentgym train --resume ${referenceTo(run.directory, manifest.id)}\`.`)]
      : []),
  ];
}

/** Plugins that are not part of the CLI. */
function pluginsLine({ packages = [] }: RunManifest): string | undefined {
  const others = packages.filter(({ origin }) => origin !== 'built-in');
  return others.map(({ name, version, origin }) => `${name} ${version} (${origin})`).join(', ') || undefined;
}

/** What an episode can return, from the manifest. */
function rewardLine(reward: RewardDescriptions | null | undefined): string | undefined {
  if (!reward) return undefined;
  const range = ([low, high]: readonly [number, number]) => (low === high ? `${low}` : `${low} to ${high}`);
  return `a success returns ${range(reward.bounds.success)}, a failure ${range(reward.bounds.failure)}`;
}
