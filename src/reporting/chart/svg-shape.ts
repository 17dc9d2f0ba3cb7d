import { visibleText } from '../display-text.js';

/** An element of SVG as data: a browser makes it an element, `markup` makes it text. */
export interface SvgShape {
  readonly tag: string;
  readonly attributes: { readonly [name: string]: string | number | undefined };
  readonly children: readonly (SvgShape | string)[];
}

export function shape(tag: string, attributes: SvgShape['attributes'], ...children: SvgShape['children']): SvgShape {
  return { tag, attributes, children };
}

/** Text whose middle is at this height. */
export function textAt(x: number, y: number, text: string, attributes: SvgShape['attributes'] = {}): SvgShape {
  return shape('text', { x: at(x), y: at(y), dy: '.35em', ...attributes }, text);
}

/** SVG as text. Names are data, so they are escaped wherever they are. */
export function markup({ tag, attributes, children }: SvgShape): string {
  const written = Object.entries(attributes).map(([name, value]) =>
    value === undefined ? '' : ` ${name}="${escaped(String(value))}"`,
  );
  const inner = children.map((child) => (typeof child === 'string' ? escaped(child) : markup(child)));
  const isGroup = children.some((child) => typeof child !== 'string');
  return `<${tag}${written.join('')}>${isGroup ? `\n${inner.join('\n')}\n` : inner.join('')}</${tag}>`;
}

/** Rounds to a hundredth of a unit, which nobody sees. */
export function at(place: number): number {
  return Number(place.toFixed(2));
}

/** Names can contain anything: characters that XML forbids become the replacement character. */
function escaped(text: string): string {
  return visibleText(text)
    .replace(/[\p{Cs}\ufffe\uffff]/gu, '\ufffd')
    .replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
