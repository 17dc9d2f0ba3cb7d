const [nameWidth, width] = [22, 13];

/** Prints a line of a table: a name and right-aligned cells. */
export function printLine(name, ...cells) {
  console.log([name.padEnd(nameWidth), ...cells.map((cell) => cell.padStart(width))].join(''));
}
