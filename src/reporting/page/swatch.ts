import { curveClass, curveDash } from '../chart/curve-style.js';
import { shape } from '../chart/svg-shape.js';
import { svgElement } from './svg-element.js';

/** A piece of a curve, with its colour and its dashes. */
export function swatch(style: number): SVGElement {
  const line = shape('line', { x2: '100%', y1: '50%', y2: '50%', 'stroke-dasharray': curveDash(style) });
  return svgElement(shape('svg', { class: `swatch ${curveClass(style)}`, 'aria-hidden': 'true' }, line));
}
