import type { ReportUpdate } from '../live-data.js';
import type { ReportData, ReportEpisode, ReportRun } from '../report-data.js';

/**
 * Merges updates into whole reports. Parts of runs and episodes that the page already had stay the same objects, even
 * if they are sent again.
 */
export function reportAssembler(): (update: ReportUpdate) => ReportData {
  let known = new Map<string, ReportEpisode>();
  let knownRuns = new Map<string, ReportRun>();
  return ({ report, episodes }) => {
    const next = new Map<string, ReportEpisode>();
    const runs = report.runs.map(({ kept, ...sent }) => {
      const own = episodes[sent.id] ?? { order: [], added: {} };
      const found = own.order.flatMap((key) => {
        const name = `${sent.id} ${key}`;
        const episode = known.get(name) ?? own.added[key];
        if (episode === undefined) return [];
        next.set(name, episode);
        return [episode];
      });
      const before = knownRuns.get(sent.id);
      const parts = Object.fromEntries(kept.map((part) => [part, before?.[part]]));
      // The result is a whole run: parts that are not sent are kept.
      return { ...parts, ...sent, episodes: found } as unknown as ReportRun;
    });
    known = next;
    knownRuns = new Map(runs.map((run) => [run.id, run]));
    return { ...report, runs };
  };
}
