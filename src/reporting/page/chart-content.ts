import type { Curve } from '../align-series.js';
import type { ChartLevel, ChartMark } from './chart-marks.js';

/** A line of a chart. */
export interface ChartLine {
  readonly label: string;
  readonly curve: Curve;
  /** CSS variable of its colour. */
  readonly variable: string;
  readonly dash: readonly number[];
  /** Between these lies its band. */
  readonly band?: { readonly low: Curve; readonly high: Curve };
  /** Points are marked: there are few of them. */
  readonly marked: boolean;
  /** Behind the others, and not in the legend: the raw values under a running mean. */
  readonly faint?: boolean;
  /** Values for the legend at the same places, if the line is a running mean. */
  readonly measured?: Curve;
}

/** What a chart shows. */
export interface ChartOptions {
  readonly title: string;
  readonly height: number;
  readonly lines: readonly ChartLine[];
  readonly levels: readonly ChartLevel[];
  /** A logarithmic y axis; every value is above 0 then. */
  readonly isLog: boolean;
  /** What a reader of this chart has to know. */
  readonly note?: string;
  /** Name of the x axis with its unit. */
  readonly xLabel: string;
  readonly formatX: (value: number) => string;
  readonly formatY: (value: number) => string;
  /** Distances that grid lines may have, rising, where only some can be named without rounding. */
  readonly stepsX?: readonly number[];
  readonly stepsY?: readonly number[];
  /** Ends of the x axis: the same for all charts beside each other. */
  readonly rangeX: readonly [low: number, high: number];
  /** Fixed ends of the y axis. */
  readonly range?: readonly [low: number, high: number];
  /** Places along x that are marked by a name: where stages begin. */
  readonly marks: readonly ChartMark[];
}
