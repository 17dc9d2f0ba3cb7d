import type { ReportTokens } from '../report-data.js';

/** What tokens are coloured by: any column of numbers that a record may have. */
export type TokenMeasure = Exclude<keyof ReportTokens, 'tokens' | 'pieces'>;

/** From numbers to colours, as far as the numbers of the episodes in view go. */
export interface TokenScale {
  readonly low: number;
  readonly high: number;
  /** The sign tells two kinds of numbers apart. */
  readonly isSigned: boolean;
  /** A CSS colour; undefined for what is not coloured. */
  readonly colour: (value: number) => string | undefined;
}

/**
 * A token less likely than this is as dark as can be: e^-5 is 0.7 %. The same for all episodes, so that these compare.
 */
const surprising = -5;

// Blue and vermilion of Okabe and Ito's palette, which people with any colour vision tell apart; a mix keeps text
// readable on both grounds.
const blue = 'var(--token-high)';
const vermilion = 'var(--token-low)';

/** Percent of a colour in the mix: more would swallow the text. */
const strongest = 65;

/** One scale for all records that are in view together, so that their colours compare. */
export function scaleOf(records: readonly ReportTokens[], measure: TokenMeasure): TokenScale {
  switch (measure) {
    case 'logprobs':
      return { low: surprising, high: 0, isSigned: false, colour: (value) => mix(vermilion, value / surprising) };
    case 'mask':
      return { low: 0, high: 1, isSigned: false, colour: (value) => mix(blue, value * 0.6) };
    case 'advantages':
    case 'values': {
      const reach = largest(records, measure);
      return {
        low: -reach,
        high: reach,
        isSigned: true,
        colour: (value) => mix(value < 0 ? vermilion : blue, Math.abs(value) / reach),
      };
    }
    case 'kl': {
      const reach = largest(records, measure);
      return { low: 0, high: reach, isSigned: false, colour: (value) => mix(vermilion, Math.abs(value) / reach) };
    }
  }
}

function largest(records: readonly ReportTokens[], measure: TokenMeasure): number {
  const values = records.flatMap((record) => record[measure] ?? []);
  const reach = values.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0);
  return reach === 0 ? 1 : reach;
}

function mix(colour: string, strength: number): string | undefined {
  const share = Math.round(Math.min(1, Math.max(0, strength)) * strongest);
  return share === 0 ? undefined : `color-mix(in srgb, ${colour} ${share}%, transparent)`;
}
