import type { ReportTokens } from '../report-data.js';

/** The measure that colours tokens: any numeric column of a record. */
export type TokenMeasure = Exclude<keyof ReportTokens, 'tokens' | 'pieces'>;

/** Maps numbers to colours, over the range of the visible episodes. */
export interface TokenScale {
  readonly low: number;
  readonly high: number;
  /** Whether the sign separates two kinds of numbers. */
  readonly isSigned: boolean;
  /** A CSS colour; undefined for a token without colour. */
  readonly colour: (value: number) => string | undefined;
}

/**
 * A token that is less likely than this has the darkest colour: e^-5 is 0.7 %. All episodes have the same limit, so
 * they are comparable.
 */
const surprising = -5;

// Blue and vermilion of Okabe and Ito's palette, which people with any colour vision can tell apart. Text on the mixed
// colour is readable on both backgrounds.
const blue = 'var(--token-high)';
const vermilion = 'var(--token-low)';

/** Percent of a colour in the mix: with more, the text would be unreadable. */
const strongest = 65;

/** One scale for all visible records, so that their colours are comparable. */
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
