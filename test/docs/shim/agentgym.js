// What documents call `agentgym`: the CLI as it was built. Trainings and ablations that take minutes are cut by
// settings that anybody could write; the command that was really run is told on standard error. AGENTGYM_DOCS_UNCUT=1
// runs them as they stand.
import { appendFileSync } from 'node:fs';

import { cutCommand } from './cut-command.js';

const asked = process.argv.slice(2);
const cut = process.env.AGENTGYM_DOCS_UNCUT === '1' ? asked : await cutCommand(asked);
if (cut !== asked && process.env.AGENTGYM_DOCS_LOG !== undefined) {
  appendFileSync(process.env.AGENTGYM_DOCS_LOG, `${JSON.stringify(cut)}\n`);
}
process.argv.splice(2, Infinity, ...cut);
await import('../../../bin/run.js');
