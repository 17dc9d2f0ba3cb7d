import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { loadRun, presentStatus, type LoadedRun } from '../runs/load-run.js';
import { EpisodeLogs, takeSteadily, type ShownEpisodeLimits } from '../reports/report-episodes.js';
import { reportRun } from '../reports/report-run.js';
import type { ReportedRun } from '../reports/report-cells.js';
import { manifestPath } from '../runs/run-manifest.js';
import { fileSignature } from './file-signature.js';

/**
 * Reads one run repeatedly, for all pages that show it. It first compares sizes and modification times, and reads
 * episode logs from the last position. It keeps the episodes of pages as JSON, because they are sent unchanged. It
 * keeps no file open between reads.
 */
export class RunReader {
  #logs: EpisodeLogs;
  #reading: Promise<ReportedRun> | undefined;
  #last: { readonly signature: string; readonly state: ReportedRun } | undefined;
  /** Counts how often the logs were cut or restarted, because the same byte may then start another episode. */
  #generation = 0;
  #sessions = 0;
  readonly #episodes = new Map<string, { readonly json: string; readonly artifactBytes: number }>();
  /** The current episodes of pages of each size; other episodes are not kept. */
  readonly #carried = new Map<number, ReadonlySet<string>>();

  constructor(readonly directory: string) {
    this.#logs = new EpisodeLogs(directory);
  }

  /**
   * The current run; its report has no episodes. Returns the same object as before if nothing changed. Throws as
   * `loadRun`.
   */
  read(): Promise<ReportedRun> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** The episodes of a page, in order; a key never refers to another episode. */
  async episodes(limits: ShownEpisodeLimits): Promise<{ readonly key: string; readonly json: string }[]> {
    const generation = this.#generation;
    const lines = this.#logs.choose(limits, takeSteadily);
    const keyed = lines.map((line) => ({ line, key: `${generation}.${line.log}.${line.start}` }));
    const missing = keyed.filter(({ key }) => !this.#episodes.has(key));
    const keys = new Map(missing.map(({ line, key }) => [line, key]));
    const held = [...this.#episodes.values()].reduce((sum, { artifactBytes }) => sum + artifactBytes, 0);
    await this.#logs.read([...keys.keys()], limits.artifactBytes - held, (line, episode) => {
      const contents = episode.artifacts?.filter((artifact) => 'content' in artifact) ?? [];
      const artifactBytes = contents.reduce((sum, { bytes }) => sum + bytes, 0);
      this.#episodes.set(keys.get(line) ?? '', { json: JSON.stringify(episode), artifactBytes });
    });
    this.#carried.set(limits.count, new Set(keyed.map(({ key }) => key)));
    for (const key of this.#episodes.keys()) {
      if (![...this.#carried.values()].some((keep) => keep.has(key))) this.#episodes.delete(key);
    }
    return keyed.flatMap(({ key }) => {
      const kept = this.#episodes.get(key);
      return kept === undefined ? [] : [{ key, json: kept.json }];
    });
  }

  async #read(): Promise<ReportedRun> {
    const signature = await fileSignature(await this.#files());
    const known = this.#last;
    if (known?.signature === signature) {
      const status = presentStatus(this.directory, known.state.loaded.manifest);
      if (status === known.state.loaded.status) return known.state;
    }
    const loaded = await loadRun(this.directory);
    await this.#refreshEpisodes(loaded);
    const { recorded, halfWritten } = this.#logs;
    const state = { loaded, report: reportRun(loaded, { episodes: [], recorded, halfWritten }), halfWritten };
    this.#last = { signature, state };
    return state;
  }

  async #refreshEpisodes({ manifest }: LoadedRun): Promise<void> {
    const sessions = manifest.sessions.length;
    // A resumed run cuts its logs, and may have written the same amount again since.
    const isSameSession = this.#sessions === 0 || this.#sessions === sessions;
    this.#sessions = sessions;
    if (isSameSession && (await this.#logs.refresh())) return;
    this.#generation += 1;
    this.#episodes.clear();
    this.#logs = new EpisodeLogs(this.directory);
    await this.#logs.refresh();
  }

  /** The files that a page of the run reads. */
  async #files(): Promise<string[]> {
    const folder = join(this.directory, 'episodes');
    const logs = (await readdir(folder).catch((): string[] => [])).sort().map((name) => join(folder, name));
    const files = ['label.json', 'checkpoints/latest.json', 'metrics.jsonl', 'evaluations.jsonl', 'result.json'].map(
      (name) => join(this.directory, name),
    );
    return [manifestPath(this.directory), ...files, ...logs];
  }
}
