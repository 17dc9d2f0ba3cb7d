// Makes the packages of the native runtime in .cache/release/runtime: `npm run runtime-packages`. Needs the registry.
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { fetchOnnxruntimeNode, makeRuntimePackages } from './runtime-packages.js';

const release = fileURLToPath(new URL('../.cache/release/', import.meta.url));
const download = `${release}/onnxruntime-node`;
for (const { name, version, folder } of await makeRuntimePackages(
  await fetchOnnxruntimeNode(download),
  `${release}/runtime`,
)) {
  console.log(`${name}@${version}  ${folder}`);
}
await rm(download, { recursive: true });
