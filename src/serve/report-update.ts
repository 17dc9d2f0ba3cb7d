import type { RunUpdate } from '../reporting/live-data.js';
import type { ReportRun } from '../reporting/report-data.js';
import type { ReportState } from './report-feed.js';

/**
 * Writes the updates of one connection. An episode is sent once, and again only if it was omitted in between. Of a run,
 * only changes are sent.
 */
export class ReportUpdates {
  #sent: ReadonlySet<string> = new Set();
  #runs: ReadonlyMap<string, ReportRun> = new Map();

  /** The event `report` (reporting/live-data.ts) as JSON; episodes are inserted as stored JSON text. */
  write({ report, episodes }: ReportState): string {
    const sent = new Set<string>();
    const parts = [...episodes].map(([run, found]) => {
      const own = found.map(({ key }) => `${run} ${key}`);
      const added = found.filter((_, i) => !this.#sent.has(own[i] ?? ''));
      for (const key of own) sent.add(key);
      const order = JSON.stringify(found.map(({ key }) => key));
      const bodies = added.map(({ key, json }) => `${JSON.stringify(key)}:${json}`).join(',');
      return `${JSON.stringify(run)}:{"order":${order},"added":{${bodies}}}`;
    });
    this.#sent = sent;
    const runs = report.runs.map((run) => updateOf(run, this.#runs.get(run.id)));
    this.#runs = new Map(report.runs.map((run) => [run.id, run]));
    return `{"report":${JSON.stringify({ ...report, runs })},"episodes":{${parts.join(',')}}}`;
  }
}

/** A run that was not read again has identical parts. They are compared as objects, which is fast. */
function updateOf({ episodes: _, ...run }: ReportRun, before: ReportRun | undefined): RunUpdate {
  const isKept = ([name, part]: [string, unknown]) =>
    typeof part === 'object' && part !== null && part === before?.[name as keyof ReportRun];
  const parts = Object.entries(run);
  const kept = parts.filter(isKept).map(([name]) => name as keyof ReportRun);
  return { ...Object.fromEntries(parts.filter((part) => !isKept(part))), id: run.id, kept };
}
