import type { ReportTokens } from '../report-data.js';

/** What tokens are coloured by. */
export type TokenMeasure = 'logprob' | 'mask' | 'advantage' | 'kl';

/** From numbers to colours, as far as the numbers of the episodes in view go. */
export interface TokenScale {
  readonly low: number;
  readonly high: number;
  /** A CSS colour; undefined for what is not coloured. */
  readonly colour: (value: number) => string | undefined;
}

/** A token less likely than this is as dark as can be: e^-5 is 0.7 %. The same for all episodes, so that these compare. */
const surprising = -5;

// Blue and vermilion of Okabe and Ito's palette, which people with any colour vision tell apart; a mix keeps text readable on both grounds.
const blue = 'var(--token-high)';
const vermilion = 'var(--token-low)';

/** Percent of a colour in the mix: more would swallow the text. */
const strongest = 65;

/** The numbers of a measure; undefined where the record does not have them. */
export function valuesOf(record: ReportTokens, measure: TokenMeasure): readonly (number | null)[] | undefined {
  switch (measure) {
    case 'logprob':
      return record.logprobs;
    case 'mask':
      return record.mask;
    case 'advantage':
      return record.advantages;
    case 'kl':
      return record.kl;
  }
}

/** One scale for all records that are in view together, so that their colours compare. */
export function scaleOf(records: readonly ReportTokens[], measure: TokenMeasure): TokenScale {
  switch (measure) {
    case 'logprob':
      return { low: surprising, high: 0, colour: (value) => mix(vermilion, value / surprising) };
    case 'mask':
      return { low: 0, high: 1, colour: (value) => mix(blue, value * 0.6) };
    case 'advantage': {
      const reach = largest(records, measure);
      return {
        low: -reach,
        high: reach,
        colour: (value) => mix(value < 0 ? vermilion : blue, Math.abs(value) / reach),
      };
    }
    case 'kl': {
      const reach = largest(records, measure);
      return { low: 0, high: reach, colour: (value) => mix(vermilion, Math.abs(value) / reach) };
    }
  }
}

function largest(records: readonly ReportTokens[], measure: TokenMeasure): number {
  const values = records.flatMap((record) => valuesOf(record, measure) ?? []);
  const reach = values.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0);
  return reach === 0 ? 1 : reach;
}

function mix(colour: string, strength: number): string | undefined {
  const share = Math.round(Math.min(1, Math.max(0, strength)) * strongest);
  return share === 0 ? undefined : `color-mix(in srgb, ${colour} ${share}%, transparent)`;
}
