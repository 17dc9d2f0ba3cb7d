// node scripts/run-on-node.js VERSION COMMAND [ARGUMENT...]: runs a command and all its child processes on another Node.js, such
// as 22 or 24. It comes from the registry, as the package of this platform behind npm's package `node`, into `.cache/node-VERSION`,
// and is no dependency of the project. Ends with the exit code of the command, or with 2 if that Node.js cannot be had.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [version = '', program, ...args] = process.argv.slice(2);
if (!/^\d+(\.\d+){0,2}$/.test(version) || program === undefined) {
  console.error('Usage: node scripts/run-on-node.js VERSION COMMAND [ARGUMENT...], such as `24 npm test`');
  process.exit(2);
}
const isWindows = process.platform === 'win32';
const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
const name = [prefix, isWindows ? 'win' : process.platform, process.arch].join('-');
const folder = fileURLToPath(new URL(`../.cache/node-${version}`, import.meta.url));
const node = join(folder, 'node_modules', name, 'bin', isWindows ? 'node.exe' : 'node');

if (!existsSync(node)) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }));
  const install = ['install', `${name}@${version}`, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save'];
  const { status } = spawnSync('npm', install, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: isWindows,
  });
  if (status !== 0 || !existsSync(node)) {
    console.error(`Node.js ${version} could not be installed: the registry must have ${name}@${version}.`);
    process.exit(2);
  }
}
const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}` };
const used = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
console.error(`Node.js ${used}: ${[program, ...args].join(' ')}`);
process.exit(spawnSync(program, args, { stdio: 'inherit', env, shell: isWindows }).status ?? 1);
