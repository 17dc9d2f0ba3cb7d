// The page runs the files of this folder in a browser, and `agentgym report --format svg` runs them here.
import type { Curve } from './align-series.js';

/** Curves with their axes. Every number is in the unit of the data; axes convert what they show. */
export interface Chart {
  /** At least one with a point. */
  readonly lines: readonly ChartLine[];
  /** Horizontal lines across the chart, for values that training does not change. */
  readonly levels: readonly { readonly label: string; readonly y: number }[];
  /** Vertical lines where stages begin. */
  readonly marks: readonly ChartMark[];
  readonly x: ChartAxis;
  readonly y: ChartAxis & {
    /** Then every value is above 0. */
    readonly isLog?: boolean;
    /** Ends that an axis without a fixed range never leaves. */
    readonly bounds?: readonly [low: number, high: number];
    /** The least range of such an axis, so that noise does not look large. */
    readonly leastRange?: number;
  };
}

export interface ChartAxis {
  /** With its unit. */
  readonly title: string;
  /** One unit of the axis: 60 for minutes if the data are seconds, 0.01 for percent if they are shares. */
  readonly size: number;
  /** Written after each number. */
  readonly suffix?: string;
  /** Whether only whole numbers exist along it. */
  readonly isWhole?: boolean;
  /** Fixed ends; absent: they follow from the values. */
  readonly range?: readonly [low: number, high: number] | undefined;
}

export interface ChartLine {
  readonly label: string;
  /** Selects its colour and dash: see `curveClass` and `curveDash`. */
  readonly style: number;
  readonly curve: Curve;
  /** Ends of its band at the same places. */
  readonly band?: { readonly low: Curve['y']; readonly high: Curve['y'] } | undefined;
  /** Places to which no line leads from the point before: the first of each later stage. */
  readonly breaks?: readonly number[] | undefined;
  /** Whether every part of the mean has a value at this point; if not, the line is thin there. Absent: everywhere. */
  readonly whole?: readonly boolean[] | undefined;
  /** Whether its points are measurements, and few enough to tell apart. */
  readonly isMarked: boolean;
  /** Drawn behind the others, and not in the legend: the measured values under a running mean. */
  readonly isFaint?: boolean;
  /** Measured values at the same places, if the line is a running mean. */
  readonly measured?: Curve | undefined;
}

/** A named place along x. */
export interface ChartMark {
  readonly x: number;
  readonly label: string;
}
