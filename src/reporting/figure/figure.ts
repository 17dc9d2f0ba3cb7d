import type { Curve } from '../align-series.js';

/** What a figure shows; numbers in the units of its axes. */
export interface Figure {
  /** In one sentence, for whoever does not see it. */
  readonly title: string;
  /** With its unit. */
  readonly xTitle: string;
  readonly yTitle: string;
  /** Only whole numbers exist along x. */
  readonly wholeX: boolean;
  /** Bounds that y never leaves. */
  readonly bounds: readonly [low: number, high: number];
  /** The least that the y axis covers: noise does not look large. */
  readonly leastRange: number;
  /** At least one, each of at least one point. */
  readonly lines: readonly FigureLine[];
  /** What lines and bands are, in a sentence or two. */
  readonly caption: string;
}

export interface FigureLine {
  readonly label: string;
  /** Chooses its colour and dash: see `curveStyle`. */
  readonly style: number;
  readonly curve: Curve;
  /** Its points are measurements, and few enough to be told apart. */
  readonly isMarked: boolean;
  readonly band?: { readonly low: Curve['y']; readonly high: Curve['y'] };
  /**
   * Whether everything that the line is made of has a value at this point: elsewhere it is thin. Absent: everywhere.
   */
  readonly whole?: readonly boolean[];
}
