const [nameWidth, width] = [22, 13];

/** A line of a table: a name and cells that stand at the right. */
export function printLine(name, ...cells) {
  console.log([name.padEnd(nameWidth), ...cells.map((cell) => cell.padStart(width))].join(''));
}
