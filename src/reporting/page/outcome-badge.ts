import type { ReportEpisode } from '../report-data.js';
import { element } from './element.js';

/** A sign for each outcome, so that readers do not depend on colour. */
export const outcomes: {
  readonly [outcome in ReportEpisode['outcome']]: { readonly sign: string; readonly name: string };
} = {
  solved: { sign: '✓', name: 'solved' },
  lost: { sign: '○', name: 'not solved' },
  truncated: { sign: '…', name: 'truncated' },
  failed: { sign: '!', name: 'failed' },
};

/** The outcome of an episode, as a sign and a word. */
export function outcomeBadge({ outcome, cause }: ReportEpisode): HTMLElement {
  const { sign, name } = outcomes[outcome];
  const by = outcome === 'truncated' && cause !== undefined ? ` by ${cause}` : '';
  return element(
    'span',
    { class: `outcome ${outcome}` },
    element('span.sign', { 'aria-hidden': 'true' }, sign),
    `${name}${by}`,
  );
}
