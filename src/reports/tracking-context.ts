import { renderReport } from '../reporting/render-report.js';
import type { TrackingContext } from '../tracking/follow-run.js';
import { findSubjects } from './exports/exported-subjects.js';
import { markdownMark, writeMarkdown } from './exports/write-markdown.js';
import { gatherReport } from './gather-report.js';

/** Most episodes in a report that a tracker stores, as in the one that `ablate` writes. */
const episodes = 2000;

/** What trackers need from outside. */
export function trackingContext(environment: TrackingContext['environment'], version: string): TrackingContext {
  return {
    environment,
    pages: {
      report: async (directory) => renderReport(await gatherReport({ runs: [directory], episodes, version })),
      markdown: async (directory) => {
        const { markdown } = await writeMarkdown(await findSubjects([directory], '.'));
        // The mark protects files of `report`; this text is none.
        return markdown.replace(markdownMark, '').trimStart();
      },
    },
  };
}
