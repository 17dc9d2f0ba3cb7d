// node probe-process.js FOLDER SECONDS: imports the entry of a plugin and tells the parent what it contributes, or what is wrong with it.
import { loadPlugin } from '../load-plugin.js';
import { readPluginSource } from '../plugin-source.js';
import type { ProbeAnswer } from './probe-plugin.js';

const [folder = '', seconds = ''] = process.argv.slice(2);
const loaded = await loadPlugin(await readPluginSource(folder), Number(seconds));
const answer: ProbeAnswer =
  'problem' in loaded
    ? { problem: loaded.problem }
    : { contributions: loaded.contributions.map(({ kind, name, summary }) => ({ kind, name, summary })) };
// What the plugin left running does not keep us.
process.send?.(answer, () => process.exit(0));
