import type { ReportUpdate } from '../live-data.js';
import type { ReportData, ReportEpisode, ReportRun } from '../report-data.js';

/**
 * Puts updates together again. What was there before stays the same object: parts of runs, and episodes, also when they
 * are sent once more.
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
      // Whole: what is not sent is kept.
      return { ...parts, ...sent, episodes: found } as unknown as ReportRun;
    });
    known = next;
    knownRuns = new Map(runs.map((run) => [run.id, run]));
    return { ...report, runs };
  };
}
