import type { ReportData } from '../reporting/report-data.js';
import type { ReportedRun } from '../reports/report-cells.js';
import { composeReport, limitsFor, notesOn, type ReportRequest, type RunRemarks } from '../reports/report-runs.js';
import { followAblation } from './follow-ablation.js';
import { Followed } from './followed.js';
import { rememberComparisons } from './remember-comparisons.js';
import type { ReportSubject } from './report-subject.js';
import { RunReader } from './run-reader.js';

/** A report at one time, with its episodes separate. */
export interface ReportState {
  /** The report; its runs have no episodes. */
  readonly report: ReportData;
  /** Episodes of each run by its id, in order, as JSON. */
  readonly episodes: ReadonlyMap<string, readonly { readonly key: string; readonly json: string }[]>;
}

/** The most episodes in a page, over all runs. */
const mostEpisodes = 2000;

/**
 * The data that pages follow. Each report is composed once for all its pages, and each run is read once for all
 * reports.
 */
export class ReportFeeds {
  readonly #version: string;
  readonly #remark: ReportRequest['remark'];
  readonly #readers = new Map<string, { readonly reader: RunReader; users: number }>();
  readonly #feeds = new Map<string, Followed<ReportState>>();

  constructor({ version, remark }: Pick<ReportRequest, 'version' | 'remark'>) {
    this.#version = version;
    this.#remark = remark;
  }

  /** Number of runs that are followed now. */
  get followed(): number {
    return this.#readers.size;
  }

  /** The report of one run, or of several side by side, by their folders. */
  ofRuns(folders: readonly string[]): Followed<ReportState> {
    const compare = rememberComparisons();
    const remarked = folders.length === 1 ? this.#remarked() : (run: ReportedRun) => Promise.resolve(run);
    const subject: ReportSubject = {
      folders,
      shares: folders.length,
      compose: async (runs) => {
        // Pages already show that a run is running.
        const notes = runs.filter(({ report }) => report.status !== 'running').flatMap(notesOn);
        return composeReport(await Promise.all(runs.map(remarked)), notes, this.#version, compare);
      },
    };
    return this.#feed(`runs ${JSON.stringify(folders)}`, () => () => Promise.resolve(subject));
  }

  /** Remarks on a run, updated when its status changes. */
  #remarked(): (run: ReportedRun) => Promise<ReportedRun> {
    let last: { readonly status: string; readonly remarks: RunRemarks } | undefined;
    return async (run) => {
      const { directory, status } = run.loaded;
      if (last?.status !== status) last = { status, remarks: (await this.#remark?.(directory)) ?? {} };
      return { ...run, report: { ...run.report, ...last.remarks } };
    };
  }

  /** The report of an ablation by its folder, with its started runs. */
  ofAblation(folder: string): Followed<ReportState> {
    return this.#feed(`ablation ${folder}`, () => followAblation(folder, this.#version));
  }

  /** `follow` starts to poll: it returns the same object while only the runs change. */
  #feed(key: string, follow: () => () => Promise<ReportSubject>): Followed<ReportState> {
    const known = this.#feeds.get(key);
    if (known !== undefined) return known;
    const look = follow();
    const readers = new Map<string, RunReader>();
    let isOver = false;
    let last:
      | { readonly subject: ReportSubject; readonly runs: readonly ReportedRun[]; readonly made: ReportState }
      | undefined;
    const feed = new Followed<ReportState>({
      every: 1000,
      read: async () => {
        const subject = await look();
        // The listener has left meanwhile, so it must not get a reader that is never released.
        if (isOver) throw new Error('Nobody listens.');
        for (const directory of subject.folders) {
          if (!readers.has(directory)) readers.set(directory, this.#acquire(directory));
        }
        const used = subject.folders.flatMap((directory) => readers.get(directory) ?? []);
        const runs: ReportedRun[] = [];
        for (const reader of used) runs.push(await reader.read());
        const isSame = subject === last?.subject && runs.every((run, i) => run === last?.runs[i]);
        if (last !== undefined && isSame) return last.made;
        const made = await makeState(subject, used, runs);
        last = { subject, runs, made };
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

async function makeState(
  subject: ReportSubject,
  readers: readonly RunReader[],
  runs: readonly ReportedRun[],
): Promise<ReportState> {
  const limits = limitsFor(mostEpisodes, subject.shares);
  const found = runs.map(async (run, i) => [run.report.id, (await readers[i]?.episodes(limits)) ?? []] as const);
  // Together: a log that cannot be read must not fail while nobody waits for it.
  const [report, episodes] = await Promise.all([subject.compose(runs), Promise.all(found)]);
  return { report, episodes: new Map(episodes) };
}
