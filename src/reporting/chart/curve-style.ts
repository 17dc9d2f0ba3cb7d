const colours = 7;
const dashes = ['', '6 4', '2 3', '10 3 2 3'];

/**
 * The class that sets the colour of the curve with this number, from Okabe and Ito's palette, which people with any
 * colour vision can tell apart.
 */
export function curveClass(style: number): string {
  return `curve-${(style % colours) + 1}`;
}

/** The dashes of the curve as an attribute of SVG; undefined for a solid line. After the last colour, curves are dashed. */
export function curveDash(style: number): string | undefined {
  return dashes[Math.floor(style / colours) % dashes.length] || undefined;
}
