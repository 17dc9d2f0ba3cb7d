import type { ReportStatus } from '../report-data.js';
import { element } from './element.js';

/** A state of a run in its colour; none for an empty state. */
export function statusBadge(status: ReportStatus | '', text: string = status): HTMLElement {
  return element('span', { class: `status ${status}` }, text);
}
