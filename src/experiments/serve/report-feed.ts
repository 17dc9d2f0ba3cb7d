import type { ReportData } from '../../reporting/report-data.js';
import { composeReport, limitsFor } from '../report-runs.js';
import { Followed } from './followed.js';
import { RunReader, type RunState } from './run-reader.js';

/** A report at one moment, its episodes apart. */
export interface ReportState {
  /** Its runs have no episodes. */
  readonly report: ReportData;
  /** Of each run by its id, in order, as JSON. */
  readonly episodes: ReadonlyMap<string, readonly { readonly key: string; readonly json: string }[]>;
}

/** Most episodes that a page carries, of all runs together. */
const mostEpisodes = 2000;

/** What pages follow: each report is made once for all pages that show it, of runs that are read once for all reports. */
export class ReportFeeds {
  readonly #version: string;
  readonly #readers = new Map<string, { readonly reader: RunReader; users: number }>();
  readonly #feeds = new Map<string, Followed<ReportState>>();

  constructor(version: string) {
    this.#version = version;
  }

  /** Runs that are being followed at this moment. */
  get followed(): number {
    return this.#readers.size;
  }

  /** The report of runs, by their folders: of one, or of several side by side. */
  ofRuns(folders: readonly string[]): Followed<ReportState> {
    return this.#feed(`runs ${JSON.stringify(folders)}`, () => Promise.resolve(folders));
  }

  /** The report of all runs of an ablation that have begun, side by side: `begun` names them anew each time. */
  ofAblation(folder: string, begun: () => Promise<readonly string[]>): Followed<ReportState> {
    return this.#feed(`ablation ${folder}`, begun);
  }

  #feed(key: string, folders: () => Promise<readonly string[]>): Followed<ReportState> {
    const known = this.#feeds.get(key);
    if (known !== undefined) return known;
    const readers = new Map<string, RunReader>();
    let isOver = false;
    let last: { readonly states: readonly RunState[]; readonly made: ReportState } | undefined;
    const feed = new Followed<ReportState>({
      every: 1000,
      read: async () => {
        const directories = await folders();
        // Whoever listened has left in the meantime: no reader may be taken that nobody gives back.
        if (isOver) throw new Error('Nobody listens.');
        if (directories.length === 0) throw new Error('No run has begun yet.');
        for (const directory of directories) {
          if (!readers.has(directory)) readers.set(directory, this.#acquire(directory));
        }
        const used = directories.flatMap((directory) => readers.get(directory) ?? []);
        const states: RunState[] = [];
        for (const reader of used) states.push(await reader.read());
        const isSame = last?.states.length === states.length && states.every((state, i) => state === last?.states[i]);
        if (last !== undefined && isSame) return last.made;
        const made = await this.#make(used, states);
        last = { states, made };
        return made;
      },
      rest: () => {
        isOver = true;
        for (const directory of readers.keys()) this.#release(directory);
        readers.clear();
        last = undefined;
        this.#feeds.delete(key);
      },
    });
    this.#feeds.set(key, feed);
    return feed;
  }

  async #make(readers: readonly RunReader[], states: readonly RunState[]): Promise<ReportState> {
    const limits = limitsFor(mostEpisodes, readers.length);
    const episodes: ReportState['episodes'] = new Map(
      await Promise.all(
        readers.map(async (reader, i) => [states[i]?.run.report.id ?? '', await reader.episodes(limits)] as const),
      ),
    );
    const notes = states.flatMap((state) => state.notes);
    return {
      report: composeReport(
        states.map(({ run }) => run),
        notes,
        this.#version,
      ),
      episodes,
    };
  }

  #acquire(directory: string): RunReader {
    const held = this.#readers.get(directory) ?? { reader: new RunReader(directory), users: 0 };
    held.users += 1;
    this.#readers.set(directory, held);
    return held.reader;
  }

  #release(directory: string): void {
    const held = this.#readers.get(directory);
    if (held === undefined) return;
    held.users -= 1;
    if (held.users === 0) this.#readers.delete(directory);
  }
}
