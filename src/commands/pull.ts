import { Args, Flags } from '@oclif/core';

import { BaseCommand } from '../cli/base-command.js';

/** `agentgym pull MODEL` */
export default class Pull extends BaseCommand {
  static override summary = 'Fetch a model from a hub, so that `policy.from: ORG/NAME` finds it';
  static override description =
    'It fetches only what a model needs: configuration, tokenizer, template and safetensors. For a PEFT adapter, the base model is not fetched. A broken download continues where it ended. Every file ' +
    'is checked against the hash that the hub lists; the folder appears when it is complete. HF_TOKEN opens private and gated models, HF_ENDPOINT ' +
    'selects another hub.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> Qwen/Qwen2.5-0.5B-Instruct',
    '<%= config.bin %> <%= command.id %> Qwen/Qwen3-0.6B --revision main --output models/qwen3',
  ];
  static override args = {
    model: Args.string({ required: true, description: 'Name of the model on the hub, ORG/NAME' }),
  };
  static override flags = {
    revision: Flags.string({ helpValue: 'R', description: "Branch, tag or commit; default: the hub's default branch" }),
    output: Flags.string({
      helpValue: 'DIR',
      description:
        "New or empty folder; default: a folder in agentgym's cache, where recipes find the model by its name",
    }),
  };

  async run() {
    const { args, flags } = await this.parse(Pull);
    const [{ pullModel }, { findPulledModel, isModelName }, { hubAccess }, { showTransfer }, { formatBytes }] =
      await Promise.all([
        import('../hub/pull-model.js'),
        import('../hub/pulled-model.js'),
        import('../hub/hub-access.js'),
        import('../reporting/show-transfer.js'),
        import('../reporting/format-quantity.js'),
      ]);
    const [{ stdout, stderr, env: environment }, quiet] = [process, this.jsonEnabled()];
    const display = await showTransfer({ quiet, stdout, stderr, environment });
    try {
      const pulled = await pullModel({
        model: args.model,
        ...(flags.revision !== undefined && { revision: flags.revision }),
        ...(flags.output !== undefined && { output: flags.output }),
        cacheDirectory: this.config.cacheDir,
        hub: hubAccess(environment, this.signal, (line) => this.note(line)),
        onEvent: (event) => display.event(event),
      });
      await display.close();
      const { model, commit, folder, bytes, outcome } = pulled;
      const what = `${model} at ${commit.slice(0, 12)}, ${formatBytes(bytes)}`;
      this.say(outcome === 'present' ? `${what}: already complete` : `${what}: complete`);
      this.say(`Folder: ${folder}`);
      this.say(
        flags.output === undefined ? `In a recipe: policy.from: ${model}` : `In a recipe: policy.from: ${folder}`,
      );
      const { base } = pulled;
      if (base !== undefined) {
        const present = !isModelName(base) || findPulledModel(this.config.cacheDir, base) !== undefined;
        this.say(`An adapter of ${base}${present ? '' : `, which is not pulled: \`agentgym pull ${base}\``}`);
      }
      return pulled;
    } catch (error) {
      await display.close();
      throw error;
    }
  }
}
