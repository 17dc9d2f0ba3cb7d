import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Writes files below a folder, and creates their folders. */
export function writeFiles(root: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** A new folder with these files. */
export function newFolder(files: Readonly<Record<string, string>> = {}): string {
  return writeFiles(mkdtempSync(join(tmpdir(), 'agentgym-cli-')), files);
}

interface Package {
  readonly name: string;
  readonly version?: string;
  readonly agentgym?: object | null;
  /** Other keys of package.json. */
  readonly more?: object;
}

/** The package.json of a plugin. */
export function packageJson({ name, version = '1.0.0', agentgym, more }: Package): string {
  const declaration = agentgym === null ? {} : { agentgym: { apiVersion: 1, plugin: './index.js', ...agentgym } };
  return JSON.stringify({ name, version, type: 'module', oclif: {}, ...declaration, ...more });
}

/** Links plugins in a data folder, as `agentgym plugins link` does. */
export function link(data: string, roots: Readonly<Record<string, string>>): void {
  mkdirSync(data, { recursive: true });
  const plugins = Object.entries(roots).map(([name, root]) => ({ type: 'link', name, root }));
  writeFileSync(join(data, 'package.json'), JSON.stringify({ private: true, oclif: { schema: 1, plugins } }));
}

/** The entry of a plugin with one environment, whose code is `coin.js`. */
export function coinEntry(name = 'coin', summary = 'Guess the side'): string {
  return `export default [{ kind: 'environment', name: '${name}', summary: '${summary}', options: {
    sides: { type: 'integer', minimum: 2, maximum: 6, default: 2, description: 'Sides', axis: true, levels: [2, 4] } },
    facts: [], load: () => import('./coin.js') }];\n`;
}

/** An environment with one turn: the task says which side is up. Pieces of code can be inserted. */
export function coinCode({ top = '', open = '', create = '', reset = '', step = '' } = {}): string {
  return `${top}
const every = (remainder) => ({ count: 'unbounded', id: (i) => String(3 * i + remainder), random: (random) => String(3 * random.integer(0, 1000) + remainder) });
export function open({ sides }) {
  ${open}
  return {
    instructions: 'Say the side that is up.',
    splits: { train: every(0), validation: every(1), test: every(2) },
    experts: ['oracle', 'demonstrator'],
    maxTurns: 3,
    create() {
      ${create}
      let side = 0;
      return {
        reset(task) { ${reset}; side = Math.floor(Number(task) / 3) % sides; return 'Side ' + side + ' is up.'; },
        step(action) {
          ${step}
          const success = action.trim() === String(side);
          return { observation: '', reward: Number(success), terminated: true, truncated: false, facts: { success, invalid: !/^[0-9]$/.test(action.trim()) } };
        },
        act(player, { random }) {
          if (player === 'random') return String(random.integer(0, sides));
          if (player === 'oracle' || player === 'demonstrator') return String(side);
          throw new Error('no player ' + player);
        },
      };
    },
  };
}\n`;
}
