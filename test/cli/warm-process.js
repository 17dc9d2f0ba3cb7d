// Runs the commands that it is given, one after the other. They share what Node loaded and compiled, which costs more
// than most of them. Commands come as lines of JSON on file descriptor 3, and a mark follows the output of each.
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';

import { main } from '../../dist/cli/main.js';

const [bin, mark] = process.argv.slice(2);
// Each command has listeners of its own.
for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0);
const watched = [
  [process, 'exit'],
  [process, 'uncaughtException'],
  [process.stdout, 'error'],
  [process.stderr, 'error'],
];

const commands = new Socket({ fd: 3, readable: true, writable: false });
for await (const line of createInterface({ input: commands })) {
  const { args, cwd, environment } = JSON.parse(line);
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  process.chdir(cwd);
  process.argv = [process.execPath, bin, ...args];
  process.exitCode = undefined;
  const before = watched.map(([emitter, event]) => emitter.listeners(event));
  const code = await main(args, bin);
  for (const [index, [emitter, event]] of watched.entries()) {
    for (const listener of emitter.listeners(event)) {
      if (!before[index].includes(listener)) emitter.removeListener(event, listener);
    }
  }
  process.stdout.write(`${mark}${code}\n`);
  process.stderr.write(`${mark}${code}\n`);
}
// The tests have ended.
process.exit(0);
