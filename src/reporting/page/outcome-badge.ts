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

/** The sign of an outcome; its name is for readers who cannot see it, or point at it. */
export function outcomeSign(outcome: ReportEpisode['outcome']): HTMLElement {
  const { sign, name } = outcomes[outcome];
  return element('span', { class: `sign ${outcome}`, title: name }, sign, element('span.hidden', name));
}

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
