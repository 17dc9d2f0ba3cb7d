// The report page shares this file, so it imports nothing.

/**
 * CSS variables of the colours of curves: Okabe and Ito's palette, which people with any colour vision can tell apart,
 * in both themes.
 */
const colours = ['--curve-1', '--curve-2', '--curve-3', '--curve-4', '--curve-5', '--curve-6', '--curve-7'];
const dashes: readonly (readonly number[])[] = [[], [6, 4], [2, 3], [10, 3, 2, 3]];

/** The look of the curve with this number. After the last colour, curves are dashed. */
export function curveStyle(index: number): { readonly variable: string; readonly dash: readonly number[] } {
  return {
    variable: colours[index % colours.length] ?? '--curve-1',
    dash: dashes[Math.floor(index / colours.length) % dashes.length] ?? [],
  };
}
