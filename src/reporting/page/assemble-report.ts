import type { ReportUpdate } from '../live-data.js';
import type { ReportData, ReportEpisode } from '../report-data.js';

/** Puts updates together again. An episode that was there before stays the same object, also when it is sent once more. */
export function reportAssembler(): (update: ReportUpdate) => ReportData {
  let known = new Map<string, ReportEpisode>();
  return ({ report, episodes }) => {
    const next = new Map<string, ReportEpisode>();
    const runs = report.runs.map((run) => {
      const own = episodes[run.id] ?? { order: [], added: {} };
      const found = own.order.flatMap((key) => {
        const name = `${run.id} ${key}`;
        const episode = known.get(name) ?? own.added[key];
        if (episode === undefined) return [];
        next.set(name, episode);
        return [episode];
      });
      return { ...run, episodes: found };
    });
    known = next;
    return { ...report, runs };
  };
}
