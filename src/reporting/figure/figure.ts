import type { Curve } from '../align-series.js';

/** The content of a figure; numbers are in the units of its axes. */
export interface Figure {
  /** One sentence for readers who cannot see the figure. */
  readonly title: string;
  /** With its unit. */
  readonly xTitle: string;
  readonly yTitle: string;
  /** Whether x has only whole numbers. */
  readonly wholeX: boolean;
  /** Bounds that y never leaves. */
  readonly bounds: readonly [low: number, high: number];
  /** The least range of the y axis, so that noise does not look large. */
  readonly leastRange: number;
  /** At least one line; each has at least one point. */
  readonly lines: readonly FigureLine[];
  /** One or two sentences that explain lines and bands. */
  readonly caption: string;
}

export interface FigureLine {
  readonly label: string;
  /** Selects its colour and dash: see `curveStyle`. */
  readonly style: number;
  readonly curve: Curve;
  /** Whether its points are measurements, and few enough to tell apart. */
  readonly isMarked: boolean;
  readonly band?: { readonly low: Curve['y']; readonly high: Curve['y'] };
  /**
   * Whether every part of the mean has a value at this point; if not, the line is thin there. Absent: true everywhere.
   */
  readonly whole?: readonly boolean[];
}
