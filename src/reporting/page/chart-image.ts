import { frame, frameFonts, layOutFrame, type ChartText } from './chart-frame.js';
import { themeColour } from './palette.js';

/**
 * The visible chart with its title and its legend as PNG, with the background of the page and the screen's resolution.
 */
export async function chartImage(plot: HTMLCanvasElement, text: ChartText): Promise<Blob> {
  const ratio = devicePixelRatio;
  const size = { width: plot.width / ratio, height: plot.height / ratio };
  const { keys, top, width, height } = layOutFrame(size, text);
  const canvas = document.createElement('canvas');
  const ctx = canvas.getContext('2d');
  if (ctx === null) throw new Error('This browser cannot draw a canvas.');
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  ctx.scale(ratio, ratio);
  ctx.fillStyle = themeColour('--ground');
  ctx.fillRect(0, 0, width, height);
  ctx.textBaseline = 'middle';
  const fonts = frameFonts();
  const write = (what: string, font: string, colour: string, [x, y]: readonly [number, number]) => {
    ctx.font = font;
    ctx.fillStyle = themeColour(colour);
    ctx.fillText(what, x, y);
  };
  const { edge, row, swatch, beforeName } = frame;
  write(text.title, fonts.title, '--ink', [edge, edge + row / 2]);
  ctx.lineWidth = 3;
  for (const { text: name, colour, dash, x, row: line } of keys) {
    const y = edge + (line + 1.5) * row;
    ctx.strokeStyle = colour;
    ctx.setLineDash([...dash]);
    ctx.beginPath();
    ctx.moveTo(edge + x, y);
    ctx.lineTo(edge + x + swatch, y);
    ctx.stroke();
    write(name, fonts.text, '--ink', [edge + x + beforeName, y]);
  }
  if (text.note !== '') write(text.note, fonts.text, '--quiet', [edge, top - row / 2]);
  ctx.drawImage(plot, edge, top, size.width, size.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error('The chart is too large.')) : resolve(blob))),
  );
}
