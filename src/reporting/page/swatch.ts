/** A piece of a curve, with its colour and its dashes. */
export function swatch({
  variable,
  dash,
}: {
  readonly variable: string;
  readonly dash: readonly number[];
}): SVGElement {
  const [svg, line] = ['svg', 'line'].map((tag) => document.createElementNS('http://www.w3.org/2000/svg', tag)) as [
    SVGElement,
    SVGElement,
  ];
  svg.setAttribute('class', 'swatch');
  svg.setAttribute('aria-hidden', 'true');
  svg.style.color = `var(${variable})`;
  for (const [name, value] of Object.entries({ x2: '100%', y1: '50%', y2: '50%' })) line.setAttribute(name, value);
  if (dash.length > 0) line.setAttribute('stroke-dasharray', dash.join(' '));
  svg.append(line);
  return svg;
}
