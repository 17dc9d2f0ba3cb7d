import { Args, Flags } from '@oclif/core';

import { BaseCommand } from '../cli/base-command.js';
import { checkpointFlags } from '../cli/checkpoint-flags.js';

/** `agentgym export RUN` */
export default class Export extends BaseCommand {
  static override summary = "Write a run's model as a Hugging Face folder with a model card";
  static override description =
    'The folder has the weights, the tokenizer, the chat template, a generation_config.json that samples as the policy did, and a README.md with the ' +
    'recipe, the command, and the results with intervals. It opens in transformers, and as `policy.from: ./DIR`. A run that trained a LoRA adapter gives a PEFT folder, or with --merge a whole model. RUN is a path, an id, a unique ' +
    'beginning of an id, or `latest`.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> latest --to models/player',
    '<%= config.bin %> <%= command.id %> kx4 --to models/player --checkpoint best --dtype bfloat16',
    '<%= config.bin %> <%= command.id %> kx4 --to models/player --merge',
    '<%= config.bin %> <%= command.id %> kx4 --to models/adapter --base Qwen/Qwen2.5-0.5B-Instruct',
  ];
  static override args = {
    run: Args.string({ required: true, description: 'Path, id, beginning of an id, or `latest`' }),
  };
  static override flags = {
    to: Flags.string({ required: true, helpValue: 'DIR', description: 'New or empty folder' }),
    ...checkpointFlags,
    runs: Flags.string({ default: 'runs', helpValue: 'FOLDER', description: 'Folder of the runs' }),
  };

  async run() {
    const { args, flags } = await this.parse(Export);
    const [{ resolveRun }, { exportModel }, { isModelName }] = await Promise.all([
      import('../runs/resolve-run.js'),
      import('../reports/model/export-model.js'),
      import('../hub/pulled-model.js'),
    ]);
    const exported = await exportModel({
      run: await resolveRun(args.run, flags.runs),
      checkpoint: flags.checkpoint ?? 'latest',
      dtype: flags.dtype ?? 'float32',
      merge: flags.merge,
      ...(flags.base !== undefined && { base: flags.base }),
      to: flags.to,
      host: await this.openPluginHost(),
      settings: await this.hostSettings(0),
      cwd: process.cwd(),
    });
    this.say(`${exported.architecture}, ${exported.parameters} parameters, ${exported.dtype}`);
    this.say(`Checkpoint: ${exported.checkpoint}`);
    if (exported.base !== undefined) this.say(`Base: ${exported.base.name}`);
    if (exported.base !== undefined && !isModelName(exported.base.name)) {
      this.note('The adapter names its base by a folder of this machine; --base ORG/NAME names a model on a hub.');
    }
    this.say(`Folder: ${exported.folder}`);
    return exported;
  }
}
