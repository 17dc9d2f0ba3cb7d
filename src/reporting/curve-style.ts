// Shared with the report page, so it imports nothing.

/**
 * Colours of curves by name of a CSS variable: Okabe and Ito's palette, told apart with any colour vision, in both
 * themes.
 */
const colours = ['--curve-1', '--curve-2', '--curve-3', '--curve-4', '--curve-5', '--curve-6', '--curve-7'];
const dashes: readonly (readonly number[])[] = [[], [6, 4], [2, 3], [10, 3, 2, 3]];

/** How the curve of this number looks; beyond the colours there are it is dashed. */
export function curveStyle(index: number): { readonly variable: string; readonly dash: readonly number[] } {
  return {
    variable: colours[index % colours.length] ?? '--curve-1',
    dash: dashes[Math.floor(index / colours.length) % dashes.length] ?? [],
  };
}
