import type { RunEvent } from '../contracts/events.js';
import { linePrinter, liveDisplay, secondsBetweenLines, type DisplayOptions } from './display-options.js';
import { formatSeconds, formatShare } from './format-quantity.js';
import type { LiveLines } from './live-lines.js';
import { StageProgress } from './stage-progress.js';

/** Displays the progress of a run. */
export interface ProgressDisplay {
  event(event: RunEvent): void;
  /** Restores the terminal; `failed` marks the current work as failed. Call it once in every case. */
  close(outcome: 'ended' | 'failed'): Promise<void>;
}

export interface ProgressOptions extends DisplayOptions {
  /** Names of the recipe's stages, in order. */
  readonly stages: readonly string[];
}

/** A parent process that shows the progress of its child sets this environment variable to this value. */
export const channelVariable = 'AGENTGYM_PROGRESS';
export const channelValue = 'channel';

/**
 * Live tasks on a terminal, and plain lines on standard error elsewhere; only warnings if it is quiet. If the parent
 * process shows the progress, events are sent to it.
 */
export async function showProgress(options: ProgressOptions): Promise<ProgressDisplay> {
  const { stages, quiet, environment } = options;
  const close = () => Promise.resolve();
  if (environment[channelVariable] === channelValue && process.send !== undefined)
    return { event: (event) => void process.send?.(event), close };
  const print = linePrinter(options);
  const lines = plainProgress(print, () => performance.now());
  if (quiet) return { event: (event) => event.type === 'warning' && lines.event(event), close };
  const liveLines = await liveDisplay(options);
  if (liveLines === undefined) return lines;
  return liveProgress(stages, liveLines(['Preparation', ...stages, 'Final evaluation'], { inTurn: true }), print);
}

/** A line for preparation, every stage and the final evaluation. Warnings are printed when they no longer move. */
function liveProgress(
  stages: readonly string[],
  { lines, done }: LiveLines,
  print: (line: string) => void,
): ProgressDisplay {
  let present = 0;
  let progress: StageProgress | undefined;
  /** Whether anything happened in the current phase. */
  let touched = false;
  const warnings = new Set<string>();
  const moveTo = (index: number) => {
    if (present < index) touched = false;
    for (; present < index; present++) lines[present]?.end();
  };
  return {
    event(event) {
      const line = lines[present];
      touched = true;
      switch (event.type) {
        case 'stage-started':
          progress = new StageProgress(event.stage, event.steps, event.done, performance.now());
          moveTo(Math.max(present, 1 + stages.indexOf(event.stage)));
          touched = true;
          return;
        case 'step':
        case 'evaluation':
          progress?.take(event, performance.now());
          if (progress !== undefined) line?.title(progress.describe());
          return;
        case 'stage-finished':
          line?.title(`${event.stage}: ${event.step} steps, ${formatSeconds(event.seconds)}`);
          progress = undefined;
          moveTo(present + 1);
          return;
        case 'activity':
          line?.output(event.message);
          return;
        case 'warning':
          warnings.add(event.message);
          line?.output(`Warning: ${event.message}`);
      }
    },
    async close(outcome) {
      // If nothing happened, the run was interrupted between two phases.
      lines[present]?.end(outcome === 'failed' ? 'failed' : touched ? 'done' : 'skipped');
      for (const line of lines.slice(present + 1)) line.end('skipped');
      await done;
      for (const warning of warnings) print(`Warning: ${warning}`);
    },
  };
}

/** Progress as plain lines, for pipes and logs: a line for each start and end, and one every few seconds between. */
export function plainProgress(print: (line: string) => void, now: () => number): ProgressDisplay {
  let progress: StageProgress | undefined;
  let printedAt = -Infinity;
  return {
    event(event) {
      switch (event.type) {
        case 'stage-started': {
          progress = new StageProgress(event.stage, event.steps, event.done, now());
          const begin = event.done === 0 ? 'begins' : `continues after step ${event.done}`;
          print(`${event.stage}: ${begin}, ${event.steps} steps`);
          printedAt = now();
          return;
        }
        case 'step':
          progress?.take(event, now());
          if (progress === undefined || now() - printedAt < secondsBetweenLines * 1000) return;
          print(progress.describe());
          printedAt = now();
          return;
        case 'evaluation': {
          progress?.take(event, now());
          const { split, temperature, success } = event.evaluation;
          const rate = `${formatShare(success.rate)} (${formatShare(success.low)} to ${formatShare(success.high)})`;
          print(`${event.stage}: step ${event.step}, ${split} success ${rate} at temperature ${temperature}`);
          return;
        }
        case 'stage-finished':
          print(`${event.stage}: ends after step ${event.step}, ${formatSeconds(event.seconds)}`);
          progress = undefined;
          return;
        case 'warning':
          print(`Warning: ${event.message}`);
          return;
        case 'activity':
          print(event.message);
      }
    },
    close: () => Promise.resolve(),
  };
}
