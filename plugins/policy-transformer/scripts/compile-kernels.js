// Compiles assembly/ to dist/kernels/kernels.wasm. Part of the build.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const plugin = fileURLToPath(new URL('../', import.meta.url));
const target = join(plugin, 'dist/kernels/kernels.wasm');
const sources = readdirSync(join(plugin, 'assembly')).map((name) => join(plugin, 'assembly', name));
const newest = Math.max(...[fileURLToPath(import.meta.url), ...sources].map((path) => statSync(path).mtimeMs));

// Loading the compiler takes longer than everything else here.
if (!existsSync(target) || statSync(target).mtimeMs < newest) {
  const { default: asc } = await import('assemblyscript/asc');
  const outputs = new Map();
  // The kernels allocate nothing, so they need no runtime. The caller owns the memory.
  const flags = ['-O3', '--runtime', 'stub', '--noAssert', '--importMemory', '--enable', 'simd'];
  const { error, stderr } = await asc.main(['assembly/index.ts', '--outFile', 'kernels.wasm', ...flags], {
    readFile: (name) => (existsSync(join(plugin, name)) ? readFileSync(join(plugin, name), 'utf8') : null),
    writeFile: (name, data) => void outputs.set(name, data),
    listFiles: () => [],
  });
  if (error) throw new Error(`the kernels do not compile:\n${stderr.toString()}`, { cause: error });
  mkdirSync(join(plugin, 'dist/kernels'), { recursive: true });
  writeFileSync(target, outputs.get('kernels.wasm'));
}
