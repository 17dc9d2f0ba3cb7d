// Waits for others: each line of its input is a number of milliseconds, after which it writes a line.
let rest = '';
for await (const text of process.stdin.setEncoding('utf8')) {
  const lines = (rest + text).split('\n');
  rest = lines.pop();
  for (const line of lines) setTimeout(() => process.stdout.write(`${line}\n`), Number(line));
}

export {};
