import { Args, Flags } from '@oclif/core';

import { BaseCommand } from '../cli/base-command.js';
import { checkpointFlags } from '../cli/checkpoint-flags.js';

/** `agentgym push RUN|DIR ORG/NAME` */
export default class Push extends BaseCommand {
  static override summary = 'Upload a model or an adapter to a hub: a run, or a folder that `export` wrote';
  static override description =
    'A run is exported first, with its model card. The repository is created if it does not exist, and all files arrive in one commit. HF_TOKEN must ' +
    'be a token with the right to write; HF_ENDPOINT selects another hub.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> models/player somebody/player',
    '<%= config.bin %> <%= command.id %> latest somebody/player --private --dtype bfloat16',
  ];
  static override args = {
    source: Args.string({ required: true, description: 'A run (path, id, `latest`), or a folder with a model' }),
    model: Args.string({ required: true, description: 'Name of the model on the hub, ORG/NAME' }),
  };
  static override flags = {
    private: Flags.boolean({ description: 'Create a private repository; one that exists stays as it is' }),
    ...checkpointFlags,
    runs: Flags.string({ default: 'runs', helpValue: 'FOLDER', description: 'Folder of the runs' }),
  };

  async run() {
    const { args, flags } = await this.parse(Push);
    const { pushModel } = await import('../reports/model/push-model.js');
    const { hubAccess } = await import('../hub/hub-access.js');
    const { showTransfer } = await import('../reporting/show-transfer.js');
    const host = await this.openPluginHost();
    const settings = await this.hostSettings(0);
    const display = await showTransfer(this.display());
    const pushed = await pushModel({
      source: args.source,
      model: args.model,
      ...(flags.private && { isPrivate: true }),
      ...(flags.checkpoint !== undefined && { checkpoint: flags.checkpoint }),
      ...(flags.dtype !== undefined && { dtype: flags.dtype }),
      ...(flags.merge && { merge: true }),
      ...(flags.base !== undefined && { base: flags.base }),
      runsFolder: flags.runs,
      host,
      settings,
      cwd: process.cwd(),
      hub: hubAccess(process.env, this.signal, (line) => this.note(line)),
      onEvent: (event) => display.event(event),
      // oxlint-disable-next-line typescript/no-misused-promises -- `finally` waits for it
    }).finally(() => display.close());
    if (pushed.leftOut.length > 0) this.note(`Left out, because no model needs it: ${pushed.leftOut.join(', ')}.`);
    this.say(`${pushed.model}: ${pushed.files.length} files, commit ${pushed.commit.slice(0, 12)}`);
    this.say(`Address: ${pushed.url}`);
    return pushed;
  }
}
