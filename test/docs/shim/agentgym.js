// `agentgym` in the commands of documents: the built CLI. Trainings and ablations of several minutes are cut by
// ordinary settings, and the command that really ran is written to AGENTGYM_DOCS_LOG. With AGENTGYM_DOCS_UNCUT=1 they
// run unchanged.
import { appendFileSync } from 'node:fs';

import { cutCommand } from './cut-command.js';

const asked = process.argv.slice(2);
const cut = process.env.AGENTGYM_DOCS_UNCUT === '1' ? asked : await cutCommand(asked);
if (cut !== asked && process.env.AGENTGYM_DOCS_LOG !== undefined) {
  appendFileSync(process.env.AGENTGYM_DOCS_LOG, `${JSON.stringify(cut)}\n`);
}
process.argv.splice(2, Infinity, ...cut);
await import('../../../bin/run.js');
