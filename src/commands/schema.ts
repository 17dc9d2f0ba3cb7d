import { basename, resolve } from 'node:path';

import { Flags } from '@oclif/core';

import { BaseCommand } from '../cli/base-command.js';

/** `agentgym schema` */
export default class Schema extends BaseCommand {
  static override summary = 'Print the JSON Schema of recipes, with all plugins that are there, for an editor';
  static override description =
    'It knows the environments, rewards, policies, algorithms, formats and tools of the plugins that are installed and of those of the project ' +
    'around the current folder, with their options: an editor completes and checks them. A recipe names it in its first line: ' +
    '`# yaml-language-server: $schema=recipe.schema.json`. Write it again when plugins change.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --output recipe.schema.json',
    '<%= config.bin %> <%= command.id %> > recipe.schema.json',
  ];
  static override flags = {
    output: Flags.string({ helpValue: 'FILE', description: 'Write it there, over what is there' }),
  };

  async run() {
    const { flags } = await this.parse(Schema);
    const [{ recipeJsonSchema }, { allContributions }, { writeDocument }] = await Promise.all([
      import('../config/recipe-json-schema.js'),
      import('../plugins/open-plugin-host.js'),
      import('../runs/write-document.js'),
    ]);
    const host = await this.openPluginHost();
    const located = await allContributions(host);
    const schema = await recipeJsonSchema(located.map(({ contribution }) => contribution));
    const text = `${JSON.stringify(schema, null, 2)}\n`;
    if (flags.output === undefined) {
      this.say(text.trimEnd());
      return { schema };
    }
    const file = resolve(flags.output);
    await writeDocument(file, text, 'the schema');
    this.say(`Wrote ${file}. A recipe beside it begins with:\n# yaml-language-server: $schema=./${basename(file)}`);
    return { file };
  }
}
