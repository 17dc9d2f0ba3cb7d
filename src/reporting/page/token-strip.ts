import type { ReportTokens } from '../report-data.js';
import { element, replaceChildren } from './element.js';
import { moveOfKey } from './key-moves.js';
import { visible } from './visible-text.js';
import { number, formatShare, signed } from '../format-quantity.js';
import type { TokenMeasure, TokenScale } from './token-colour.js';

export const measureNames: { readonly [measure in TokenMeasure]: string } = {
  logprobs: 'log probability',
  mask: 'mask',
  advantages: 'advantage',
  values: 'value',
  kl: 'KL',
};

/** Describes each number of a sampled token, in display order. */
const told: { readonly [measure in Exclude<TokenMeasure, 'mask'>]: (value: number) => string } = {
  logprobs: (value) => `log p ${number(value, 4)} (${formatShare(Math.exp(value), 2)})`,
  advantages: (value) => `advantage ${signed(value, 4)}`,
  values: (value) => `value ${signed(value, 4)}`,
  kl: (value) => `KL ${number(value, 5)}`,
};

/** The colouring of tokens, and the function that shows the numbers of one token. */
export interface TokenColouring {
  readonly measure: TokenMeasure;
  readonly scale: TokenScale;
  readonly tell: (text: string) => void;
}

/** The number of tokens per click on the button for more. */
const atOnce = 600;

/**
 * Tokens from `start` to `end` of a record, coloured by a measure. All tokens are one focus stop, and arrow keys move
 * between them. `tell` receives the numbers of the token under the pointer or the focus.
 */
export function tokenStrip(
  record: ReportTokens,
  [start, end]: readonly [start: number, end: number],
  { measure, scale, tell }: TokenColouring,
): HTMLElement {
  const values = record[measure];
  const tellOf = ({ target }: Event) => {
    const index = target instanceof HTMLElement ? target.dataset['token'] : undefined;
    if (index !== undefined) tell(describeToken(record, Number(index)));
  };
  const strip = element('div', {
    class: `tokens${record.pieces === undefined ? ' ids' : ''}`,
    role: 'group',
    'aria-label': `${end - start} tokens, coloured by ${measureNames[measure]}`,
    onmouseover: tellOf,
    onfocusin: tellOf,
    onkeydown: (event: KeyboardEvent) => moveFocus(event, strip),
  });
  let drawn = start;
  const draw = () => {
    const until = Math.min(end, drawn + atOnce);
    more.remove();
    for (; drawn < until; drawn += 1) {
      const isSampled = record.mask[drawn] === 1;
      const value = values?.[drawn];
      const text = pieceText(record, drawn);
      const token = element(
        'span',
        { class: `token${isSampled ? ' sampled' : ''}`, tabindex: drawn === start ? 0 : -1, 'data-token': drawn },
        text,
      );
      const colour =
        value === null || value === undefined || !(isSampled || measure === 'mask') ? undefined : scale.colour(value);
      if (colour !== undefined) token.style.backgroundColor = colour;
      if (scale.isSigned && isSampled && typeof value === 'number' && value !== 0)
        token.classList.add(value > 0 ? 'above' : 'below');
      strip.append(token);
      // A line ends if the text has a line break; the token shows the break as a sign.
      if (record.pieces?.[drawn]?.endsWith('\n') === true) strip.append(element('br'));
    }
    if (drawn < end) {
      more.textContent = `… ${end - drawn} more tokens`;
      strip.append(more);
    }
  };
  const more = element('button.quiet', { type: 'button', onclick: draw });
  draw();
  return strip;
}

/** Every number of a token, in words. */
function describeToken(record: ReportTokens, index: number): string {
  const isSampled = record.mask[index] === 1;
  const parts = [
    `token ${index + 1} of ${record.tokens.length}`,
    ...(record.pieces === undefined ? [] : [`“${visible(record.pieces[index] ?? '').replaceAll('\n', '↵')}”`]),
    `id ${record.tokens[index]}`,
    isSampled ? 'mask 1, sampled by the policy' : 'mask 0, not trained on',
  ];
  if (!isSampled) return parts.join(' · ');
  for (const measure of Object.keys(told) as (keyof typeof told)[]) {
    const value = record[measure]?.[index];
    if (value !== undefined) parts.push(value === null ? `${measureNames[measure]} not finite` : told[measure](value));
  }
  return parts.join(' · ');
}

/** The colours of a measure with the numbers at their ends. */
export function tokenLegend({ measure, scale }: TokenColouring): HTMLElement {
  const legend = element('p.token-legend.fine');
  if (measure === 'mask') {
    const swatch = element('span.token.sampled', 'sampled, mask 1');
    swatch.style.backgroundColor = scale.colour(1) ?? '';
    replaceChildren(legend, swatch, element('span.token', 'context, mask 0'));
    return legend;
  }
  const ramp = element('span.ramp', { 'aria-hidden': 'true' });
  const stops = Array.from({ length: 11 }, (_, i) => scale.low + ((scale.high - scale.low) * i) / 10);
  ramp.style.backgroundImage = `linear-gradient(to right, ${stops.map((value) => scale.colour(value) ?? 'transparent').join(', ')})`;
  const [low, high] =
    measure === 'logprobs'
      ? [`${number(scale.low, 0)} or less (${formatShare(Math.exp(scale.low), 1)})`, '0 (100 %)']
      : measure === 'advantages'
        ? [`${signed(scale.low, 3)}, less of this`, `${signed(scale.high, 3)}, more of this`]
        : scale.isSigned
          ? [signed(scale.low, 3), signed(scale.high, 3)]
          : ['0', number(scale.high, 4)];
  replaceChildren(legend, `${measureNames[measure]} `, element('span', low), ramp, element('span', high));
  return legend;
}

function pieceText({ pieces, tokens }: ReportTokens, index: number): string {
  const piece = pieces?.[index];
  if (piece === undefined) return String(tokens[index]);
  return piece === '' ? '∅' : visible(piece).replaceAll('\n', '↵');
}

function moveFocus(event: KeyboardEvent, strip: HTMLElement): void {
  const tokens = [...strip.querySelectorAll<HTMLElement>('.token')];
  const from = tokens.findIndex((token) => token === event.target);
  const move = from < 0 ? undefined : moveOfKey(event, { step: 1, line: 10 });
  if (move === undefined) return;
  const next = tokens[Math.min(tokens.length - 1, Math.max(0, from + move))];
  if (next === undefined) return;
  if (tokens[from] !== undefined) tokens[from].tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}
