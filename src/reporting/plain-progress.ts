import type { RunEvent } from '../contracts/events.js';
import { formatSeconds, formatShare } from './format-quantity.js';
import type { ProgressDisplay } from './progress-display.js';
import { StageProgress } from './stage-progress.js';

const secondsBetweenLines = 10;

/** Progress as plain lines, for pipes and logs: a line for each start and end, and one every few seconds between. */
export function plainProgress(print: (line: string) => void, now: () => number): ProgressDisplay {
  let progress: StageProgress | undefined;
  let printedAt = -Infinity;
  return {
    event(event: RunEvent): void {
      switch (event.type) {
        case 'stage-started':
          progress = new StageProgress(event.stage, event.steps, event.done, now());
          print(
            `${event.stage}: ${event.done === 0 ? 'begins' : `continues after step ${event.done}`}, ${event.steps} steps`,
          );
          printedAt = now();
          return;
        case 'step':
          progress?.take(event, now());
          if (progress === undefined || now() - printedAt < secondsBetweenLines * 1000) return;
          print(progress.describe());
          printedAt = now();
          return;
        case 'evaluation': {
          progress?.take(event, now());
          const { split, temperature, success } = event.evaluation;
          const interval = `${formatShare(success.low)} to ${formatShare(success.high)}`;
          print(
            `${event.stage}: step ${event.step}, ${split} success ${formatShare(success.rate)} (${interval}) at temperature ${temperature}`,
          );
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
