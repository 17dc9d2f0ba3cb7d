import type { ReportState } from './report-feed.js';

/** Writes the updates of one connection: an episode is sent once, and again only where it was left out in between. */
export class ReportUpdates {
  #sent: ReadonlySet<string> = new Set();

  /** The event `report` (reporting/live-data.ts) as JSON; episodes are put in as the text that they are kept as. */
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
    return `{"report":${JSON.stringify(report)},"episodes":{${parts.join(',')}}}`;
  }
}
