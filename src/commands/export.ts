import { Args, Flags } from '@oclif/core';

import { BaseCommand } from '../cli/base-command.js';
import { checkpointFlags, formatFlags } from '../cli/checkpoint-flags.js';

/** `agentgym export RUN` */
export default class Export extends BaseCommand {
  static override summary = "Write a run's model as a Hugging Face folder with a model card, or as a GGUF file";
  static override description =
    'The folder has the weights, the tokenizer, the chat template, a generation_config.json that samples as the policy did, and a README.md with the ' +
    'recipe, the command, and the results with intervals. It opens in transformers, and as `policy.from: ./DIR`. A run that trained a LoRA adapter becomes a PEFT folder, or with --merge a whole model. --format gguf writes one file for llama.cpp instead, with the tokenizer and the chat template. RUN is a path, an id, a unique ' +
    'beginning of an id, or `latest`.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> latest --to models/player',
    '<%= config.bin %> <%= command.id %> kx4 --to models/player --checkpoint best --dtype bfloat16',
    '<%= config.bin %> <%= command.id %> kx4 --to models/player --merge',
    '<%= config.bin %> <%= command.id %> kx4 --to player.gguf --format gguf --dtype float16',
    '<%= config.bin %> <%= command.id %> kx4 --to models/adapter --base Qwen/Qwen2.5-0.5B-Instruct',
  ];
  static override args = {
    run: Args.string({ required: true, description: 'Path, id, beginning of an id, or `latest`' }),
  };
  static override flags = {
    to: Flags.string({ required: true, helpValue: 'PLACE', description: 'New or empty folder, or a new GGUF file' }),
    ...checkpointFlags,
    ...formatFlags,
    runs: Flags.string({ default: 'runs', helpValue: 'FOLDER', description: 'Folder of the runs' }),
  };

  async run() {
    const { args, flags } = await this.parse(Export);
    const { base, dtype = 'float32', format } = flags;
    const { resolveRun } = await import('../runs/resolve-run.js');
    const { exportModel } = await import('../reports/model/export-model.js');
    const { exportGguf } = await import('../reports/model/export-gguf.js');
    const { isModelName } = await import('../hub/pulled-model.js');
    const { idleFlag } = await import('../cli/idle-flag.js');
    if (format === 'gguf' && base !== undefined) throw idleFlag('--base', 'a GGUF file has a whole model');
    const request = {
      run: await resolveRun(args.run, flags.runs),
      checkpoint: flags.checkpoint ?? 'latest',
      merge: flags.merge,
      to: flags.to,
      host: await this.openPluginHost(),
      settings: await this.hostSettings(0),
      cwd: process.cwd(),
    } as const;
    if (format === 'gguf') {
      const exported = await exportGguf({ ...request, dtype });
      this.#tell(exported);
      this.say(`File: ${exported.file}`);
      return exported;
    }
    if (dtype === 'q8_0') throw idleFlag('--dtype q8_0', 'a Hugging Face folder has no such type');
    const exported = await exportModel({ ...request, dtype, ...(base !== undefined && { base }) });
    this.#tell(exported);
    if (exported.base !== undefined) this.say(`Base: ${exported.base.name}`);
    if (exported.base !== undefined && !isModelName(exported.base.name)) {
      this.note('The base of the adapter is a folder on this machine; to name a model on a hub, use --base ORG/NAME.');
    }
    this.say(`Folder: ${exported.folder}`);
    return exported;
  }

  #tell({
    architecture,
    checkpoint,
    dtype,
    parameters,
  }: Record<'architecture' | 'checkpoint' | 'dtype', string> & { parameters: number }) {
    this.say(`${architecture}, ${parameters} parameters, ${dtype}`);
    this.say(`Checkpoint: ${checkpoint}`);
  }
}
