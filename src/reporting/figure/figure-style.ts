/** Colours of a figure in one scheme; the curves have the colours of the report page (`page/theme.css`). */
interface Inks {
  readonly ground: string;
  readonly ink: string;
  readonly quiet: string;
  readonly rule: string;
  readonly curves: readonly string[];
}

/** White instead of the off-white of the page, because figures are for paper. */
const light: Inks = {
  ground: '#ffffff',
  ink: '#1c1f24',
  quiet: '#5d646e',
  rule: '#e3e3dd',
  curves: ['#0072b2', '#c25500', '#008060', '#b5578f', '#a87600', '#2c8fc4', '#4a4f57'],
};

const dark: Inks = {
  ground: '#15171a',
  ink: '#e6e7e3',
  quiet: '#9ba2ac',
  rule: '#2c3036',
  curves: ['#56b4e9', '#f08a4b', '#35c49b', '#dd92bd', '#e3b13c', '#8fb8ff', '#b9bec6'],
};

/** Sizes of text in units of the figure: on a wide screen or paper, and in a figure as narrow as a telephone. */
export const textSizes = { wide: { text: 14, caption: 12.5 }, narrow: { text: 21, caption: 17 } } as const;

/**
 * Every figure has the same rules, so that several figures in one document do not change each other. Only plain
 * properties: programs that convert figures for print do not know CSS variables.
 */
export const figureStyle = [
  ...inkRules(light),
  "F text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif}",
  'F .line,F .thin{fill:none;stroke-width:2.5;stroke-linejoin:round;stroke-linecap:round}',
  'F .thin{stroke-width:1.25}',
  'F .band{fill-opacity:.16;stroke:none}',
  'F .grid{fill:none;stroke-width:1}',
  ...sizeRules(textSizes.wide),
  `@media(max-width:520px){${sizeRules(textSizes.narrow).join('')}F .line{stroke-width:4}F .thin{stroke-width:2}}`,
  `@media screen and (prefers-color-scheme:dark){${inkRules(dark).join('')}}`,
]
  .join('\n')
  .replaceAll('F ', '.agentgym-figure ');

function inkRules({ ground, ink, quiet, rule, curves }: Inks): string[] {
  return [
    `F .ground{fill:${ground}}`,
    `F text{fill:${ink}}`,
    `F .quiet{fill:${quiet}}`,
    `F .grid{stroke:${rule}}`,
    `F .axis{stroke:${quiet}}`,
    ...curves.flatMap((colour, i) => [
      `F .curve-${i + 1} .line,F .curve-${i + 1} .thin{stroke:${colour}}`,
      `F .curve-${i + 1} .band,F .curve-${i + 1} .point{fill:${colour}}`,
    ]),
  ];
}

function sizeRules({ text, caption }: { readonly text: number; readonly caption: number }): string[] {
  return [`F text{font-size:${text}px}`, `F .caption{font-size:${caption}px}`];
}
