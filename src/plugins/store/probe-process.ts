// node probe-process.js FOLDER SECONDS: imports the entry of a plugin and sends its contributions, or its problem, to
// the parent.
import { messageOf } from '../../errors/message-of.js';
import { loadPlugin } from '../load-plugin.js';
import { readPluginSource } from '../plugin-source.js';
import type { ProbeAnswer } from './probe-plugin.js';

const [folder = '', seconds = ''] = process.argv.slice(2);
const loaded = await loadPlugin(await readPluginSource(folder), Number(seconds));
let answer: ProbeAnswer =
  'problem' in loaded
    ? { problem: loaded.problem }
    : { contributions: loaded.contributions.map(({ kind, name, summary }) => ({ kind, name, summary })) };
// An error shortly after the import would end every command that loads the plugin.
const later = await new Promise<string | undefined>((passed) => {
  process.once('uncaughtException', (error) => passed(messageOf(error)));
  setTimeout(() => passed(undefined), 300);
});
if (later !== undefined) {
  const message = `it throws an uncaught error after the import: ${later}`;
  answer = { problem: { message, hint: 'Report it to its author.' } };
}
// Work that the plugin left running must not keep this process alive.
process.send?.(answer, () => process.exit(0));
