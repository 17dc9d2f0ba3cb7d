/** Colours of a figure; the curves have the colours of the report page (`page/theme.css`). */
interface Inks {
  readonly ground: string;
  readonly ink: string;
  readonly quiet: string;
  readonly rule: string;
  readonly line: string;
  readonly curves: readonly string[];
}

export type Scheme = 'light' | 'dark';

const inks: { readonly [Name in Scheme]: Inks } = {
  // White instead of the off-white of the page, because figures are for paper.
  light: {
    ...{ ground: '#ffffff', ink: '#1c1f24', quiet: '#5d646e', rule: '#e3e3dd', line: '#868680' },
    curves: ['#0072b2', '#c25500', '#008060', '#b5578f', '#a87600', '#2c8fc4', '#4a4f57'],
  },
  dark: {
    ...{ ground: '#15171a', ink: '#e6e7e3', quiet: '#9ba2ac', rule: '#2c3036', line: '#767d88' },
    curves: ['#56b4e9', '#f08a4b', '#35c49b', '#dd92bd', '#e3b13c', '#8fb8ff', '#b9bec6'],
  },
};

/** Sizes of text in units of the figure: on a wide screen or paper, and in a figure as narrow as a telephone. */
export const textSizes = { wide: { text: 14, caption: 12.5 }, narrow: { text: 21, caption: 17 } } as const;

/**
 * Every figure of a scheme has the same rules, so that several figures in one document do not change each other. Only
 * plain properties: programs that convert figures for print do not know CSS variables.
 *
 * @param scheme absent: dark on a dark screen, light elsewhere
 */
export function figureStyle(scheme?: Scheme): string {
  return [
    ...inkRules(inks[scheme ?? 'light']),
    "F text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif}",
    'F path{fill:none;stroke-width:1}',
    'F .line,F .thin,F .faint{stroke:currentcolor;stroke-linejoin:round;stroke-linecap:round}',
    'F .line{stroke-width:2.5}',
    'F .thin{stroke-width:1.25}',
    'F .faint{stroke-opacity:.28}',
    'F .band,F .point{fill:currentcolor}',
    'F .band{fill-opacity:.16}',
    'F .name{stroke-width:5;stroke-linejoin:round;paint-order:stroke}',
    ...sizeRules(textSizes.wide),
    `@media(max-width:520px){${sizeRules(textSizes.narrow).join('')}F .line{stroke-width:4}F .thin{stroke-width:2}}`,
    ...(scheme === undefined ? [`@media screen and (prefers-color-scheme:dark){${inkRules(inks.dark).join('')}}`] : []),
  ]
    .join('\n')
    .replaceAll('F ', '.agentgym-figure ');
}

function inkRules({ ground, ink, quiet, rule, line, curves }: Inks): string[] {
  return [
    `F .ground{fill:${ground}}`,
    `F text{fill:${ink}}`,
    `F .quiet{fill:${quiet}}`,
    `F .name{stroke:${ground}}`,
    `F .grid{stroke:${rule}}`,
    `F .level{stroke:${line}}`,
    `F .axis{stroke:${quiet}}`,
    ...curves.map((colour, i) => `F .curve-${i + 1}{color:${colour}}`),
  ];
}

function sizeRules({ text, caption }: { readonly text: number; readonly caption: number }): string[] {
  return [`F text{font-size:${text}px}`, `F .caption{font-size:${caption}px}`];
}
