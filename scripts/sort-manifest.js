// Sorts the commands in the manifest: `oclif manifest` lists them in the order in which it read their folders, which
// varies. Part of the build.
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../oclif.manifest.json', import.meta.url);
const manifest = JSON.parse(readFileSync(file, 'utf8'));
manifest.commands = Object.fromEntries(Object.entries(manifest.commands).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, JSON.stringify(manifest, null, 2));
