// The figure next to the table: the angle of each estimator to the gradient, and its noise. Plain SVG that is readable
// in light and dark.
const [width, height] = [760, 420];
const frame = { left: 64, right: 16, top: 20, bottom: 52 };

/** @param measured `name`, `angle`, `angleNoise` in degrees and `noise` of each estimator */
export function drawFigure(measured) {
  const most = (values) => Math.max(...values);
  const xMost = 5 * Math.ceil((most(measured.map(({ angle }) => angle)) + 2) / 5);
  const noises = measured.map(({ noise }) => noise);
  const [yLeast, yMost] = [Math.floor(2 * Math.min(...noises)) / 2, Math.ceil(2 * most(noises)) / 2];
  const x = (angle) => frame.left + (angle / xMost) * (width - frame.left - frame.right);
  const y = (noise) =>
    height - frame.bottom - ((noise - yLeast) / (yMost - yLeast)) * (height - frame.top - frame.bottom);
  const lines = [];
  for (let angle = 0; angle <= xMost; angle += 10) {
    lines.push(`<path d="M${x(angle)} ${y(yLeast)}V${y(yMost)}" class="grid"/>`);
    lines.push(`<text x="${x(angle)}" y="${y(yLeast) + 18}" text-anchor="middle">${angle}°</text>`);
  }
  for (let noise = yLeast; noise <= yMost; noise += 0.5) {
    lines.push(`<path d="M${x(0)} ${y(noise)}H${x(xMost)}" class="grid"/>`);
    lines.push(`<text x="${x(0) - 8}" y="${y(noise) + 4}" text-anchor="end">${noise.toFixed(1)}</text>`);
  }
  const labels = placeLabels(measured.map((one) => ({ ...one, x: x(one.angle), y: y(one.noise) })));
  for (const { name, x: px, y: py, labelY, angle, angleNoise } of labels) {
    const [low, high] = [x(Math.max(0, angle - angleNoise)), x(angle + angleNoise)];
    lines.push(`<path d="M${low} ${py}H${high}" class="error"/><circle cx="${px}" cy="${py}" r="4"/>`);
    lines.push(`<path d="M${px + 5} ${py}L${px + 12} ${labelY}" class="error"/>`);
    lines.push(`<text x="${px + 14}" y="${labelY + 4}">${escape(name)}</text>`);
  }
  const middle = (height - frame.bottom + frame.top) / 2;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Angle to the exact gradient and noise of each estimator">
<style>text{font:12px system-ui,sans-serif;fill:#555}circle{fill:#2a6fdb}.grid{stroke:#8884;fill:none}.error{stroke:#2a6fdb88;fill:none}@media(prefers-color-scheme:dark){text{fill:#bbb}}</style>
${lines.join('\n')}
<text x="${(x(0) + x(xMost)) / 2}" y="${height - 10}" text-anchor="middle">angle between the expected estimate and the gradient: bias</text>
<text transform="translate(16 ${middle}) rotate(-90)" text-anchor="middle">deviation of a batch over the length of its mean: noise</text>
</svg>
`;
}

/** Moves labels down if they would cover each other. */
function placeLabels(points) {
  const [lineHeight, labelWidth] = [14, 210];
  const placed = [];
  for (const point of points.toSorted((a, b) => a.y - b.y)) {
    let labelY = point.y;
    const covers = (other) => Math.abs(other.x - point.x) < labelWidth && Math.abs(other.labelY - labelY) < lineHeight;
    while (placed.some(covers)) labelY += 2;
    placed.push({ ...point, labelY });
  }
  return placed;
}

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
