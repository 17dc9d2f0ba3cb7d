import type { Curve } from '../align-series.js';
import type { ChartLevel, ChartMark } from './chart-marks.js';

/** A line of a chart. */
export interface ChartLine {
  readonly label: string;
  readonly curve: Curve;
  /** CSS variable of its colour. */
  readonly variable: string;
  readonly dash: readonly number[];
  /** The lower and upper end of its band. */
  readonly band?: { readonly low: Curve; readonly high: Curve };
  /** Pairs of neighbouring places between which nothing is drawn: the last of a stage and the first of the next. */
  readonly breaks?: readonly (readonly [from: number, to: number])[];
  /** Whether points are marked, because they are few. */
  readonly marked: boolean;
  /** Drawn behind the others, and not in the legend: the raw values under a running mean. */
  readonly faint?: boolean;
  /** Measured values for the legend at the same places, if the line is a running mean. */
  readonly measured?: Curve;
}

/** The content of a chart. */
export interface ChartOptions {
  readonly title: string;
  readonly height: number;
  readonly lines: readonly ChartLine[];
  readonly levels: readonly ChartLevel[];
  /** Whether the y axis is logarithmic; then every value is above 0. */
  readonly isLog: boolean;
  /** What a reader of this chart must know. */
  readonly note?: string;
  /** Name of the x axis with its unit. */
  readonly xLabel: string;
  readonly formatX: (value: number) => string;
  readonly formatY: (value: number) => string;
  /** For values in the legend. */
  readonly formatValue: (value: number) => string;
  /** Allowed distances of grid lines, rising, if only some distances have labels without rounding. */
  readonly stepsX?: readonly number[];
  readonly stepsY?: readonly number[];
  /** Ends of the x axis. */
  readonly rangeX: readonly [low: number, high: number];
  /** Fixed ends of the y axis. */
  readonly range?: readonly [low: number, high: number];
  /** Named places along x: the starts of stages. */
  readonly marks: readonly ChartMark[];
}
