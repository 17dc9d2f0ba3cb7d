import type { ReportEpisode } from '../report-data.js';
import { element } from './element.js';

/** A sign for each outcome, so that it is not told by colour alone. */
export const outcomes: {
  readonly [outcome in ReportEpisode['outcome']]: { readonly sign: string; readonly name: string };
} = {
  solved: { sign: '✓', name: 'solved' },
  lost: { sign: '○', name: 'lost' },
  truncated: { sign: '…', name: 'truncated' },
  failed: { sign: '!', name: 'failed' },
};

/** How an episode ended, as a sign and a word. */
export function outcomeBadge({ outcome, cause }: ReportEpisode): HTMLElement {
  const { sign, name } = outcomes[outcome];
  const by = outcome === 'truncated' && cause !== undefined ? ` by ${cause}` : '';
  return element(
    'span',
    { class: `outcome ${outcome}` },
    element('span', { class: 'sign', 'aria-hidden': 'true' }, sign),
    `${name}${by}`,
  );
}
